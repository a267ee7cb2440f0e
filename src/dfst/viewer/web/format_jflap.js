// JFLAP's .jff files: the twin of machines/formats/jflap.py, by the browser's own reader of XML.

import { Draft, findSymbols, L, R, S, shown, stuckRejects, width } from "./format_draft.js";
import { InputError } from "./input.js";

const TYPES = ["turing", "turing machine", "turingbb"];
const MOVES = { L, R, S };
const [BLANK, SPACE, EMPTY] = ["λ", "␣", "□"];
const [ANY, BUT, VARIABLE] = ["~", "!", "}"];
const MOST_DEPTH = 64;

const OTHER_TYPES = {
  fa: "finite automata",
  pda: "pushdown automata",
  mealy: "Mealy machines",
  moore: "Moore machines",
};

export function parseJflap(text, name) {
  const root = rootOf(text);
  const kind = textIn(root, "type").trim();
  if (root.tagName === "structure" && OTHER_TYPES[kind]) {
    throw new InputError(`${OTHER_TYPES[kind]} are not read; make a Turing machine of it in JFLAP`);
  }
  if (root.tagName !== "structure" || !TYPES.includes(kind))
    throw new InputError(
      `expected <structure> with <type>turing</type>, found <${root.tagName}> with ${shown(kind)}`,
    );
  const tapes = (textIn(root, "tapes") || "1").trim();
  if (tapes !== "1")
    throw new InputError(`expected one tape, found ${shown(tapes)}; several tapes are not supported`);
  const within = childIn(root, "automaton") ?? root;
  const states = statesIn(root, within);
  const starts = [...states.values()].filter(({ first }) => first);
  if (starts.length !== 1)
    throw new InputError(`expected one state marked <initial/>, found ${starts.length}`);
  const drawn = childrenIn(within, "transition").map((element, i) => transitionOf(i + 1, element, states));
  const mentioned = drawn.flatMap(charactersOf);
  const names = findSymbols(text, mentioned, "", BLANK);
  const symbols = names.alphabet?.map((symbol) => (symbol === names.blank ? "" : symbol)) ?? [
    ...new Set(["", ...mentioned]),
  ];
  const draft = new Draft("transition");
  for (const state of states.values()) {
    if (state.final) continue;
    const leaving = drawn.filter(({ source }) => source === state);
    for (const symbol of symbols) {
      const chosen = choose(leaving, symbol);
      if (chosen === null) continue;
      const { number, writes, motion, target } = chosen;
      const written = names.name(writes === ANY ? symbol : writes);
      draft.rule(number, state.name, names.name(symbol), written, motion, target.name);
    }
  }
  const finals = new Set([...states.values()].filter(({ final }) => final).map(({ name }) => name));
  return draft.machine({
    name,
    start: starts[0].name,
    symbols: { ...names, alphabet: symbols.map(names.name) },
    accepts: (state) => finals.has(state),
    stuck: stuckRejects(text, true),
  });
}

function rootOf(text) {
  if (/<!DOCTYPE/i.test(text))
    throw new InputError("expected XML without a document type and entities; remove them");
  if (!/^\s*</.test(text)) throw new InputError(`not XML: expected <, found ${shown(text.trim())}`);
  const parsed = new DOMParser().parseFromString(text, "application/xml");
  const problem = parsed.querySelector("parsererror");
  if (problem !== null) throw new InputError(`not XML: ${shown(problem.textContent.trim())}`);
  if (tooDeep(parsed.documentElement)) throw new InputError(`expected at most ${MOST_DEPTH} levels of XML`);
  return parsed.documentElement;
}

function tooDeep(root) {
  let layer = [root];
  for (let depth = 1; layer.length > 0; depth++) {
    if (depth > MOST_DEPTH) return true;
    layer = layer.flatMap((element) => [...element.children]);
  }
  return false;
}

const childrenIn = (element, tag) => [...element.children].filter((child) => child.tagName === tag);
const childIn = (element, tag) => childrenIn(element, tag)[0];
const textIn = (element, tag) => childIn(element, tag)?.textContent ?? "";

/** {name, first, final} by id, in the order of the file; JFLAP 6.4 and 7.1 call states blocks. */
function statesIn(root, within) {
  const inner = [root, within].flatMap((part) => [...part.children]).filter((part) => part !== within);
  const blocks = inner.filter((part) => childIn(part, "state") ?? childIn(part, "block"));
  const held = new Set(blocks.map(({ tagName }) => tagName));
  const [states, taken] = [new Map(), new Set()];
  for (const element of [...childrenIn(within, "state"), ...childrenIn(within, "block")]) {
    const [id, tag] = [element.getAttribute("id"), textIn(element, "tag").trim()];
    if (id === null || states.has(id))
      throw new InputError(`expected states with different ids, found the id ${shown(id)}`);
    if (held.has(tag) || tag.endsWith(".jff"))
      throw new InputError(`the building block ${shown(tag)} is not read; draw its states in its place`);
    const called = element.getAttribute("name") || `q${id}`;
    const name = taken.has(called) ? spareName(`${called}#${id}`, taken) : called;
    taken.add(name);
    const [first, final] = ["initial", "final"].map((mark) => childIn(element, mark) !== undefined);
    states.set(id, { name, first, final });
  }
  return states;
}

/** A name nobody uses yet: `wanted`, or with a number behind it. */
function spareName(wanted, taken) {
  let name = wanted;
  for (let number = 2; taken.has(name); number++) name = `${wanted}${number}`;
  return name;
}

/** The characters that a transition names. */
function charactersOf({ reads, writes }) {
  const read = reads.startsWith(BUT) ? reads.slice(1) : reads;
  return [read, writes].filter((character) => character !== ANY);
}

/** The transition for a symbol, of those that leave a state: `!x` comes after all others. */
function choose(leaving, symbol) {
  const all = leaving.filter(({ reads }) =>
    reads.startsWith(BUT) ? symbol !== reads.slice(1) : reads === ANY || reads === symbol,
  );
  const exact = all.filter(({ reads }) => !reads.startsWith(BUT));
  const found = exact.length > 0 ? exact : all;
  const does = ({ writes, motion, target }) =>
    JSON.stringify([writes === ANY ? symbol : writes, motion, target.name]);
  const other = found.find((each) => does(each) !== does(found[0]));
  if (other !== undefined)
    throw new InputError(
      `transition ${other.number}: state ${shown(other.source.name)} reading ${shown(symbol)} has a rule ` +
        `already, in transition ${found[0].number}; a machine here is deterministic, keep one`,
    );
  return found[0] ?? null;
}

function transitionOf(number, element, states) {
  let where = `transition ${number}`;
  const [source, target] = ["from", "to"].map((tag) => {
    const id = textIn(element, tag).trim();
    if (!states.has(id))
      throw new InputError(`${where}: expected the id of a state in <${tag}>, found ${shown(id)}`);
    return states.get(id);
  });
  where += `, from state ${shown(source.name)}`;
  // From block to block JFLAP asks for a symbol only: it is kept, and the head stays.
  const onlyReads = element.getAttribute("block") === "true";
  const reads = characterIn(element, "read", where);
  const writes = onlyReads ? ANY : characterIn(element, "write", where);
  if (width(writes) > 1)
    throw new InputError(`${where}: expected one character in <write>, found ${shown(writes)}`);
  const move = onlyReads ? "S" : textIn(element, "move").trim();
  if (!(move in MOVES))
    throw new InputError(
      `${where} reading ${shown(reads)}: expected the move L, R or S, found ${shown(move)}`,
    );
  return { number, source, reads, writes, motion: MOVES[move], target };
}

/** A character, "" for the blank, `~`, or `!` and one of these. */
function characterIn(element, tag, where) {
  const found = childrenIn(element, tag);
  if (found.length !== 1)
    throw new InputError(
      `${where}: expected one <${tag}>, found ${found.length}; several tapes are not supported`,
    );
  const text = found[0].textContent;
  const character = text === " " ? SPACE : text.trim().replaceAll(EMPTY, "");
  if (character.includes(VARIABLE))
    throw new InputError(
      `${where}: variables such as ${shown(character)} are not supported; write a transition for each symbol`,
    );
  const shorthand = character.startsWith(BUT) && (width(character) === 2 || text.trim() === BUT + EMPTY);
  if (!shorthand && (width(character) > 1 || character === BUT))
    throw new InputError(
      `${where}: expected one character, ~ or !x in <${tag}>, found ${shown(text.trim())}`,
    );
  return character;
}
