// JFLAP's machines within machines, as one table: the twin of machines/formats/jflap_blocks.py.
//
// A level is {name, first, states, transitions}; states are a Map by id of {name, final, inside}, transitions
// {number, source, reads, writes, motion, target}. A place is the path to a state, the innermost level first.

import { Draft, shown } from "./format_draft.js";
import { InputError } from "./input.js";

export const ANY = "~";
export const BUT = "!";
const MOST_PLACES = 20_000;

/** A name nobody uses yet: `wanted`, or with a number behind it. */
export function spareName(wanted, taken) {
  let name = wanted;
  for (let number = 2; taken.has(name); number++) name = `${wanted}${number}`;
  return name;
}

/** The characters that a transition names. */
export function charactersOf({ reads, writes }) {
  const read = reads.startsWith(BUT) ? reads.slice(1) : reads;
  return [read, writes].filter((character) => character !== ANY);
}

/** {draft, start, finals}: the rules of every place, the name of the first, and the names that are final. */
export function flatten(machine, symbols, names) {
  const [called, taken, every] = [new Map(), new Set(), []];
  for (const place of placesOf(machine)) {
    every.push(place);
    if (every.length > MOST_PLACES)
      throw new InputError(`expected at most ${MOST_PLACES} states, with building blocks written out`);
  }
  for (const place of every) {
    const name = spareName([...place].reverse().map(nameIn).join("/"), taken);
    called.set(keyOf(place), name);
    taken.add(name);
  }
  const nameOf = (place) => called.get(keyOf(place));
  const draft = new Draft("transition");
  for (const place of every) {
    if (isFinal(place)) continue;
    for (const symbol of symbols) {
      const step = stepFrom(place, symbol);
      if (step === null) continue;
      const { number, writes, motion } = step.transition;
      const written = writes === ANY ? symbol : writes;
      draft.rule(number, nameOf(place), names.name(symbol), names.name(written), motion, nameOf(step.target));
    }
  }
  const finals = new Set(every.filter(isFinal).map(nameOf));
  return { draft, start: nameOf(enter(machine, machine.first)), finals };
}

const stateIn = ({ level, id }) => level.states.get(id);
const nameIn = (part) => stateIn(part).name;
const keyOf = (place) => JSON.stringify(place.map(({ id }) => id));
const isFinal = (place) => stateIn(place.at(-1)).final;
const isPlace = (state, around) => state.inside === null || (state.final && around.length === 0);

/** Where one stands after going to a state: in a block, on its first state, unless that is the end. */
function enter(level, id, around = []) {
  const [state, path] = [level.states.get(id), [{ level, id }, ...around]];
  return isPlace(state, around) ? path : enter(state.inside, state.inside.first, path);
}

/** Every place one can stand on, in the order of the file. */
function* placesOf(level, around = []) {
  for (const [id, state] of level.states) {
    const path = [{ level, id }, ...around];
    if (isPlace(state, around)) yield path;
    else yield* placesOf(state.inside, path);
  }
}

/** The transition from a place, looked for outwards, and where it leads; null where there is none. */
function stepFrom(place, symbol) {
  for (const [depth, { level, id }] of place.entries()) {
    const transition = choose(level, id, symbol);
    if (transition !== null)
      return { transition, target: enter(level, transition.target, place.slice(depth + 1)) };
  }
  return null;
}

function choose(level, id, symbol) {
  const matches = ({ source, reads }) =>
    source === id && (reads.startsWith(BUT) ? symbol !== reads.slice(1) : reads === ANY || reads === symbol);
  const all = level.transitions.filter(matches);
  const exact = all.filter(({ reads }) => !reads.startsWith(BUT));
  const found = exact.length > 0 ? exact : all;
  const does = ({ writes, motion, target }) =>
    JSON.stringify([writes === ANY ? symbol : writes, motion, target]);
  const other = found.find((each) => does(each) !== does(found[0]));
  if (other !== undefined)
    throw new InputError(
      `transition ${other.number}${level.name}: state ${shown(level.states.get(id).name)} reading ` +
        `${shown(symbol)} has a rule already, in transition ${found[0].number}; ` +
        "a machine here is deterministic, keep one",
    );
  return found[0] ?? null;
}
