// What an expert computes, checked on the page: "for all a and b it ends, and writes a + b". The twin of
// proof/answer_checker.py, which says what shapes, pieces, kept numbers, bounds and ranks are.
//
// A polynomial is a Map from products of unknowns, sorted and joined by *, to whole numbers that are not 0.

import { demand, HALT, MISSING, whole } from "./proof_reading.js";

const DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz";
const SIGN = "the sign of a-b";
const GOALS = { "a+b": "+", "a×b": "×", "a-b": "-", [SIGN]: "-", "a+1": "" };
const MOST_PIECES = 16;
const LARGEST = 2 ** 30;
const BREATH_MS = 20;
/** Motions of a table. */
const [UP, DOWN, LEFT, RIGHT] = [0, 1, 2, 3];

const constant = (number) => new Map(number === 0 ? [] : [["", number]]);

function add(total, product, count) {
  const sum = (total.get(product) ?? 0) + count;
  demand(Number.isSafeInteger(sum), "a number is too large for this page");
  if (sum === 0) total.delete(product);
  else total.set(product, sum);
}

function plus(p, q, factor = 1) {
  const total = new Map(p);
  for (const [product, count] of q) add(total, product, factor * count);
  return total;
}

const joined = (one, two) => (one && two ? [...one.split("*"), ...two.split("*")].sort().join("*") : one || two);

function times(p, q) {
  const total = new Map();
  for (const [one, c] of p) for (const [two, d] of q) add(total, joined(one, two), c * d);
  return total;
}

/** The polynomial with all unknowns that are known replaced at once. */
function put(p, known) {
  const total = new Map();
  for (const [product, count] of p) {
    let terms = [["", count]];
    for (const unknown of product === "" ? [] : product.split("*")) {
      const value = known.get(unknown);
      if (value === undefined) terms = terms.map(([one, c]) => [one === "" ? unknown : `${one}*${unknown}`, c]);
      else
        terms = terms.flatMap(([one, c]) =>
          [...value].map(([two, d]) => [one && two ? `${one}*${two}` : one || two, c * d]),
        );
    }
    for (const [one, c] of terms) add(total, one.includes("*") ? one.split("*").sort().join("*") : one, c);
  }
  return total;
}

const equal = (p, q) => p.size === q.size && [...p].every(([product, count]) => q.get(product) === count);
const covers = (large, small) => small.every((cell, row) => (large[row] & cell) === cell);
const alike = (one, two) => String(one) === String(two);

class Claim {
  constructor({ computes, radix, rows: [low, top], shapes }, rules, alphabet, blank) {
    this.pieces = new Map();
    [this.goal, this.radix, this.top, this.rules, this.alphabet] = [computes, whole(radix), whole(top), rules, alphabet];
    this.height = top - whole(low, -8, 8) + 1;
    demand(radix >= 2 && radix <= 36 && top < this.height && this.height <= 8, "radix or rows are malformed");
    demand(Object.hasOwn(GOALS, computes), "nothing is known of what it computes");
    const expected = [...DIGITS.slice(0, radix), alphabet[blank], ...GOALS[computes]];
    demand(alike(alphabet, expected) && blank === radix, "the alphabet is of another task");
    this.digits = (1 << blank) - 1;
    this.blank = this.piece("blank", new Array(this.height).fill(1 << blank), false);
    this.none = { ...this.blank, length: new Map(), weight: constant(1) };
    this.shapes = new Map();
    for (const listed of shapes) {
      const shape = this.read(listed);
      const key = `${shape.state},${shape.row}`;
      this.shapes.set(key, [...(this.shapes.get(key) ?? []), shape]);
    }
  }

  /** One column, or any number of them: {name, column, many, length, weight, values}. */
  piece(name, column, many) {
    const key = `${name}|${column}|${many}`;
    if (!this.pieces.has(key)) this.pieces.set(key, this.made(many ? name : `digit ${name}`, column, many));
    return this.pieces.get(key);
  }

  made(name, column, many) {
    const values = column.map((cell, index) => {
      const worth = new Set();
      for (let x = 0; x < this.alphabet.length; x++) if ((cell >>> x) & 1) worth.add(x < this.radix ? x : 0);
      const [only] = worth;
      const fixed = worth.size === 1 && (only === 0 || !many);
      return fixed ? constant(only) : new Map([[`${name}@${this.top - index}`, 1]]);
    });
    const length = many ? new Map([[`len ${name}`, 1]]) : constant(1);
    const weight = many ? new Map([[`R^${name}`, 1]]) : constant(this.radix);
    return { name, column, many, length, weight, values };
  }

  /** A shape as the file lists it, its pieces from left to right. */
  read({ state, row: on, left, head, right, kept, bound, rank }) {
    const entries = [["h", head, false], ...left, ...right];
    demand(entries.length <= MOST_PIECES, "a shape has too many pieces");
    const pieces = entries.map(([name, column, many]) => {
      const sound = column.length === this.height && column.every((cell) => typeof cell === "string" && cell !== "");
      demand(sound && typeof many === "boolean", "a piece is malformed");
      const cells = column.map((cell) =>
        [...new Set(cell)].reduce((set, symbol) => set | (1 << whole(this.alphabet.indexOf(symbol))), 0),
      );
      return this.piece(name, cells, many);
    });
    const names = entries.map(([name]) => name);
    const proper = names.every((name) => /^[\p{L}\p{N}]+$/u.test(name)) && new Set(["next", ...names]).size > names.length;
    demand(proper, "a piece has no name of its own");
    const own = new Map(pieces.flatMap((piece, i) => [...this.unknowns(names[i], piece)]));
    const polynomial = (terms) => {
      const products = new Map(
        Object.entries(terms).map(([text, count]) => [text.split("*").filter(Boolean).join("*"), whole(count, -LARGEST)]),
      );
      for (const product of products.keys()) {
        const unknowns = product === "" ? [] : product.split("*");
        demand(unknowns.every((unknown) => own.has(unknown)), "an unknown is of no piece");
        demand(unknowns.length <= MOST_PIECES, "a product is too long");
      }
      return put(products, own);
    };
    const ranks = rank.map(polynomial);
    const lengths = ranks.every((p) =>
      [...p].every(([product, count]) => count > 0 && product.split("*").every((u) => u === "" || u.startsWith("len "))),
    );
    demand(lengths, "a rank is no natural number");
    const row = this.top - whole(on, -8, 8);
    demand(row >= 0 && row < this.height, "a shape is on no row");
    const [first, ...others] = pieces;
    return {
      state: whole(state),
      row,
      left: others.slice(0, left.length).reverse(),
      head: first,
      right: others.slice(left.length),
      kept: kept.map(polynomial),
      bound: polynomial(bound),
      rank: ranks,
    };
  }

  /** What the unknowns of the piece called `name` are if it is this piece. */
  unknowns(name, { length, weight, values }) {
    const known = new Map([[`len ${name}`, length], [`R^${name}`, weight]]);
    values.forEach((value, index) => known.set(`${name}@${this.top - index}`, value));
    return known;
  }

  /** Two neighbours as one; of the two, that on the left is worth more. */
  join(inner, outer, leftwards) {
    const [high, low] = leftwards ? [outer, inner] : [inner, outer];
    return {
      ...inner,
      length: plus(inner.length, outer.length),
      weight: times(inner.weight, outer.weight),
      values: high.values.map((upper, row) => plus(times(upper, low.weight), low.values[row])),
    };
  }

  /** Every column that may come next, what is left beyond it, and what the unknowns then are. */
  pop(side, leftwards) {
    if (!side[0]?.many) return [[side[0] ?? this.blank, side.slice(1), new Map()]];
    const [first] = side;
    const found = this.pop(side.slice(1), leftwards).map(([column, rest, known]) => [
      column,
      rest,
      new Map([...this.unknowns(first.name, this.none), ...known]),
    ]);
    const column = this.piece("next", first.column, false);
    return [...found, [column, side, this.unknowns(first.name, this.join(column, first, leftwards))]];
  }

  /** Every way to read a side off the pieces wanted: what the unknowns of these then are. */
  match(side, wanted, leftwards) {
    if (wanted.length === 0) return side.every(({ column }) => alike(column, this.blank.column)) ? [new Map()] : [];
    const [first, ...rest] = wanted;
    const found = [];
    const take = (piece, left) => {
      for (const more of this.match(left, rest, leftwards)) found.push(new Map([...this.unknowns(first.name, piece), ...more]));
    };
    if (!first.many) {
      const piece = side[0] ?? this.blank;
      if (!piece.many && covers(first.column, piece.column)) take(piece, side.slice(1));
      return found;
    }
    for (let count = 0, taken = this.none; ; count++) {
      take(taken, side.slice(count));
      if (count === side.length || !covers(first.column, side[count].column)) return found;
      taken = this.join(taken, side[count], leftwards);
    }
  }

  /** Whether it is never negative (may say no where it is so): a numeral is smaller than its weight. */
  isNatural(p) {
    const unknowns = new Set([...p.keys()].flatMap((product) => product.split("*")));
    const larger = new Map();
    const digits = new Map();
    for (const unknown of unknowns) {
      if (unknown.startsWith("R^"))
        larger.set(unknown, new Map([["", 1], [`${unknown.slice(2)}@0`, 1], [`more ${unknown}`, 1]]));
      if (unknown.startsWith("digit ")) digits.set(unknown, new Map([["", this.radix - 1], [`less ${unknown}`, -1]]));
    }
    const positive = (known) => [...put(p, known).values()].every((count) => count >= 0);
    return positive(larger) || positive(new Map([...larger, ...digits]));
  }

  /** 1 or -1 where that is certain, otherwise 0. */
  sign(p) {
    return [1, -1].find((sign) => this.isNatural(plus(constant(-1), p, sign))) ?? 0;
  }

  /** Whether two numbers are one; where a sign is asked for, whether they have the same sign. */
  same(p, q) {
    if (equal(p, q)) return true;
    const sign = this.goal === SIGN ? this.sign(p) : 0;
    return sign !== 0 && sign === this.sign(q);
  }

  /** All inputs: digits, and for two operands the operator and digits; with what is to be computed. */
  inputs() {
    const { top, goal } = this;
    const column = (cell) => this.blank.column.with(top, cell);
    const [one, two, three, four] = [..."abcd"].map((name) => this.piece(name, column(this.digits), "ad".includes(name)));
    const start = { state: 0, row: top, bound: new Map(), rank: [] };
    const a = this.join(two, one, true);
    if (GOALS[goal] === "")
      return { ...start, left: [one], head: two, right: [], kept: [plus(a.values[top], constant(1)), a.length] };
    const head = this.piece("h", column(1 << (this.radix + 1)), false);
    const [x, y] = [a.values[top], this.join(three, four, false).values[top]];
    const kept = [goal === "a×b" ? times(x, y) : plus(x, y, goal === "a+b" ? 1 : -1)];
    return { ...start, left: [two, one], head, right: [three, four], kept };
  }

  /** Each step from this shape leads to a listed one that is nearer to the end, or is the right end. */
  checkSteps(shape) {
    const { row, state, left, right } = shape;
    const { column } = shape.head;
    const groups = new Map();
    for (let x = 0; x < this.alphabet.length; x++) {
      if (((column[row] >>> x) & 1) === 0) continue;
      const [written, motion, target] = this.rules[state][x];
      const key = written === x ? `${motion},${target}` : `${motion},${target},${written},${x}`;
      groups.set(key, (groups.get(key) ?? 0) | (1 << x));
    }
    for (const [key, group] of groups) {
      const [motion, target, written] = key.split(",").map(Number);
      let here = this.piece("h", column.with(row, group), false);
      const known = new Map([[`${here.name}@${this.top - row}`, here.values[row]]]);
      if (target === MISSING) {
        demand(this.sign(put(shape.bound, known)) < 0, `state ${state} may read a symbol for which there is no rule`);
        continue;
      }
      if (written !== undefined) here = this.piece("h", column.with(row, 1 << written), false);
      if (target === HALT) {
        this.checkEnd(shape, here, known);
        continue;
      }
      let grids = [[here, left, right, new Map()]];
      if (motion === LEFT) grids = this.pop(left, true).map(([head, rest, more]) => [head, rest, [here, ...right], more]);
      if (motion === RIGHT) grids = this.pop(right, false).map(([head, rest, more]) => [head, [here, ...left], rest, more]);
      const dy = motion === UP ? 1 : motion === DOWN ? -1 : 0;
      for (const [head, before, after, more] of grids) {
        const now = new Map([...known, ...more]);
        const [kept, rank] = [shape.kept, shape.rank].map((part) => part.map((p) => put(p, now)));
        const bound = put(shape.bound, now);
        const grid = { state: target, row: row - dy, left: before, head, right: after, kept, bound, rank };
        const reached = this.lands(grid, falling) || this.sign(bound) < 0;
        demand(reached, `from state ${state}, row ${this.top - row}, no shape is reached`);
      }
    }
  }

  /** Whether this grid is of a listed shape that keeps and bounds what it must, and ranks lower. */
  lands(grid, ranksLower) {
    for (const shape of this.shapes.get(`${grid.state},${grid.row}`) ?? []) {
      if (!covers(shape.head.column, grid.head.column)) continue;
      const head = this.unknowns(shape.head.name, grid.head);
      for (const one of this.match(grid.left, shape.left, true))
        for (const two of this.match(grid.right, shape.right, false)) {
          const known = new Map([...head, ...one, ...two]);
          const [rank, kept] = [shape.rank, shape.kept].map((part) => part.map((p) => put(p, known)));
          const bound = put(shape.bound, known);
          const fits =
            ranksLower(grid.rank, rank) &&
            kept.length === grid.kept.length &&
            kept.length > 0 &&
            kept.slice(1).every((p, i) => equal(p, grid.kept[i + 1])) &&
            this.same(kept[0], grid.kept[0]);
          const natural = () => [new Map(), grid.bound].some((p) => this.isNatural(plus(bound, p, -1)));
          if (fits && (equal(bound, grid.bound) || natural())) return true;
        }
    }
    return false;
  }

  /** All that stands on the grid is one row, the numeral of what was kept. */
  checkEnd(shape, here, known) {
    const { state } = shape;
    const blank = this.blank.column;
    let row = [...shape.left.toReversed(), here, ...shape.right];
    while (row.length > 0 && alike(row[0].column, blank)) row = row.slice(1);
    while (row.length > 0 && alike(row.at(-1).column, blank)) row = row.slice(0, -1);
    const used = new Set(row.flatMap(({ column }) => column.map((cell, i) => (cell === blank[0] ? -1 : i))));
    used.delete(-1);
    demand(used.size === 1, `state ${state} may halt with more or less than one row`);
    const [at] = used;
    const minus = this.alphabet.at(-1) === "-" && row[0].column[at] === 1 << (this.radix + 1) && !row[0].many;
    if (minus) row = row.slice(1);
    const number = row.reduce((sum, piece) => this.join(sum, piece, false), this.none);
    const numeral = row.every(({ column }) => (column[at] & ~this.digits) === 0) && this.sign(number.length) > 0;
    demand(numeral, `state ${state} may halt without a number`);
    const zeroLeads = row[0].many || Boolean(row[0].column[at] & 1 && (minus || row.length > 1));
    const [kept, length] = shape.kept.map((p) => put(p, known));
    let right = this.same(kept, times(number.values[at], constant(minus ? -1 : 1)));
    right &&= this.goal !== SIGN || [0, 1].some((value) => equal(number.values[at], constant(value)));
    const longer = length === undefined ? new Map() : plus(number.length, length, -1);
    if (length === undefined) right &&= !zeroLeads;
    else right &&= longer.size === 0 || (!zeroLeads && this.sign(longer) > 0);
    demand(right, `state ${state} may halt with another answer`);
  }
}

/** Whether the first part of a rank that changes falls. What differs by a length may be equal. */
function falling(before, after) {
  demand(before.length === after.length, "ranks have unlike parts");
  for (const [i, one] of before.entries()) {
    const less = plus(one, after[i], -1);
    if ([...less.values()].some((count) => count < 0)) return false;
    if (less.has("")) return true;
  }
  return false;
}

/** Throws unless the machine with these rules ([write, motion, next] by state and symbol) computes what is claimed. */
export async function checkAnswer(claim, rules, alphabet, blank) {
  const held = new Claim(claim, rules, alphabet, blank);
  demand(held.lands(held.inputs(), () => true), "an input has no shape that keeps what is to be computed");
  let breathed = performance.now();
  for (const shape of [...held.shapes.values()].flat()) {
    if (performance.now() - breathed > BREATH_MS) {
      await new Promise((resolve) => setTimeout(resolve));
      breathed = performance.now();
    }
    held.checkSteps(shape);
  }
}

/** The inputs that the claim is about, as a proof file says it, and where the head starts on them. */
export function inputsOf({ radix, computes }) {
  const [digits, operator] = [(1 << radix) - 1, 2 << radix];
  if (GOALS[computes] === "")
    return [{ before: [[0, digits, 0]], head: [[0, digits, 1]], after: [], accepting: [1] }, "last"];
  const [before, after] = [0, 2].map((p) => [
    [p, digits, p + 1],
    [p + 1, digits, p + 1],
  ]);
  return [{ before, head: [[1, operator, 2]], after, accepting: [3] }, "operator"];
}
