// The control unit of a machine: its rules as a table, the one that fired lit up.
//
// Rules of a state that do the same for several symbols share a row. A very large machine shows only the
// rules of the state at hand. A small one can be looked at as a graph instead.

import { counted, element, readableSymbol } from "./dom.js";
import { GraphView } from "./graph.js";
import { machineGraph } from "./machine_graph.js";

const ARROWS = ["↑", "↓", "←", "→", "stop", "stay"];
const MOST_ROWS = 1600;
const MISSING_RULE = -2;
/** States of a machine that is shown as a graph unless one asks for its rules. */
const MOST_DRAWN = 12;

export class TablePanel {
  /** `view` is "graph", "rules", or "suited": a graph where it is small; `choose(view)` is told of a change. */
  constructor(host, subject, view, choose) {
    this.subject = subject;
    this.rowOf = new Map();
    this.lit = null;
    this.stateShown = -1;
    this.body = element("tbody");
    this.scroller = element("div", { class: "rules", tabindex: "0", role: "region", "aria-label": "Rules" }, [
      element("table", {}, [
        element("thead", {}, [
          element(
            "tr",
            {},
            ["state", "reads", "writes", "moves", "then"].map((t) => element("th", { scope: "col" }, [t])),
          ),
        ]),
        this.body,
      ]),
    ]);
    this.summary = element("p", { class: "unit-line" });
    this.picture = element("div", { class: "picture", tabindex: "0", role: "region", "aria-label": "Graph" });
    const graph = machineGraph(subject);
    this.graph = graph === null ? null : new GraphView(this.picture, graph);
    this.switch = element("button", { type: "button", class: "switch" });
    this.switch.addEventListener("click", () => choose(this.view === "graph" ? "rules" : "graph"));
    host.replaceChildren(this.summary, this.scroller, this.picture);
    this.show(view);
    this.partial = subject.states.length * subject.alphabet.length > MOST_ROWS;
    if (!this.partial) subject.states.forEach((_, state) => this.addState(state));
  }

  show(view) {
    const suited = this.subject.states.length <= MOST_DRAWN ? "graph" : "rules";
    this.view = this.graph === null ? "rules" : view === "suited" ? suited : view;
    this.scroller.hidden = this.view === "graph";
    this.picture.hidden = this.view !== "graph";
    this.switch.textContent = this.view === "graph" ? "Rules" : "Graph";
    this.switch.hidden = this.graph === null;
  }

  addState(state) {
    const { subject } = this;
    const k = subject.alphabet.length;
    const groups = new Map();
    for (let symbol = 0; symbol < k; symbol++) {
      const rule = state * k + symbol;
      const next = subject.next[rule];
      if (next === MISSING_RULE) continue;
      const written = subject.write[rule] === symbol ? "·" : readableSymbol(subject, subject.write[rule]);
      const motion = subject.motion[rule];
      const moves = next === -1 && motion === 4 ? "—" : ARROWS[motion === 4 ? 5 : motion];
      const end = subject.ends.length > 0 ? subject.ends[subject.end[rule]][0] : "halt";
      const then = next === -1 ? end : next === state ? "" : subject.states[next];
      const key = [written, moves, then].join("\u0000");
      if (!groups.has(key)) groups.set(key, { symbols: [], cells: [written, moves, then] });
      groups.get(key).symbols.push(symbol);
    }
    let first = true;
    for (const { symbols, cells } of groups.values()) {
      const row = element("tr", {}, [
        element("th", { scope: "row" }, [subject.states[state]]),
        element("td", {}, [ranges(subject, symbols)]),
        ...cells.map((text) => element("td", {}, [text])),
      ]);
      if (first) row.classList.add("opens");
      first = false;
      for (const symbol of symbols) this.rowOf.set(state * k + symbol, row);
      this.body.append(row);
    }
  }

  update(timeline) {
    const { subject } = this;
    const { last, view } = timeline;
    const k = subject.alphabet.length;
    const state = last === null ? 0 : last.unit;
    this.summary.replaceChildren(
      element("span", { class: "pill" }, [subject.states[view.unit.state]]),
      ` ${counted(subject.states.length, "state")}, ${counted(this.countRules(), "rule")} `,
      this.switch,
    );
    if (this.view === "graph") {
      this.graph.update(last === null ? null : last.unit, view.unit.state, view.halted);
      return;
    }
    if (this.partial && state !== this.stateShown) {
      this.body.replaceChildren();
      this.rowOf.clear();
      this.addState(state);
      this.stateShown = state;
    }
    this.lit?.classList.remove("fired");
    this.lit = last === null ? null : (this.rowOf.get(last.unit * k + last.read) ?? null);
    if (this.lit !== null) {
      this.lit.classList.add("fired");
      this.scrollTo(this.lit);
    }
  }

  countRules() {
    this.rules ??= this.subject.next.reduce((sum, next) => sum + (next !== MISSING_RULE), 0);
    return this.rules;
  }

  /** Like scrollIntoView, but never moves the page itself. */
  scrollTo(row) {
    const box = this.scroller;
    const head = 30;
    const above = row.offsetTop - head;
    const below = row.offsetTop + row.offsetHeight;
    if (above < box.scrollTop || below > box.scrollTop + box.clientHeight) {
      box.scrollTop = Math.max(0, above - box.clientHeight / 3);
    }
  }
}

/** Symbols as text, neighbours in the alphabet as a range: 0–9, λ. */
function ranges(subject, symbols) {
  const parts = [];
  for (let i = 0; i < symbols.length;) {
    let j = i;
    const digit = (s) => s !== subject.blank && /^[0-9a-z]$/.test(subject.alphabet[s]);
    while (
      j + 1 < symbols.length &&
      symbols[j + 1] === symbols[j] + 1 &&
      digit(symbols[i]) &&
      digit(symbols[j + 1])
    )
      j++;
    const text = (s) => readableSymbol(subject, s);
    if (j - i >= 2) parts.push(`${text(symbols[i])}–${text(symbols[j])}`);
    else for (let n = i; n <= j; n++) parts.push(text(symbols[n]));
    i = j + 1;
  }
  return parts.join(" ");
}
