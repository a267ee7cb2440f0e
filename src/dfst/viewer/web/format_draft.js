// A machine while it is being read, and the table it ends as: the twin of machines/formats/draft.py.
//
// A state that has no rule at all is an end: a rule that leads to it halts. A comment may declare the alphabet
// (`dfst blank λ alphabet: 0 1 λ`) and what it is to meet a missing rule (`dfst stuck rejects`).

import { acceptsByName } from "./format_ends.js";
import { InputError } from "./input.js";

export const HALT = -1;
export const MISSING = -2;
/** What our writers call an end that has no name and says nothing. */
export const HALTED = "halt";
/** The motions of grid.js that a rule may have. */
export const U = 0;
export const D = 1;
export const L = 2;
export const R = 3;
export const S = 4;

const STEPS_AHEAD = 2_000_000;
const MOST = { symbols: 255, states: 100_000 };
/** States times symbols: a file of a few kilobytes must not ask for gigabytes. */
const MOST_RULES = 4_000_000;
const DECLARED = /dfst blank (\S+) alphabet: ([^\n]*?)[ \t]*(?:-->|$)/m;

/** What a message quotes: on one line, not too long. */
export function shown(text) {
  const quoted = `'${String(text).replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll("\r", "\\r")}'`;
  return quoted.length <= 42 ? quoted : `${quoted.slice(0, 40)}…'`;
}

export function atLine(line, problem) {
  return new InputError(`line ${line}: ${problem}`);
}

/** How many characters a text has, as people count them. */
export function width(text) {
  return [...text].length;
}

/** How a file's symbols are called: {blank, writtenAs, alphabet or null, name(written)}. */
export function findSymbols(text, mentioned, writtenAs, usual) {
  const others = new Set(mentioned);
  others.delete(writtenAs);
  const declared = DECLARED.exec(text);
  if (declared !== null && others.has(declared[1]))
    throw new InputError(`the symbol ${shown(declared[1])} is declared the blank and used besides it`);
  const blank = declared?.[1] ?? (others.has(usual) ? writtenAs : usual);
  const alphabet = declared === null ? null : declared[2].split(/\s+/).filter((name) => name !== "");
  return { blank, writtenAs, alphabet, name: (written) => (written === writtenAs ? blank : written) };
}

/** Whether to meet a missing rule is to reject the input: as a comment says, or as the format has it. */
export function stuckRejects(text, usual) {
  if (text.includes("dfst stuck rejects")) return true;
  return text.includes("dfst stuck is an error") ? false : usual;
}

export class Draft {
  /** `place`: what the numbers given with the rules count in the file. */
  constructor(place = "line") {
    this.place = place;
    this.rules = new Map();
    this.states = new Set();
    this.symbols = new Set();
  }

  has(state, symbol) {
    return this.rules.has(JSON.stringify([state, symbol]));
  }

  rule(line, state, symbol, write, motion, to) {
    const key = JSON.stringify([state, symbol]);
    const before = this.rules.get(key);
    if (before !== undefined)
      throw new InputError(
        `${this.place} ${line}: state ${shown(state)} reading ${shown(symbol)} has a rule already, ` +
          `in ${this.place} ${before.line}; a machine here is deterministic, keep one`,
      );
    this.rules.set(key, { line, state, symbol, write, motion, to });
    this.states.add(state);
    this.symbols.add(symbol).add(write);
  }

  /**
   * The table; the start state first, the others in the order of their first rules.
   * `entered`: states that do not halt, even if they have no rule.
   */
  machine({ name, start, symbols, samples = [], accepts = acceptsByName, stuck, entered = [] }) {
    if (!this.states.has(start))
      throw new InputError(`the start state ${shown(start)} has no rule; give it one`);
    const { blank } = symbols;
    const states = [...new Set([start, ...this.states, ...entered])];
    const alphabet = symbols.alphabet ?? [...new Set([blank, ...this.symbols])];
    const [stateOf, symbolOf] = [numbered(states), numbered(alphabet)];
    const unknown = [blank, ...this.symbols].find((symbol) => !symbolOf.has(symbol));
    if (unknown !== undefined)
      throw new InputError(`the declared alphabet lacks ${shown(unknown)}, which the machine uses`);
    let rules = [...this.rules.values()].map(({ state, symbol, write, motion, to }) => ({
      state: stateOf.get(state),
      symbol: symbolOf.get(symbol),
      write: symbolOf.get(write),
      motion,
      next: stateOf.get(to) ?? HALT,
      end: stateOf.has(to) ? undefined : [to, accepts(to)],
    }));
    const ends = rules.filter(({ end }) => end !== undefined).map(({ end }) => end);
    if (ends.every(([end, accepting]) => end === HALTED && accepting === null))
      rules = rules.map((rule) => ({ ...rule, end: undefined }));
    return table({ name, alphabet, states, blank: symbolOf.get(blank), rules, samples, stuck });
  }
}

export function numbered(names) {
  return new Map(names.map((name, i) => [name, i]));
}

/** A machine as the page knows them; rules are {state, symbol, write, motion, next, end} by number. */
export function table({ name, alphabet, states, blank, rules, samples = [], stuck = false, ...more }) {
  for (const [kind, names] of Object.entries({ symbols: alphabet, states })) {
    if (names.length < 1 || names.length > MOST[kind])
      throw new InputError(`expected 1 to ${MOST[kind]} ${kind}, found ${names.length}`);
    const twice = names.find((each, i) => names.indexOf(each) < i);
    if (twice !== undefined)
      throw new InputError(`${shown(twice)} is declared twice among the ${kind}; use each name once`);
    const broken = names.find((each) => /[\ud800-\udfff]/u.test(each));
    if (broken !== undefined)
      throw new InputError(`expected characters of Unicode in ${kind}, found half of one`);
  }
  const k = alphabet.length;
  const size = states.length * k;
  if (size > MOST_RULES)
    throw new InputError(`expected states × symbols up to ${MOST_RULES}, found ${states.length} × ${k}`);
  const [write, motion, next] = [0, S, MISSING].map((value) => Array(size).fill(value));
  const end = Array(size).fill(0);
  const ends = new Map();
  for (const rule of rules) {
    const at = rule.state * k + rule.symbol;
    [write[at], motion[at], next[at]] = [rule.write, rule.motion, rule.next];
    if (rule.end === undefined) continue;
    const key = JSON.stringify(rule.end);
    if (!ends.has(key)) ends.set(key, { number: ends.size, end: rule.end });
    end[at] = ends.get(key).number;
  }
  const named = [...ends.values()].map((each) => each.end);
  const clash = named.find(
    ([each], i) => states.includes(each) || named.findIndex(([other]) => other === each) < i,
  );
  if (clash !== undefined)
    throw new InputError(`the end ${shown(clash[0])} is declared twice; use each name once`);
  return {
    name,
    title: name,
    alphabet,
    blank,
    layout: "first",
    task: null,
    kind: "table",
    origin: "machine",
    limit: STEPS_AHEAD,
    states,
    write,
    motion,
    next,
    ends: named,
    end: named.length > 0 ? end : [],
    stuck_rejects: stuck,
    samples,
    source: "",
    ...more,
  };
}
