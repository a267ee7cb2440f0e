// JFLAP's .jff files: the twin of machines/formats/jflap.py, by the browser's own reader of XML.

import { findSymbols, L, R, S, shown, stuckRejects, width } from "./format_draft.js";
import { InputError } from "./input.js";
import { ANY, BUT, charactersOf, flatten, spareName } from "./format_jflap_blocks.js";

const TYPES = ["turing", "turing machine", "turingbb"];
const MOVES = { L, R, S };
const [BLANK, SPACE, EMPTY, VARIABLE] = ["λ", "␣", "□", "}"];
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
  const reader = new Reader(root);
  const machine = reader.level(childIn(root, "automaton") ?? root);
  const drawn = [...reader.levels.values()].flatMap(({ transitions }) => transitions);
  const mentioned = drawn.flatMap(charactersOf);
  const names = findSymbols(text, mentioned, "", BLANK);
  const symbols = names.alphabet?.map((symbol) => (symbol === names.blank ? "" : symbol)) ?? [
    ...new Set(["", ...mentioned]),
  ];
  const { draft, start, finals } = flatten(machine, symbols, names);
  return draft.machine({
    name,
    start,
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

/** Reads levels, each drawing once, however many blocks hold it; a drawing is found by its tag. */
class Reader {
  constructor(root) {
    this.root = root;
    this.levels = new Map();
  }

  /** The machine drawn in an element; `name`: how messages tell where it is. */
  level(within, around = [], name = "") {
    if (this.levels.has(within)) return this.levels.get(within);
    const path = [within, ...around];
    const states = new Map();
    const starts = [];
    const taken = new Set();
    for (const [id, element] of elementsIn(within)) {
      const called = element.getAttribute("name") || `q${id}`;
      const own = taken.has(called) ? spareName(`${called}#${id}`, taken) : called;
      taken.add(own);
      const final = childIn(element, "final") !== undefined;
      states.set(id, { name: own, final, inside: this.inside(element, path) });
      if (childIn(element, "initial") !== undefined) starts.push(id);
    }
    if (starts.length !== 1)
      throw new InputError(`expected one state marked <initial/>${name}, found ${starts.length}`);
    const transitions = childrenIn(within, "transition").map((element, i) =>
      transitionOf(i + 1, element, states, name),
    );
    const level = { name, first: starts[0], states, transitions };
    this.levels.set(within, level);
    return level;
  }

  /** The machine that a state holds, if it is a building block; else null. */
  inside(element, around) {
    const tag = textIn(element, "tag").trim();
    if (tag === "") return null;
    if (around.length > MOST_DEPTH)
      throw new InputError(`expected building blocks in at most ${MOST_DEPTH} others`);
    const places = [...around, this.root].flatMap((within) => childrenIn(within, tag));
    const held = places.find((place) => childIn(place, "state") ?? childIn(place, "block"));
    if (held === undefined) {
      if (places.length === 0 && tag.endsWith(".jff"))
        throw new InputError(
          `the building block ${shown(tag)} is in a file of its own; save the machine again with ` +
            "JFLAP 7, which puts blocks into the file",
        );
      return null;
    }
    if (around.includes(held))
      throw new InputError(`the building block ${shown(tag)} holds itself; take it out`);
    return this.level(held, around, ` of the building block ${shown(tag)}`);
  }
}

/** The states by id, in the order of the file. */
function elementsIn(within) {
  const states = new Map();
  for (const element of [...childrenIn(within, "state"), ...childrenIn(within, "block")]) {
    const id = element.getAttribute("id");
    if (id === null || states.has(id))
      throw new InputError(`expected states with different ids, found the id ${shown(id)}`);
    states.set(id, element);
  }
  return states;
}

function transitionOf(number, element, states, level) {
  let where = `transition ${number}${level}`;
  const [source, target] = ["from", "to"].map((tag) => {
    const id = textIn(element, tag).trim();
    if (!states.has(id))
      throw new InputError(`${where}: expected the id of a state in <${tag}>, found ${shown(id)}`);
    return id;
  });
  where += `, from state ${shown(states.get(source).name)}`;
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
