// Turmite specifications, `{{{1,2,0},{0,8,0}}}`: the twin of machines/formats/turmite.py.

import { D, HALT, L, R, S, shown, table, U } from "./format_draft.js";
import { InputError } from "./input.js";

const HEADINGS = "NESW";
const COMPASS = { N: U, E: R, S: D, W: L };
/** Quarters of a turn to the right. */
const TURNS = { 1: 0, 2: 1, 4: 2, 8: 3 };
const [MOST_STATES, MOST_SYMBOLS] = [25_000, 255];
const TOKEN = /\s*(?:([{},])|(\d{1,9})|'([NESW]?)')/y;

export function parseTurmite(text, name) {
  const rows = new Reader(text.trim()).machine();
  const absolute = typeof rows[0][0].move === "string";
  check(rows, absolute);
  const headings = absolute ? [""] : [...HEADINGS];
  const rules = [];
  rows.forEach((row, q) =>
    row.forEach(({ write, move, next }, symbol) =>
      headings.forEach((_, heading) => {
        const rule = { state: headings.length * q + heading, symbol, write };
        if (move === "" || move === 0) rules.push({ ...rule, motion: S, next: HALT });
        else if (absolute) rules.push({ ...rule, motion: COMPASS[move], next });
        else {
          const ahead = (heading + TURNS[move]) % 4;
          rules.push({ ...rule, motion: COMPASS[HEADINGS[ahead]], next: 4 * next + ahead });
        }
      }),
    ),
  );
  const states = rows.flatMap((_, q) => headings.map((heading) => `${q}${heading}`));
  return table({ name, alphabet: rows[0].map((_, k) => String(k)), states, blank: 0, rules });
}

function check(rows, absolute) {
  const columns = rows[0].length;
  rows.forEach((row, q) => {
    if (row.length !== columns)
      throw new InputError(`state ${q}: expected ${columns} entries as in state 0, found ${row.length}`);
    row.forEach(({ write, move, next }, k) => {
      const place = `state ${q} reading ${k}`;
      if (write >= columns)
        throw new InputError(`${place}: expected to write 0 to ${columns - 1}, found ${write}`);
      if (next >= rows.length)
        throw new InputError(`${place}: expected a next state 0 to ${rows.length - 1}, found ${next}`);
      if ((typeof move === "string") !== absolute)
        throw new InputError(
          `${place}: expected either compass points or turns throughout, found ${shown(move)}`,
        );
      if (!absolute && move !== 0 && TURNS[move] === undefined)
        throw new InputError(`${place}: expected a turn 1, 2, 4, 8 or 0 to halt, found ${move}`);
    });
  });
}

/** Exactly three levels of braces, so nothing here calls itself. */
class Reader {
  constructor(text) {
    this.text = text;
    this.at = 0;
  }

  /** {column, token}: a brace, a comma, a number, or {point} for a compass point. */
  take() {
    const column = this.at + 1;
    if (this.at >= this.text.length) return { column, token: "end" };
    TOKEN.lastIndex = this.at;
    const found = TOKEN.exec(this.text);
    if (found === null)
      throw new InputError(
        `column ${column}: expected braces, commas, numbers and 'N' 'E' 'S' 'W' or '', ` +
          `found ${shown(this.text.slice(this.at, this.at + 12))}`,
      );
    this.at = TOKEN.lastIndex;
    const [, brace, number, point] = found;
    return { column, token: brace ?? (number === undefined ? { point } : Number(number)) };
  }

  machine() {
    const rows = this.braced(() => this.row(), MOST_STATES, "states");
    this.expect("end");
    return rows;
  }

  row() {
    return this.braced(() => this.entry(), MOST_SYMBOLS, "symbols");
  }

  /** At least one item, with commas between them. */
  braced(item, most, kind) {
    const items = [];
    this.expect("{");
    while (items.length === 0 || this.another()) {
      if (items.length >= most) throw new InputError(`expected at most ${most} ${kind}`);
      items.push(item());
    }
    return items;
  }

  entry() {
    this.expect("{");
    const write = this.number();
    this.expect(",");
    const { column, token } = this.take();
    const move = token.point ?? token;
    if (token.point === undefined && typeof token !== "number")
      throw new InputError(`column ${column}: expected a turn or a compass point, found ${shown(move)}`);
    this.expect(",");
    const next = this.number();
    this.expect("}");
    return { write, move, next };
  }

  /** True after a comma, false after the closing brace. */
  another() {
    const { column, token } = this.take();
    if (token !== "," && token !== "}")
      throw new InputError(`column ${column}: expected , or }, found ${shown(token.point ?? token)}`);
    return token === ",";
  }

  expect(wanted) {
    const { column, token } = this.take();
    if (token !== wanted)
      throw new InputError(`column ${column}: expected ${wanted}, found ${shown(token.point ?? token)}`);
  }

  number() {
    const { column, token } = this.take();
    if (typeof token !== "number")
      throw new InputError(`column ${column}: expected a number, found ${shown(token.point ?? token)}`);
    return token;
  }
}
