// The plain part of YAML as a tree of nodes, never as values: the twin of machines/formats/yaml_tree.py.
//
// Mappings by indentation, braces and brackets, plain and quoted words, `|` texts, comments: what people write
// machines in. The rest of YAML (anchors, tags, words over several lines, …) is named and left to Python.

import { atLine, shown } from "./format_draft.js";
import { InputError } from "./input.js";

const MOST_CHARACTERS = 500_000;
const MOST_DEPTH = 16;
const LONGEST_KEY = 1024;
const ESCAPES = {
  0: 0,
  a: 7,
  b: 8,
  t: 9,
  n: 10,
  v: 11,
  f: 12,
  r: 13,
  e: 27,
  N: 0x85,
  _: 0xa0,
  L: 0x2028,
  P: 0x2029,
};
const CODED = { x: 2, u: 4, U: 8 };

/** A scalar's text, a sequence's items, or a mapping's keys and values in turn. */
class Node {
  constructor(kind, line, { text = "", plain = false, items = [] } = {}) {
    Object.assign(this, { kind, line, text, plain, items });
  }

  /** Whether nothing stands there: null, or no pairs. */
  get isEmpty() {
    if (this.kind === "scalar") return this.plain && ["", "~", "null"].includes(this.text);
    return this.kind === "mapping" && this.items.length === 0;
  }

  pairs(what) {
    if (this.kind !== "mapping")
      throw this.wrong(`${what}: expected \`key: value\` pairs, found a ${this.kind}`);
    return Array.from({ length: this.items.length / 2 }, (_, i) => this.items.slice(2 * i, 2 * i + 2));
  }

  word(what) {
    if (this.kind !== "scalar") throw this.wrong(`${what}: expected one word, found a ${this.kind}`);
    return this.text;
  }

  wrong(problem) {
    return atLine(this.line, problem);
  }
}

/** The keys and values of a document's outermost mapping, as a Map. */
export function readMapping(text) {
  if (text.length > MOST_CHARACTERS)
    throw new InputError(`expected at most ${MOST_CHARACTERS} characters, found ${text.length}`);
  const reader = new Reader(`${text.replace(/\r\n?/g, "\n")}\n`);
  if (/[\t\x85\u2028\u2029\ufeff]/.test(text)) throw reader.beyond("a tab or another unusual space");
  if (/[\0-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff]/.test(text))
    throw reader.wrong("found a control character");
  const words = reader
    .document()
    .pairs("the document")
    .filter(([key]) => key.kind === "scalar");
  return new Map(words.map(([key, value]) => [key.text, value]));
}

/** Reads a text that ends with the end of a line. */
class Reader {
  constructor(text) {
    this.text = text;
    this.at = 0;
    this.depth = 0;
    this.counted = 0;
    this.lines = 1;
  }

  get next() {
    return this.text[this.at] ?? "";
  }

  /** The number of the line at hand; the reader never goes back to an earlier one. */
  get line() {
    for (; this.counted < this.at; this.counted++) this.lines += this.text[this.counted] === "\n";
    return this.lines;
  }

  wrong(problem) {
    return atLine(this.line, `not YAML: ${problem}`);
  }

  beyond(what) {
    return atLine(this.line, `this page reads plain YAML, found ${what}; dfst play reads all of YAML`);
  }

  document() {
    if (/^\s*%/.test(this.text)) throw this.beyond("a directive");
    const begins = /^(?: *(?:#.*)?\n)*--- *(?:#.*)?(?:\n|$)/.exec(this.text);
    if (begins !== null) this.at = begins[0].length;
    const indent = this.nextLine();
    if (indent === null) throw new InputError("expected a document of `key: value` pairs");
    const root = this.block(indent);
    if (this.nextLine() !== null) throw this.wrong("this line stands further left than those it belongs to");
    return root;
  }

  /** Go to the next line with something on it; gives its indentation, null at the end of the text. */
  nextLine() {
    for (;;) {
      const start = this.text.lastIndexOf("\n", this.at - 1) + 1;
      if (this.text.slice(start, this.at).trim() !== "") throw this.wrong("expected the end of the line");
      const end = this.text.indexOf("\n", start);
      if (end < 0) return null;
      const line = this.text.slice(start, end);
      const words = line.trimStart();
      if (words !== "" && words[0] !== "#") {
        if (/^(---|\.\.\.)(\s|$)/.test(line))
          throw atLine(this.line, "expected one document, found a second one");
        this.at = start + line.length - words.length;
        return line.length - words.length;
      }
      this.at = end + 1;
    }
  }

  /** What stands on lines of this indentation; the reader is on the first. */
  block(indent) {
    this.enter();
    const line = this.line;
    if (/^-(\s|$)/.test(this.text.slice(this.at, this.at + 2))) throw this.beyond("a list with dashes");
    const items = [];
    for (;;) {
      const key = this.key();
      if (key === null && items.length === 0) throw this.beyond("a word on a line of its own");
      if (key === null) throw this.wrong(`expected \`key: value\`, found ${shown(this.restOfLine())}`);
      items.push(key, this.value(indent));
      const following = this.nextLine();
      if (following === null || following < indent) break;
      if (following > indent) throw this.wrong("this line is indented further than those before it");
    }
    this.depth -= 1;
    return new Node("mapping", line, { items });
  }

  enter() {
    this.depth += 1;
    if (this.depth > MOST_DEPTH) throw atLine(this.line, `expected at most ${MOST_DEPTH} levels of nesting`);
  }

  restOfLine() {
    const end = this.text.indexOf("\n", this.at);
    return end < 0 ? "" : this.text.slice(this.at, end);
  }

  /** A key and its colon; null where there is none. */
  key() {
    if (/^:(\s|$)/.test(this.text.slice(this.at, this.at + 2))) throw this.beyond("a key that is empty");
    const start = this.at;
    const key = this.inline(false);
    this.spaces();
    if (this.next !== ":") return null;
    if (this.at - start > LONGEST_KEY) throw this.wrong("a key must be shorter");
    if (this.text.slice(start, this.at).includes("\n")) throw this.wrong("a key must stand on one line");
    this.at += 1;
    if (!/^(\s|$)/.test(this.next)) throw this.wrong("expected a space after the colon");
    return key;
  }

  spaces() {
    while (this.next === " ") this.at += 1;
  }

  /** To the end of the line, over a comment. */
  endLine() {
    this.spaces();
    if (this.next === "#") this.at += this.restOfLine().length;
    if (this.next !== "\n")
      throw this.wrong(`expected the end of the line, found ${shown(this.restOfLine())}`);
    this.at += 1;
  }

  /** The value of a key that stands at this indentation. */
  value(indent) {
    const line = this.line;
    this.spaces();
    if (this.next === "|" || this.next === ">") return this.literal(indent);
    if (this.next !== "\n" && this.next !== "#") {
      const node = this.inline(false);
      this.endLine();
      const following = this.nextLine();
      if (following !== null && following > indent) throw this.beyond("a word over several lines");
      return node;
    }
    this.endLine();
    const following = this.nextLine();
    if (following === null || following < indent) return new Node("scalar", line, { plain: true });
    if (following > indent) return this.block(following);
    if (/^-(\s|$)/.test(this.text.slice(this.at, this.at + 2))) throw this.beyond("a list with dashes");
    return new Node("scalar", line, { plain: true });
  }

  /** A text after `|`, its lines as they are. */
  literal(indent) {
    const line = this.line;
    const [head] = /^[|>]\S*/.exec(this.text.slice(this.at));
    if (!/^\|[+-]?$/.test(head)) throw this.beyond(`a text after ${head}`);
    this.at += head.length;
    this.endLine();
    const lines = [];
    let depth = null;
    while (this.at < this.text.length) {
      const each = this.restOfLine();
      const own = each.length - each.trimStart().length;
      if (each.trim() !== "") {
        depth ??= own > indent ? own : null;
        if (depth === null || own < depth) break;
      }
      if (depth === null && each !== "") throw this.beyond("a text that begins with an empty line");
      lines.push(each.slice(depth ?? own));
      this.at += each.length + 1;
    }
    const body = lines.join("\n").replace(/\n+$/, "");
    const text = head === "|-" || body === "" ? body : head === "|+" ? `${lines.join("\n")}\n` : `${body}\n`;
    return new Node("scalar", line, { text });
  }

  /** A word, quoted or plain, or something in braces or brackets. */
  inline(flow) {
    const { next } = this;
    if (next === "{" || next === "[") return this.collection();
    if (next === '"') return this.doubleQuoted();
    if (next === "'") return this.singleQuoted();
    if (next === "&" || next === "*")
      throw atLine(this.line, "found an anchor or an alias; write it out in full");
    if (next === "!") throw this.beyond("a tag");
    if (/^\?(\s|$)/.test(this.text.slice(this.at, this.at + 2)))
      throw this.beyond("a key with a question mark");
    if (next === "|" || next === ">") throw this.beyond("a text on a line of its own");
    return this.plain(flow);
  }

  plain(flow) {
    const line = this.line;
    const first = flow
      ? /^(?:[^\s,[\]{}#&*!|>'"%@`:?-]|[:?-](?=[^\s,[\]{}]))/
      : /^(?:[^\s,[\]{}#&*!|>'"%@`:?-]|[:?-](?=\S))/;
    const rest = this.restOfLine();
    if (!first.test(rest)) {
      if (flow && (rest === "" || ",:]}".includes(rest[0]))) return new Node("scalar", line, { plain: true });
      throw this.wrong(`expected a word, found ${shown(rest)}`);
    }
    const ends = flow ? /\s*(?:[,[\]{}]|:(?=[\s,[\]{}]|$)|\s#|$)/ : /\s*(?::(?=\s|$)|\s#|$)/;
    const text = rest.slice(0, 1 + ends.exec(rest.slice(1)).index);
    this.at += text.length;
    if (flow && /^:[[{]/.test(rest.slice(text.length))) throw this.beyond("no space after a colon");
    return new Node("scalar", line, { text, plain: true });
  }

  /** Over spaces, line ends and comments within braces. */
  gap() {
    const skipped = /^(?:\s|#[^\n]*)*/.exec(this.text.slice(this.at));
    this.at += skipped[0].length;
  }

  collection() {
    this.enter();
    const line = this.line;
    const mapping = this.next === "{";
    const close = mapping ? "}" : "]";
    const items = [];
    this.at += 1;
    for (;;) {
      this.gap();
      if (this.next === close) break;
      if (this.next === "" || this.next === ",") throw this.wrong(`expected an item or ${close}`);
      items.push(this.inline(true));
      const end = this.at;
      this.gap();
      if (this.next === ":" && this.text.slice(end, this.at).includes("\n"))
        throw this.wrong("a key and its colon must stand on one line");
      if (mapping) items.push(this.flowValue());
      else if (this.next === ":") throw this.beyond("a pair within brackets");
      if (this.next === ",") this.at += 1;
      else if (this.next !== close)
        throw this.wrong(`expected , or ${close}, found ${shown(this.restOfLine())}`);
    }
    this.at += 1;
    this.depth -= 1;
    return new Node(mapping ? "mapping" : "sequence", line, { items });
  }

  /** The value after a key within braces; nothing where there is no colon. */
  flowValue() {
    if (this.next !== ":") return new Node("scalar", this.line, { plain: true });
    this.at += 1;
    this.gap();
    const value = this.inline(true);
    this.gap();
    return value;
  }

  singleQuoted() {
    const line = this.line;
    const found = /^'((?:[^'\n]|'')*)'/.exec(this.text.slice(this.at));
    if (found === null) throw this.beyond("a quoted word that does not end on its line");
    this.at += found[0].length;
    return new Node("scalar", line, { text: found[1].replaceAll("''", "'") });
  }

  doubleQuoted() {
    const line = this.line;
    const found = /^"((?:[^"\\\n]|\\.)*)"/.exec(this.text.slice(this.at));
    if (found === null) throw this.beyond("a quoted word that does not end on its line");
    this.at += found[0].length;
    const escape = /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))/gu;
    const text = found[1].replace(escape, (all, x, u, U, other) => {
      const code = x ?? u ?? U;
      if (code !== undefined) return this.character(parseInt(code, 16));
      if (other in CODED) throw this.wrong(`expected ${CODED[other]} digits after \\${other}`);
      if (other in ESCAPES) return String.fromCodePoint(ESCAPES[other]);
      if (' "/\\\t'.includes(other)) return other;
      throw this.wrong(`found the unknown escape ${shown(all)}`);
    });
    return new Node("scalar", line, { text });
  }

  character(code) {
    if (code > 0x10ffff) throw this.wrong(`expected a character of Unicode, found number ${code}`);
    return String.fromCodePoint(code);
  }
}
