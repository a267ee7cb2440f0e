// Turmite specifications, `{{{1,2,0},{0,8,0}}}`: the twin of machines/formats/turmite.py.

import { D, HALT, L, R, S, shown, table, U } from "./format_draft.js";
import { InputError } from "./input.js";

const HEADINGS = "NESW";
const COMPASS = { N: U, E: R, S: D, W: L };
/** Quarters of a turn to the right. */
const TURNS = { 1: 0, 2: 1, 4: 2, 8: 3 };
const [MOST_STATES, MOST_SYMBOLS] = [25_000, 255];
const LEGAL = /[ \t\r\n{},]|\d{1,9}(?!\d)|'[NESW]?'/g;

export function parseTurmite(text, name) {
  const rows = readRows(text.trim());
  const absolute = typeof rows[0][0].move === "string";
  check(rows, absolute);
  const headings = absolute ? [""] : [...HEADINGS];
  const rules = [];
  rows.forEach((row, q) =>
    row.forEach(({ write, move, next }, symbol) =>
      headings.forEach((_, heading) => {
        const rule = { state: headings.length * q + heading, symbol, write };
        if (move === "" || move === 0) rules.push({ ...rule, motion: S, next: HALT });
        else if (absolute) rules.push({ ...rule, motion: COMPASS[move], next });
        else {
          const ahead = (heading + TURNS[move]) % 4;
          rules.push({ ...rule, motion: COMPASS[HEADINGS[ahead]], next: 4 * next + ahead });
        }
      }),
    ),
  );
  const states = rows.flatMap((_, q) => headings.map((heading) => `${q}${heading}`));
  return table({ name, alphabet: rows[0].map((_, k) => String(k)), states, blank: 0, rules });
}

function check(rows, absolute) {
  const columns = rows[0].length;
  rows.forEach((row, q) => {
    if (row.length !== columns)
      throw new InputError(`state ${q}: expected ${columns} entries as in state 0, found ${row.length}`);
    row.forEach(({ write, move, next }, k) => {
      const place = `state ${q} reading ${k}`;
      if (write >= columns)
        throw new InputError(`${place}: expected to write 0 to ${columns - 1}, found ${write}`);
      if (next >= rows.length)
        throw new InputError(`${place}: expected a next state 0 to ${rows.length - 1}, found ${next}`);
      if ((typeof move === "string") !== absolute)
        throw new InputError(
          `${place}: expected either compass points or turns throughout, found ${shown(move)}`,
        );
      if (!absolute && move !== 0 && TURNS[move] === undefined)
        throw new InputError(`${place}: expected a turn 1, 2, 4, 8 or 0 to halt, found ${move}`);
    });
  });
}

/** The rows, entry by entry: braces are brackets of JSON, and nothing else may stand there. */
function readRows(text) {
  const illegal = text.replaceAll(LEGAL, "");
  if (illegal !== "")
    throw new InputError(
      `expected braces, commas, numbers and 'N' 'E' 'S' 'W' or '', found ${shown(illegal.slice(0, 12))}`,
    );
  let rows;
  try {
    rows = JSON.parse(text.replaceAll("{", "[").replaceAll("}", "]").replaceAll("'", '"'));
  } catch (error) {
    throw new InputError(`expected braces within braces, with commas between them (${error.message})`);
  }
  checkList(rows, MOST_STATES, "states");
  return rows.map((row) => {
    checkList(row, MOST_SYMBOLS, "symbols");
    return row.map((entry) => {
      const kinds = Array.isArray(entry) ? entry.map((part) => typeof part).join() : "";
      if (!/^number,(number|string),number$/.test(kinds))
        throw new InputError(`expected {write, move, next state}, found ${shown(JSON.stringify(entry))}`);
      const [write, move, next] = entry;
      return { write, move, next };
    });
  });
}

function checkList(found, most, kind) {
  if (!Array.isArray(found) || found.length < 1 || found.length > most)
    throw new InputError(`expected 1 to ${most} ${kind} in braces, found ${shown(JSON.stringify(found))}`);
}
