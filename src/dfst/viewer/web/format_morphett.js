// The text of morphett.info's simulator, each rule on its line: the twin of machines/formats/morphett.py.

import { atLine, Draft, findSymbols, HALTED, L, R, S, shown, stuckRejects, width } from "./format_draft.js";
import { InputError } from "./input.js";

const [START, ANY, BLANK_AS, BLANK] = ["0", "*", "_", "λ"];
const MOVES = { l: L, r: R, "*": S };
/** Rules that wildcards may stand for. */
const MOST_EXPANDED = 1_000_000;
/** As Python has them: a byte order mark is none. */
const SPACES = /[^\S\ufeff]+/;
const LINES = /\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/;

export function parseMorphett(text, name) {
  const lines = text
    .split(LINES)
    .map((raw, i) => lineOf(i + 1, raw))
    .filter((line) => line !== null);
  const exact = (names) => [...new Set(names.filter((each) => each !== ANY))];
  const symbols = exact([BLANK_AS, ...lines.flatMap((line) => [line.symbol, line.write])]);
  const names = findSymbols(text, symbols, BLANK_AS, BLANK);
  const states = exact(lines.flatMap((line) => [line.state, line.to])).filter((state) => !halts(state));
  const meant = (line) => ({
    states: line.state === ANY ? states : [line.state],
    symbols: line.symbol === ANY ? symbols : [line.symbol],
  });
  const expanded = lines.map((line) => meant(line).states.length * meant(line).symbols.length);
  if (expanded.reduce((sum, each) => sum + each, 0) > MOST_EXPANDED)
    throw new InputError(`expected wildcards that stand for at most ${MOST_EXPANDED} rules; use fewer`);
  const draft = new Draft();
  // The more exact rule wins, state before symbol.
  for (const vagueness of [0, 1, 2, 3]) {
    const fresh = [];
    for (const line of lines) {
      if (2 * (line.state === ANY) + (line.symbol === ANY) !== vagueness) continue;
      for (const state of meant(line).states)
        for (const symbol of meant(line).symbols)
          if (!draft.has(state, names.name(symbol))) fresh.push({ line, state, symbol });
    }
    for (const { line, state, symbol } of fresh) {
      const write = line.write === ANY ? symbol : line.write;
      const to = line.to === ANY ? state : line.to;
      draft.rule(line.number, state, names.name(symbol), names.name(write), line.motion, to);
    }
  }
  const stuck = stuckRejects(text, false);
  return draft.machine({ name, start: START, symbols: names, stuck, entered: states });
}

const halts = (state) => state.startsWith(HALTED);

function lineOf(number, raw) {
  const fields = raw
    .split(";", 1)[0]
    .split(SPACES)
    .filter((field) => field !== "");
  if (fields.length === 0) return null;
  if (fields.length === 6 && fields[5] === "!") fields.pop();
  if (fields.length !== 5)
    throw atLine(
      number,
      `expected \`state symbol new-symbol direction next-state\`, found ${shown(raw.trim())}`,
    );
  const [state, symbol, write, move, to] = fields;
  const where = `state ${shown(state)} reading ${shown(symbol)}: `;
  if (halts(state))
    throw atLine(number, `${where}a state whose name starts with halt has no rules; rename it`);
  for (const found of [symbol, write])
    if (width(found) !== 1)
      throw atLine(number, `${where}expected a symbol of one character, found ${shown(found)}`);
  const motion = MOVES[move.toLowerCase()];
  if (motion === undefined)
    throw atLine(number, `${where}expected the direction l, r or *, found ${shown(move)}`);
  return { number, state, symbol, write, motion, to };
}
