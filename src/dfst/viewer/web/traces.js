// Worked examples as data: as a trace file (docs/reference/traces.md), and where two of them contradict each other.
//
// An example is {input, steps}, a step {read, wrote, moved}, all by name: the alphabet may still grow. The
// reader here asks what the page needs in order to show a file; the server reads it again before it learns.

import { InputError } from "./input.js";

export const BLANK = "λ";
const FORMAT = "dfst-traces/2";
const MOTIONS = "UDLRSN";

/** The text of a trace file. */
export function writeTraces({ name, alphabet, start, examples, task }) {
  const all = new Set(alphabet);
  for (const { steps } of examples) for (const { read, wrote } of steps) all.add(read).add(wrote);
  all.delete(BLANK);
  const symbols = [...all, BLANK];
  const spelt = (names) => (symbols.every((symbol) => [...symbol].length === 1) ? names.join("") : names);
  const header = { format: FORMAT, name, alphabet: symbols, blank: BLANK, motions: "UDLRS", start };
  if (task !== undefined) header.task = task;
  if (examples.some(({ steps }) => steps.some(({ moved }) => moved === "N"))) header.motions = MOTIONS;
  const lines = examples.map(({ input, steps }) => ({
    input,
    read: spelt(steps.map(({ read }) => read)),
    wrote: spelt(steps.map(({ wrote }) => wrote)),
    moved: steps.map(({ moved }) => moved).join(""),
  }));
  return [header, ...lines].map((line) => `${JSON.stringify(line)}\n`).join("");
}

/** {name, alphabet, start, examples} of a trace file; symbols of any blank become λ. */
export function readTraces(text, file) {
  const rows = text
    .trim()
    .split("\n")
    .map((line, i) => parsed(line, `${file}, line ${i + 1}`));
  const header = rows[0];
  if (header.format !== FORMAT)
    throw new InputError(
      `${file}, line 1: expected a header with "format": "${FORMAT}", found ${JSON.stringify(header.format)}`,
    );
  if (!Array.isArray(header.alphabet) || !header.alphabet.includes(header.blank))
    throw new InputError(`${file}, line 1: expected an alphabet, and a blank that is one of its symbols`);
  const named = (symbol) => (symbol === header.blank ? BLANK : symbol);
  const examples = rows.slice(1).map((row, i) => example(row, header, named, `${file}, line ${i + 2}`));
  if (examples.length === 0)
    throw new InputError(`${file}: expected traces after the first line, found none`);
  const alphabet = header.alphabet.map(named).filter((symbol) => symbol !== BLANK);
  return { name: header.name, alphabet, start: header.start ?? "first", task: header.task, examples };
}

function parsed(line, where) {
  try {
    const row = JSON.parse(line);
    if (row !== null && typeof row === "object" && !Array.isArray(row)) return row;
  } catch {
    // Told below, as any other line that is no object.
  }
  throw new InputError(`${where}: expected a JSON object, found ${line.slice(0, 40)}`);
}

function example(row, header, named, where) {
  const columns = ["read", "wrote", "moved"].map((key) => {
    const names = typeof row[key] === "string" ? [...row[key]] : row[key];
    const known = key === "moved" ? [...MOTIONS] : header.alphabet;
    const bad = Array.isArray(names) ? names.find((name) => !known.includes(name)) : row[key];
    if (!Array.isArray(names) || names.length === 0 || bad !== undefined)
      throw new InputError(
        `${where}: ${key} holds ${JSON.stringify(bad)}, expected some of ${known.join(" ")}`,
      );
    return key === "moved" ? names : names.map(named);
  });
  const [read, wrote, moved] = columns;
  if (read.length !== wrote.length || read.length !== moved.length)
    throw new InputError(`${where}: expected as many steps each in read, wrote and moved`);
  if (moved.slice(0, -1).includes("S"))
    throw new InputError(`${where}: S halts and may stand in the last step only`);
  const steps = read.map((symbol, t) => ({ read: symbol, wrote: wrote[t], moved: moved[t] }));
  return { input: String(row.input ?? ""), steps };
}

/**
 * Where examples contradict each other: after the same symbols, another action. {step, other} by the number
 * of the later example; nothing says which of the two is wrong, so each names the other.
 */
export function contradictions(examples) {
  const found = new Map();
  const root = { answers: new Map() };
  examples.forEach(({ steps }, number) => {
    let node = root;
    for (let t = 0; t < steps.length; t++) {
      const { read, wrote, moved } = steps[t];
      const before = node.answers.get(read);
      if (before === undefined) {
        node.answers.set(read, { wrote, moved, number, next: { answers: new Map() } });
      } else if (before.wrote !== wrote || before.moved !== moved) {
        found.set(number, { step: t, other: before.number });
        if (!found.has(before.number)) found.set(before.number, { step: t, other: number });
        return;
      }
      node = node.answers.get(read).next;
    }
  });
  return found;
}
