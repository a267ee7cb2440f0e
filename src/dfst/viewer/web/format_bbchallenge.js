// bbchallenge's standard text, `1RB1LB_1LA1RZ`: the twin of machines/formats/bbchallenge.py.

import { HALT, L, R, shown, table } from "./format_draft.js";
import { InputError } from "./input.js";

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const HALTING = "ZH";
const [MOST_ROWS, MOST_COLUMNS, ENTRY] = [25, 10, 3];

export function parseBbchallenge(text, name) {
  const rows = text.trim().split("_");
  const columns = Math.floor(rows[0].length / ENTRY);
  if (rows.length > MOST_ROWS)
    throw new InputError(`expected 1 to ${MOST_ROWS} rows, one for each state, found ${rows.length}`);
  if (columns < 1 || columns > MOST_COLUMNS)
    throw new InputError(
      `expected rows of 1 to ${MOST_COLUMNS} entries such as 1RB, found ${shown(rows[0])}`,
    );
  const states = [...LETTERS.slice(0, rows.length)];
  const rules = [];
  rows.forEach((row, q) => {
    if (row.length !== ENTRY * columns)
      throw new InputError(
        `state ${states[q]}: expected ${columns} entries as in state A, found ${shown(row)}`,
      );
    for (let k = 0; k < columns; k++) {
      const entry = row.slice(ENTRY * k, ENTRY * (k + 1));
      if (entry === "---") continue;
      const found = ruleOf(entry, `state ${states[q]} reading ${k}`, columns, states);
      rules.push({ state: q, symbol: k, ...found });
    }
  });
  const alphabet = Array.from({ length: columns }, (_, k) => String(k));
  return table({ name, alphabet, states, blank: 0, rules });
}

function ruleOf(entry, where, columns, states) {
  const [write, move, to] = entry;
  if (!"0123456789".slice(0, columns).includes(write))
    throw new InputError(`${where}: expected a symbol 0 to ${columns - 1} first, found ${shown(entry)}`);
  if (move !== "L" && move !== "R")
    throw new InputError(`${where}: expected the move L or R second, found ${shown(entry)}`);
  if (!states.includes(to) && !HALTING.includes(to))
    throw new InputError(
      `${where}: expected a state A to ${states.at(-1)}, or Z, third, found ${shown(entry)}`,
    );
  const next = states.includes(to) ? states.indexOf(to) : HALT;
  return { write: Number(write), motion: move === "L" ? L : R, next };
}
