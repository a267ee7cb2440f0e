// The YAML of turingmachine.io: the twin of machines/formats/turingmachine_io.py.

import { atLine, Draft, findSymbols, L, R, S, shown, stuckRejects, width } from "./format_draft.js";
import { InputError } from "./input.js";
import { readMapping } from "./format_yaml.js";

const BLANK = "λ";
const MOVES = new Map([
  ["L", L],
  ["R", R],
  ["N", S],
]);

export function parseTuringmachineIo(given, givenName) {
  let [text, name] = [given, givenName];
  let document = readMapping(text);
  if (document.has("source code")) {
    text = document.get("source code").word("the source code");
    name = document.get("name")?.word("the name") ?? name;
    document = readMapping(text);
  }
  for (const wanted of ["blank", "start state", "table"])
    if (!document.has(wanted))
      throw new InputError(`expected the keys blank, start state and table, found no ${shown(wanted)}`);
  const synonyms = new Map();
  for (const [key, value] of document.get("synonyms")?.pairs("synonyms") ?? []) {
    const word = key.word("a synonym");
    synonyms.set(word, instruction(value, new Map(), `synonym ${shown(word)}`));
  }
  const states = new Map();
  for (const [key, value] of document.get("table").pairs("the table")) {
    const state = key.word("a state");
    if (states.has(state)) throw key.wrong(`state ${shown(state)} is listed twice; keep one`);
    states.set(state, rulesOf(state, value, synonyms));
  }
  return machineOf(text, name, document, states);
}

function machineOf(text, name, document, states) {
  const blank = document.get("blank").word("the blank");
  if (width(blank) !== 1)
    throw document.get("blank").wrong(`expected a blank of one character, found ${shown(blank)}`);
  const rules = [...states.values()].flat();
  const mentioned = rules.flatMap(({ symbol, write }) => (write === null ? [symbol] : [symbol, write]));
  const symbols = findSymbols(text, mentioned, blank, blank.trim() === "" ? BLANK : blank);
  const draft = new Draft();
  for (const [state, own] of states)
    for (const { line, symbol, write, motion, to } of own) {
      if (to !== null && !states.has(to))
        throw atLine(
          line,
          `state ${shown(state)} reading ${shown(symbol)} leads to ${shown(to)}, which is not in the table`,
        );
      draft.rule(line, state, symbols.name(symbol), symbols.name(write ?? symbol), motion, to ?? state);
    }
  const samples = [];
  const input = document.get("input");
  if (input !== undefined && !input.isEmpty) {
    const typed = input.word("the input");
    samples.push(symbols.blank === blank ? typed : typed.replaceAll(blank, "_"));
  }
  const start = document.get("start state").word("the start state");
  return draft.machine({ name, start, symbols, samples, stuck: stuckRejects(text, true) });
}

function rulesOf(state, node, synonyms) {
  if (node.isEmpty) return [];
  return node.pairs(`state ${shown(state)}`).flatMap(([key, value]) =>
    (key.kind === "sequence" ? key.items : [key]).map((one) => {
      const symbol = one.word(`a symbol of state ${shown(state)}`);
      const where = `state ${shown(state)} reading ${shown(symbol)}`;
      if (width(symbol) !== 1) throw one.wrong(`${where}: expected a symbol of one character`);
      return { line: one.line, symbol, ...instruction(value, synonyms, where) };
    }),
  );
}

/** {write, motion, to}: null keeps the symbol, or the state. */
function instruction(node, synonyms, where) {
  if (node.kind === "scalar") {
    if (MOVES.has(node.text)) return { write: null, motion: MOVES.get(node.text), to: null };
    if (synonyms.has(node.text)) return synonyms.get(node.text);
    throw node.wrong(`${where}: expected L, R, N or a synonym, found ${shown(node.text)}`);
  }
  let write = null;
  const moves = [];
  for (const [key, value] of node.pairs(where)) {
    const word = key.word(where);
    if (word === "write") {
      write = value.word(`${where}: write`);
      if (width(write) !== 1)
        throw value.wrong(`${where}: expected to write one character, found ${shown(write)}`);
    } else if (MOVES.has(word)) {
      moves.push({ motion: MOVES.get(word), to: value.isEmpty ? null : value.word(where) });
    } else throw key.wrong(`${where}: expected write, L, R or N, found ${shown(word)}`);
  }
  if (moves.length !== 1) throw node.wrong(`${where}: expected one move L, R or N, found ${moves.length}`);
  return { write, ...moves[0] };
}
