// What has been shown: a row for each state of a machine, a cell for each symbol, filled where examples use it.
//
// Before learning it is the smallest machine that explains the examples; afterwards, the learnt one.

import { element, readableSymbol } from "./dom.js";

const ARROWS = ["↑", "↓", "←", "→", "•"];
const HALT = -1;
const MISSING = -2;

/** `open`: rules that a short input is known to need, where that was looked for; others need not count. */
export function drawMeter(host, machine, learnt, open = null) {
  const { states, alphabet, uses } = machine;
  const k = alphabet.length;
  const shown = uses.filter((times) => times > 0).length;
  const all = open === null ? uses.length : shown + open.size;
  const sums = `${shown} of ${open === null && shown < all ? "at most " : ""}${all} shown`;
  const explained = learnt
    ? `The learnt machine has ${states.length} ${states.length === 1 ? "state" : "states"}.`
    : `The smallest machine found that does all this has ${states.length} ${states.length === 1 ? "state" : "states"}.`;
  const bar = element("meter", {
    min: "0",
    max: String(all),
    value: String(shown),
    "aria-label": `Shown: ${sums}`,
  });
  const head = element("tr", {}, [
    element("th", { scope: "col" }, ["state"]),
    ...alphabet.map((_, i) => element("th", { scope: "col" }, [readableSymbol(machine, i)])),
  ]);
  const rows = states.map((state, q) =>
    element("tr", {}, [
      element("th", { scope: "row" }, [state]),
      ...alphabet.map((_, i) => cell(machine, q * k + i, i)),
    ]),
  );
  host.replaceChildren(
    element("h2", {}, ["What they show"]),
    element("p", { class: "soft" }, [`${explained} `, bar, ` ${sums}`]),
    element("table", { class: "meter" }, [element("thead", {}, [head]), element("tbody", {}, rows)]),
  );
}

function cell(machine, rule, symbol) {
  const { states, write, motion, next, uses } = machine;
  if (uses[rule] === 0)
    return element("td", { class: "unshown", title: "No example shows this" }, [
      next[rule] === MISSING ? "?" : "(?)",
    ]);
  const wrote = write[rule] === symbol ? "" : readableSymbol(machine, write[rule]);
  const goes = next[rule] === HALT ? "■" : `${ARROWS[motion[rule]]} ${states[next[rule]]}`;
  const times = uses[rule];
  return element("td", { title: `Shown ${times} ${times === 1 ? "time" : "times"}` }, [
    `${wrote} ${goes}`,
    element("small", {}, [`×${times}`]),
  ]);
}
