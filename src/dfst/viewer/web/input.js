// From what a person types to symbols on the grid, or to words that say what is wrong with it.
//
// The same rules, and the same words, as `Task.parse` and `encode_plain` in Python; a test compares them.

import { count, counted } from "./dom.js";

const DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz";

export class InputError extends Error {}

/** Refuse to start on an operator: there is no task that says which symbol that is. */
export function checkStart(name, layout) {
  if (layout === "operator")
    throw new InputError(`${name} starts on the operator but has no task that says which symbol that is`);
}

/** {symbols, start} for a subject and a text, row after row, and how many columns each has; none for one row. */
export function encodeInput(subject, text) {
  if (subject.task?.plane) return encodeBoard(subject, text.trim());
  if (subject.task?.letters) return encodeWord(subject, text.trim());
  return subject.task ? encodeTask(subject.task, text) : encodePlain(subject, text);
}

/** The rows of a text; where it is no symbol, / stands for a newline, so that a board can be typed. */
function linesOf(text, index) {
  const lines = text.replaceAll("\r\n", "\n").replace(/\n$/, "");
  return (index.has("/") ? lines : lines.replaceAll("/", "\n")).split("\n");
}

function encodeBoard({ task, alphabet }, text) {
  const index = new Map(Array.from(task.letters, (letter) => [letter, alphabet.indexOf(letter)]));
  const known = `its symbols are ${Array.from(task.letters).join(" ")}; try ${task.example}`;
  const lines = linesOf(spelled(task, text), index);
  if (lines[0] === "") throw new InputError(`${task.name} takes a board, found nothing; ${known}`);
  const laid = laidOut(lines.map((line) => Array.from(line)), index, task.name, known);
  const fault = refusal(task, lines);
  if (fault !== null) throw new InputError(`${task.name}: ${fault}; try ${task.example}`);
  return { ...laid, start: 0 };
}

/** The board that a shorter way to type it stands for; one row too many is enough to be refused. */
function spelled({ row, most_rows, letters }, text) {
  if (row && /^[0-9]{1,9}$/.test(text))
    return Array(Math.min(Number(text), most_rows + 1)).fill(row).join("\n");
  return letters.includes("×") ? text.replaceAll(/[*x]/g, "×") : text;
}

/** What is wrong with a board of its letters, and where; null for an input. */
function refusal({ name, once, row, most_rows, unit, pattern, form }, lines) {
  for (const letter of once) {
    const found = lines.flatMap((line, r) => [...line].flatMap((s, c) => (s === letter ? [[r + 1, c + 1]] : [])));
    if (found.length === 1) continue;
    const places = found.length > 0 ? `a second in row ${found[1][0]}, column ${found[1][1]}` : "none";
    return `a ${name} has one ${letter}, found ${places}`;
  }
  const wrong = row ? lines.findIndex((line) => line !== row) : -1;
  if (wrong >= 0) return `a board has ${row} in every row, found ${lines[wrong]} in row ${wrong + 1}`;
  if (row && lines.length > most_rows)
    return `a board has at most ${counted(most_rows, unit.replace(/s$/, ""))}, found more`;
  if (pattern && !new RegExp(`^(?:${pattern})$`).test(lines.join("\n")))
    return `expected ${form}, found ${short(lines.join("/"))}`;
  return null;
}

/** The symbols of a board, refused with the place of the fault. */
function laidOut(rows, index, name, known) {
  const width = rows[0].length;
  rows.forEach((row, r) => {
    const at = row.findIndex((symbol) => !index.has(symbol));
    if (at >= 0) {
      const place = rows.length > 1 ? ` in row ${r + 1}, column ${at + 1}` : "";
      throw new InputError(`${name} does not know the symbol '${row[at]}'${place}; ${known}`);
    }
    if (row.length !== width) {
      throw new InputError(
        `${name}: every row must be as long as the first, ${counted(width, "symbol")}; ` +
          `row ${r + 1} has ${count(row.length)}, so it ${row.length < width ? "ends" : "goes on"} ` +
          `at column ${Math.min(row.length, width) + 1}`,
      );
    }
  });
  const symbols = rows.flat().map((symbol) => index.get(symbol));
  return rows.length > 1 ? { symbols, columns: width } : { symbols };
}

function encodeWord({ task, alphabet }, word) {
  if (word === "")
    throw new InputError(`${task.name} takes ${task.form}, found nothing; try ${task.example}`);
  const bad = Array.from(word).find((character) => !task.letters.includes(character));
  if (bad !== undefined) {
    throw new InputError(
      `${task.name} takes the symbols ${Array.from(task.letters).join(" ")}, ` +
        `found '${bad}' in ${short(word)}; try ${task.example}`,
    );
  }
  if (!new RegExp(`^(?:${task.pattern})$`).test(word)) {
    throw new InputError(
      `${task.name} takes ${task.form}, found none in ${short(word)}; try ${task.example}`,
    );
  }
  return { symbols: Array.from(word, (character) => alphabet.indexOf(character)), start: 0 };
}

/** The operands in a text, checked. `*` and `x` mean ×. */
export function operandsOf(task, typed) {
  let text = typed.trim().toLowerCase();
  let operands = [text];
  if (task.operator !== null) {
    if (task.operator === "×") {
      text = text.replaceAll("*", "×");
      if (task.radix <= 33) text = text.replaceAll("x", "×");
    }
    operands = text.split(task.operator).map((operand) => operand.trim());
    if (operands.length < 2 || (operands.length > 2 && !task.many)) {
      const between = task.many ? `${task.operator} between numbers` : `one ${task.operator} between two numbers`;
      throw new InputError(
        `${task.name} takes ${between}, ` +
          `found ${operands.length - 1} in ${short(text)}; try ${task.example}`,
      );
    }
  }
  const digits = DIGITS.slice(0, task.radix);
  for (const operand of operands) {
    if (operand === "") {
      throw new InputError(`${task.name} found an empty operand in ${short(text)}; try ${task.example}`);
    }
    const bad = Array.from(operand).find((character) => !digits.includes(character));
    if (bad !== undefined) {
      throw new InputError(
        `${task.name} takes digits ${digits[0]} to ${digits.at(-1)}, ` +
          `found '${bad}' in ${short(text)}; try ${task.example}`,
      );
    }
  }
  return operands;
}

function encodeTask(task, typed) {
  const operands = operandsOf(task, typed);
  const symbols = Array.from(operands.join(" "), (c) => (c === " " ? task.radix + 1 : DIGITS.indexOf(c)));
  if (task.layout === "operator") return { symbols, start: operands[0].length };
  return { symbols, start: task.layout === "last" ? symbols.length - 1 : 0 };
}

function encodePlain({ name, alphabet, blank, layout }, text) {
  const index = new Map(alphabet.map((symbol, i) => [symbol, i]));
  if (!index.has("_")) index.set("_", blank);
  if (!index.has(" ")) index.set(" ", index.get("␣") ?? blank);
  const [longer, lines] = [alphabet.some((symbol) => Array.from(symbol).length > 1), linesOf(text, index)];
  const spaced = longer && (text.trim().includes(" ") || lines.some((line) => index.has(line.trim())));
  const rows = lines.map((line) => (spaced ? line.split(/\s+/).filter(Boolean) : Array.from(line)));
  checkStart(name, layout);
  const laid = laidOut(rows, index, name, `its alphabet is ${alphabet.join(" ")}`);
  return { ...laid, start: layout === "last" ? Math.max(0, laid.symbols.length - 1) : 0 };
}

function short(text) {
  return `'${text.length <= 40 ? text : text.slice(0, 37) + "…"}'`;
}
