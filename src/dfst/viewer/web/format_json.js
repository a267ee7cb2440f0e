// Our own JSON, everything a machine is: the twin of machines/formats/json_format.py.

import { HALT, numbered, shown, table } from "./format_draft.js";
import { MOTION_NAMES } from "./grid.js";
import { checkStart, InputError } from "./input.js";

const VERSION = "dfst-machine/1";
const MOTIONS = MOTION_NAMES.slice(0, 5);
const LAYOUTS = ["first", "last", "operator"];

/** The machine in a text. `taskCalled(name)` finds {task, alphabet, layout, samples} of a task. */
export async function parseMachineJson(text, name, taskCalled) {
  const given = load(text);
  if (given.format !== VERSION)
    throw new InputError(`expected "format": ${shown(VERSION)}, found ${shown(given.format)}`);
  const [alphabet, states] = ["alphabet", "states"].map((key) => names(given, key));
  const symbolOf = numbered(alphabet);
  const stateOf = numbered(states);
  if (!symbolOf.has(given.blank))
    throw new InputError(`expected a blank out of the alphabet, found ${shown(given.blank)}`);
  const ends = endsOf(given);
  const seen = new Set();
  const rules = list(given, "rules").map((row, i) => {
    const rule = ruleOf(i + 1, row, symbolOf, stateOf, ends);
    const at = `${rule.state} ${rule.symbol}`;
    if (seen.has(at))
      throw new InputError(
        `rule ${i + 1}: a second one for state ${shown(row[0])} reading ${shown(row[1])}; keep one`,
      );
    seen.add(at);
    return rule;
  });
  const layout = given.start ?? "first";
  if (!LAYOUTS.includes(layout))
    throw new InputError(`expected start to be first, last or operator, found ${shown(layout)}`);
  const stuck = given.stuck ?? "error";
  if (stuck !== "rejects" && stuck !== "error")
    throw new InputError(`expected stuck to be rejects or error, found ${shown(stuck)}`);
  const machine = table({
    name: String(given.name ?? name),
    alphabet,
    states,
    blank: symbolOf.get(given.blank),
    rules,
    samples: given.inputs === undefined ? [] : names(given, "inputs"),
    stuck: stuck === "rejects",
    layout,
    source: String(given.source ?? ""),
  });
  if (given.task == null) checkStart(machine.name, layout);
  return given.task == null ? machine : withTask(machine, given.start, await taskCalled(given.task));
}

function withTask(machine, start, { task, alphabet, layout, samples }) {
  if (alphabet.join(" ") !== machine.alphabet.join(" "))
    throw new InputError(`expected a task whose alphabet is this machine's, found ${shown(task.name)}`);
  if (start !== undefined && start !== layout)
    throw new InputError(`expected start to be ${layout}, as ${task.name} has it, found ${shown(start)}`);
  return {
    ...machine,
    layout,
    task,
    origin: "expert",
    samples: machine.samples.length > 0 ? machine.samples : samples,
  };
}

function load(text) {
  let value;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new InputError(`not JSON: ${error.message}`);
  }
  if (value === null || typeof value !== "object" || Array.isArray(value))
    throw new InputError("expected an object with the keys format, alphabet, states and rules");
  return value;
}

function list(given, key) {
  if (!Array.isArray(given[key]))
    throw new InputError(`expected a list of ${key}, found ${shown(given[key])}`);
  return given[key];
}

function names(given, key) {
  const other = list(given, key).find((name) => typeof name !== "string");
  if (other !== undefined) throw new InputError(`expected strings in ${key}, found ${shown(other)}`);
  return given[key];
}

/** The ends by name, with what each says; null where they have no names. */
function endsOf({ ends = {} }) {
  const object = ends !== null && typeof ends === "object" && !Array.isArray(ends);
  if (!object || !Object.values(ends).every((value) => value === null || typeof value === "boolean"))
    throw new InputError(`expected ends with true, false or null each, found ${shown(JSON.stringify(ends))}`);
  const found = new Map(Object.entries(ends));
  return found.size > 0 ? found : null;
}

function ruleOf(number, row, symbolOf, stateOf, ends) {
  if (!Array.isArray(row) || row.length !== 5 || row.slice(0, 4).some((each) => typeof each !== "string"))
    throw new InputError(
      `rule ${number}: expected [state, read, write, motion, next state], found ${shown(JSON.stringify(row))}`,
    );
  const [state, read, write, motion, to] = row;
  const where = `rule ${number}, state ${shown(state)} reading ${shown(read)}`;
  for (const [value, known, kind] of [
    [state, stateOf, "state"],
    [read, symbolOf, "symbol"],
    [write, symbolOf, "symbol"],
  ])
    if (!known.has(value))
      throw new InputError(`${where}: expected a declared ${kind}, found ${shown(value)}`);
  if (!MOTIONS.includes(motion))
    throw new InputError(`${where}: expected a motion U, D, L, R or S, found ${shown(motion)}`);
  const halts = ends === null ? to === null : ends.has(to);
  if (!halts && !stateOf.has(to))
    throw new InputError(
      `${where}: expected a declared state or ${ends === null ? "null to halt" : "an end"}, found ${shown(to)}`,
    );
  return {
    state: stateOf.get(state),
    symbol: symbolOf.get(read),
    write: symbolOf.get(write),
    motion: MOTIONS.indexOf(motion),
    next: halts ? HALT : stateOf.get(to),
    end: halts && ends !== null ? [to, ends.get(to)] : undefined,
  };
}
