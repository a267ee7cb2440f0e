// The board that a person works on: keys on it, a keypad below it, a line that says what can be done.
//
// An arrow moves; a symbol and then an arrow write and move; Enter halts, Backspace takes back. Keys work
// while the board has the focus, and nobody else gets to see them then.

import { Board } from "./board.js";
import { Desk } from "./desk.js";
import { counted, element } from "./dom.js";
import { readAnswer } from "./grid.js";
import { InputError } from "./input.js";
import { steerWith } from "./steer.js";
import { BLANK, contradictions } from "./traces.js";
import { spelt } from "./words.js";

const ARROWS = { ArrowUp: "U", ArrowDown: "D", ArrowLeft: "L", ArrowRight: "R" };
const BLANK_KEYS = new Set([" ", "Delete", "_", BLANK]);
const GLIDE_MS = 160;
const REPLAY_MS = 220;
const LONGEST_REPLAY_MS = 6000;

export class HandBoard extends EventTarget {
  /** Tells "worked" when an example has come to its end, "problem" when a key cannot be taken. */
  constructor(host, examples) {
    super();
    this.examples = examples;
    this.desk = new Desk();
    this.working = false;
    this.canvas = element("canvas", {
      class: "board",
      role: "application",
      tabindex: "0",
      "aria-label": "Your board",
      "aria-describedby": "hand-said",
    });
    this.said = element("p", { id: "hand-said", class: "sentence", role: "status" });
    this.keypad = element("div", { class: "keypad", role: "group", "aria-label": "Keypad" });
    host.replaceChildren(element("div", { class: "frame" }, [this.canvas]), this.keypad, this.said);
    this.board = new Board(this.canvas, (desk) => label(desk));
    this.board.show(this.desk);
    steerWith(this.board, () => this.redraw());
    new ResizeObserver(() => {
      this.board.resize();
      this.redraw();
    }).observe(this.canvas);
    this.canvas.addEventListener("keydown", (event) => this.key(event));
    examples.addEventListener("changed", () => this.refresh());
    this.refresh();
  }

  /** Lay an input on the board and wait for the first step. */
  begin(text) {
    this.halt();
    this.desk.lay(this.examples.encode(text));
    this.working = true;
    this.show();
    this.canvas.focus();
  }

  /** An example up to a step, to look at or to work on from there. */
  open(example, until, working) {
    this.halt();
    this.desk.load(example, laid(this.examples, example), until);
    this.working = working;
    this.show();
    if (working) this.canvas.focus();
  }

  replay(example) {
    this.open(example, 0, false);
    let at = 0;
    const pace = Math.min(REPLAY_MS, LONGEST_REPLAY_MS / example.steps.length);
    this.timer = setInterval(() => {
      const { moved, wrote } = example.steps[at++];
      this.glide();
      this.desk.act(moved, wrote);
      this.refresh();
      if (at === example.steps.length) this.halt();
    }, pace);
  }

  halt() {
    clearInterval(this.timer);
  }

  show() {
    this.board.show(this.desk);
    this.refresh();
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.working) return;
    const { key } = event;
    if (key in ARROWS) this.act(ARROWS[key]);
    else if (key === "Enter") this.act("S");
    else if (key === "Backspace") this.undo();
    else if (BLANK_KEYS.has(key)) this.choose(BLANK);
    else if ([...key].length === 1) this.choose(key);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  choose(symbol) {
    if (!this.examples.allows(symbol)) {
      const known = this.examples.chosen.join(" ");
      this.complain(new InputError(`'${symbol}' is not in the alphabet ${known}; add it there first`));
      return;
    }
    this.desk.pending = this.desk.pending === symbol ? null : symbol;
    this.refresh();
  }

  act(moved) {
    if (!this.working || this.desk.view.halted) return;
    this.glide();
    this.desk.act(moved);
    this.complain(this.contradiction());
    if (moved === "S") {
      this.working = false;
      const { input, steps } = this.desk;
      this.examples.add({ input, steps: [...steps] });
      this.dispatchEvent(new Event("worked"));
    }
    this.refresh();
  }

  /** Told at once where the step just taken contradicts an example; null where it does not. */
  contradiction() {
    const { list } = this.examples;
    const { input, steps } = this.desk;
    const clash = contradictions([...list, { input, steps }]).get(list.length);
    if (clash === undefined || clash.step !== steps.length - 1) return null;
    return new InputError(
      `Step ${steps.length} contradicts example ${clash.other + 1}, which acts otherwise after the same symbols. ` +
        "Undo it, or delete that example.",
    );
  }

  undo() {
    if (!this.working) return;
    this.glide();
    this.desk.undo();
    this.complain(null);
    this.refresh();
  }

  complain(error) {
    this.dispatchEvent(new CustomEvent("problem", { detail: error }));
  }

  glide() {
    if (window.matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    this.board.glideFrom(performance.now(), GLIDE_MS);
  }

  refresh() {
    this.said.textContent = this.sentence();
    const written = readAnswer(this.desk.view.grid, this.desk.subject.alphabet, true);
    this.canvas.setAttribute("aria-label", `Your board, head on ${spoken(this.desk.read)}, ${spelt(written)}`);
    const symbols = [...new Set([...this.examples.alphabet, ...this.desk.subject.alphabet.slice(1)])].sort();
    this.drawKeypad([...symbols, BLANK]);
    this.redraw();
  }

  sentence() {
    const { desk } = this;
    if (desk.view.halted) return `Halted after ${counted(desk.step, "step")}.`;
    if (!this.working) return "Type an input above and lay it out; then work it here, as you would on paper.";
    if (desk.pending !== null)
      return `Writes ${spoken(desk.pending)}: now an arrow to move, or Enter to halt. Backspace takes it back.`;
    return `The head reads ${spoken(desk.read)}. An arrow moves, a symbol writes first, Enter halts, Backspace undoes.`;
  }

  drawKeypad(symbols) {
    const button = (text, name, act, pressed) => {
      const node = element("button", { type: "button", "aria-label": name, title: name }, [text]);
      if (pressed !== undefined) node.setAttribute("aria-pressed", String(pressed));
      node.disabled = !this.working;
      node.addEventListener("click", act);
      return node;
    };
    const group = (name, children) => element("span", { class: name }, children);
    const focused = this.keypad.contains(document.activeElement)
      ? document.activeElement.getAttribute("aria-label")
      : null;
    this.keypad.replaceChildren(
      group(
        "symbols",
        symbols.map((symbol) =>
          button(symbol, `Write ${spoken(symbol)}`, () => this.choose(symbol), this.desk.pending === symbol),
        ),
      ),
      group("arrows", [
        button("←", "Move left", () => this.act("L")),
        button("↑", "Move up", () => this.act("U")),
        button("↓", "Move down", () => this.act("D")),
        button("→", "Move right", () => this.act("R")),
      ]),
      group("ends", [button("Halt", "Halt", () => this.act("S")), button("Undo", "Undo", () => this.undo())]),
    );
    if (focused !== null)
      [...this.keypad.querySelectorAll("button")].find((node) => node.ariaLabel === focused)?.focus();
  }

  redraw() {
    if (this.frame !== undefined) return;
    this.frame = requestAnimationFrame((time) => {
      this.frame = undefined;
      if (this.board.draw(time)) this.redraw();
    });
  }
}

function label(desk) {
  if (desk.view.halted) return "halt";
  return desk.pending === null ? "" : `write ${desk.pending}`;
}

function spoken(symbol) {
  return symbol === BLANK ? "blank" : symbol;
}

/** The symbols of an example's input and where its head starts; nothing, where its alphabet is another's. */
function laid(examples, { input }) {
  try {
    return examples.encode(input);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return { symbols: [], start: 0 };
  }
}
