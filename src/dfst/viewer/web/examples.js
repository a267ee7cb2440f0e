// The worked examples of a lesson, and what was agreed on before them: the alphabet, where the head starts.
//
// They outlive a reload where the browser allows that.

import { encodeInput, InputError } from "./input.js";
import { BLANK, contradictions, readTraces, writeTraces } from "./traces.js";

const KEY = "dfst-examples";

export class Examples extends EventTarget {
  constructor() {
    super();
    this.past = [];
    this.forget();
    const kept = storage((store) => store.getItem(KEY));
    if (kept !== null) this.restore(kept);
  }

  /** Take away all of them; they can be brought back. */
  clear() {
    this.keep();
    this.forget();
    this.changed();
  }

  /** Remember how it stands, for one to come back to. */
  keep() {
    const { name, chosen, start, list } = this;
    this.past.push({ name, chosen, start, list: [...list] });
  }

  get canUndo() {
    return this.past.length > 0;
  }

  /** Bring back what was deleted or cleared last. */
  undo() {
    if (!this.canUndo) return;
    Object.assign(this, this.past.pop());
    this.changed();
  }

  forget() {
    this.name = "by hand";
    /** Symbols chosen in advance; none leaves them to be inferred. */
    this.chosen = [];
    this.start = "first";
    this.list = [];
    this.clashes = new Map();
  }

  restore(kept) {
    try {
      Object.assign(this, JSON.parse(kept));
      this.clashes = contradictions(this.list);
    } catch {
      this.forget();
    }
  }

  /** The symbols besides the blank: those chosen, else those met so far. */
  get alphabet() {
    if (this.chosen.length > 0) return this.chosen;
    const met = new Set();
    for (const { input, steps } of this.list) {
      for (const symbol of named(input)) met.add(symbol);
      for (const { read, wrote } of steps) met.add(read).add(wrote);
    }
    met.delete(BLANK);
    return [...met].sort();
  }

  /** Symbols from what a person types, parted by spaces, commas or nothing; "" infers them. */
  choose(text) {
    const names = /[\s,]/.test(text.trim()) ? text.trim().split(/[\s,]+/) : [...text.trim()];
    const unique = [...new Set(names)].filter((name) => name !== BLANK && name !== "_");
    const used = this.chosen.length === 0 && unique.length === 0 ? [] : this.used();
    const lacking = unique.length > 0 ? used.find((name) => !unique.includes(name)) : undefined;
    if (lacking !== undefined)
      throw new InputError(`the examples use '${lacking}'; keep it, or delete those examples first`);
    this.chosen = unique;
    this.changed();
  }

  used() {
    const chosen = this.chosen;
    this.chosen = [];
    const met = this.alphabet;
    this.chosen = chosen;
    return met;
  }

  /** {input, symbols, start} of a typed input, by the names of its symbols. */
  encode(text) {
    const input = text.trim();
    if (this.chosen.length === 0) {
      const symbols = named(input);
      return { input, symbols, start: this.start === "last" ? Math.max(0, symbols.length - 1) : 0 };
    }
    const alphabet = [...this.chosen, BLANK];
    const laid = { name: "the alphabet", alphabet, blank: alphabet.length - 1, layout: this.start };
    const { symbols, ...placed } = encodeInput(laid, input);
    return { input, symbols: symbols.map((i) => alphabet[i]), ...placed };
  }

  /** Whether a symbol may be written. */
  allows(symbol) {
    return symbol === BLANK || this.chosen.length === 0 || this.chosen.includes(symbol);
  }

  add(example) {
    this.list.push(example);
    this.changed();
  }

  remove(number) {
    this.keep();
    this.list.splice(number, 1);
    this.changed();
  }

  changed() {
    this.clashes = contradictions(this.list);
    const { name, chosen, start, list } = this;
    storage((store) => store.setItem(KEY, JSON.stringify({ name, chosen, start, list })));
    this.dispatchEvent(new Event("changed"));
  }

  /** All of it as a trace file. */
  asFile() {
    const { name, alphabet, start, list } = this;
    return writeTraces({ name, alphabet, start, examples: list });
  }

  /** Put the examples of a trace file in place of these. */
  load(text, file) {
    const { name, alphabet, start, examples } = readTraces(text, file);
    if (start !== "first" && start !== "last")
      throw new InputError(`${file}: by hand the head starts on the first or last cell, found '${start}'`);
    if (this.list.length > 0) this.keep();
    Object.assign(this, { name: name ?? "by hand", chosen: alphabet, start, list: examples });
    this.changed();
  }
}

/** The symbols of a text, one character each; a gap is blank. */
function named(text) {
  return Array.from(text, (character) => (/[_\sλ]/.test(character) ? BLANK : character));
}

/** Storage throws where cookies are blocked; the lesson works without it. */
function storage(action) {
  try {
    return action(localStorage);
  } catch {
    return null;
  }
}
