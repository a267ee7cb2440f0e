// The checker of proofs on the page: believes nothing in the file, computes everything again.
//
// The twin of proof/checker.py for what the shipped proofs say of weights: inputs, pairs, sides, invariant, stops, what
// the expert computes (proof_answer.js), and the weights to the bit. A test compares the two, on forgeries too.

import { checkAnswer, inputsOf } from "./proof_answer.js";
import { modelOf } from "./model.js";
import { arrayIn, asPython, demand, HALT, MISSING, readProof, rowsIn, sha256, tableIn, whole } from "./proof_reading.js";

const STOPS = -3;
const BLANK = "λ";
const [DX, DY] = [
  [0, 0, -1, 1, 0],
  [1, -1, 0, 0, 0],
];
/** Sets of symbols are bits of a number here. */
const MOST_SYMBOLS = 31;
const MOTIONS = "UDLRN";
const BREATH_MS = 20;

/**
 * What the proof in `text` shows of `subject`, a model of this page: {reference, states, configurations, stops,
 * arithmetic, seconds}. Throws `Rejected`. `expert`: the machine that it must be about, where the page knows it.
 */
export async function checkProof(text, subject, expert = null) {
  const began = performance.now();
  const proof = await readProof(text);
  const { alphabet, inputs, start } = proof;
  const symbols = alphabet?.length ?? 0;
  demand(alphabet.every((symbol) => typeof symbol === "string"), "a symbol is no text");
  demand(symbols >= 1 && new Set(alphabet).size === symbols, "the alphabet is malformed");
  demand(symbols <= MOST_SYMBOLS, `the page checks alphabets of at most ${MOST_SYMBOLS} symbols; ask: dfst prove --check`);
  const blank = whole(proof.blank, 0, symbols - 1);
  demand(proof.weights !== null && proof.reference !== null, "it is no proof about a model and its expert");
  const table = await tableIn(proof.subject.table, symbols);
  const reference = await tableIn(proof.reference.table, symbols);
  if (expert !== null) demand(isTable(expert, reference, alphabet, blank), "it is about another expert");
  checkInputs(inputs, start, symbols);
  const arithmetic = await checkWeights(proof, subject, table);
  const pairs = await rowsIn(proof.pairs, 2);
  const rules = pairedRules(pairs, table, reference, symbols);
  let found = { configurations: 0, stops: new Set() };
  if (proof.rows === null) {
    for (const [i, rule] of rules.flat().entries()) {
      demand(rule !== null, "a pair lacks a rule on which both agree");
      if (rule[2] === STOPS) found.stops.add(`${pairs[Math.floor(i / symbols)][1]},${i % symbols}`);
    }
  } else found = await checkInvariant(proof, inputs, rules, blank, symbols, pairs);
  if (proof.alone !== null) {
    const alone = byState(reference, symbols).map((row) => row.map((rule) => (rule[2] === MISSING ? null : rule)));
    await checkInvariant(proof.alone, inputs, alone, blank, symbols, alone);
    found.stops.clear();
  }
  if (proof.answer !== null) {
    await checkAnswer(proof.answer, byState(reference, symbols), alphabet, blank);
    demand(asPython([inputs, start]) === asPython(inputsOf(proof.answer)), "the answer is about other inputs");
    found.stops.clear(); // what ends with its answer never lacks a rule
  }
  return {
    reference: String(proof.reference.name),
    states: table.states,
    ...found,
    stops: found.stops.size,
    answer: proof.answer?.computes ?? null,
    arithmetic,
    seconds: (performance.now() - began) / 1000,
  };
}

/**
 * Whether the machine on the page and the one in the proof have the same rules. Of a task on the plane, the proof has
 * the machine with more states and fewer rules (proof/boards.py): each of them must be one of the machine's.
 */
function isTable(machine, table, alphabet, blank) {
  const named = ({ length }, at) => (at === blank ? BLANK : machine.alphabet[at] ?? length);
  return (
    machine.blank === blank &&
    machine.alphabet.length === alphabet.length &&
    alphabet.every((symbol, at) => (at === blank ? BLANK : symbol) === named(alphabet, at)) &&
    (machine.task?.plane ? isPart(machine, table, alphabet.length) : machine.next.length === table.next.length) &&
    table.next.every((to, i) => machine.task?.plane || (to === machine.next[i] && isRule(machine, i, table, i)))
  );
}

function isRule(machine, i, table, k) {
  return table.next[k] === MISSING || (table.write[k] === machine.write[i] && table.motion[k] === machine.motion[i]);
}

/** Whether each state of the table, from its first on, stands for one of the machine's and has no rule but its. */
function isPart(machine, table, symbols) {
  const own = new Map([[0, 0]]);
  for (const [state, mine] of own) {
    for (let x = 0; x < symbols; x++) {
      const [k, i] = [state * symbols + x, mine * symbols + x];
      const [to, after] = [table.next[k], machine.next[i]];
      if (!isRule(machine, i, table, k)) return false;
      if (to >= 0 && !own.has(to)) own.set(to, after);
      if (to !== MISSING && (to < 0 ? to : own.get(to)) !== after) return false;
    }
  }
  return true;
}

/** Inputs are paths of an automaton; one must say by itself at which of its symbols the head starts. */
function checkInputs(inputs, start, symbols) {
  const cells = (part) =>
    inputs[part].map(([p, cell, q]) => (whole(p), whole(q), whole(cell, 1, 2 ** symbols - 1)));
  const [before, heads, after] = ["before", "head", "after"].map(cells);
  inputs.accepting.forEach((state) => whole(state));
  const begun = reached(inputs.before, [0]);
  const ends = reached(inputs.after, inputs.head.filter(([p]) => begun.has(p)).map(([, , q]) => q));
  demand(inputs.accepting.some((state) => ends.has(state)), "there is no input");
  const [head] = heads;
  const alone = new Set(heads).size === 1 && ![...before, ...after].some((cell) => cell & head);
  const fits = { first: before.length === 0, last: after.length === 0, operator: alone && (head & (head - 1)) === 0 };
  demand(Object.hasOwn(fits, start) && fits[start], "the head does not start where the inputs say");
}

function reached(edges, states) {
  const found = new Set(states);
  for (const state of found) for (const [p, , q] of edges) if (p === state) found.add(q);
  return found;
}

function byState({ write, motion, next, states }, symbols) {
  return Array.from({ length: states }, (_, q) =>
    Array.from({ length: symbols }, (_, x) => [write, motion, next].map((part) => part[q * symbols + x])),
  );
}

/** The rules of the pairs: none where one has none, or they differ, or what follows is not listed. */
function pairedRules(pairs, subject, reference, symbols) {
  demand(String(pairs[0]) === "0,0", "the first pair is not the two starts");
  const number = new Map(pairs.map((pair, p) => [String(pair), p]));
  const [one, two] = [byState(subject, symbols), byState(reference, symbols)];
  return pairs.map(([c, q]) => {
    demand(one[c] !== undefined && two[q] !== undefined, "a pair is of no states");
    return one[c].map((mine, x) => {
      const theirs = two[q][x];
      if (theirs[2] === MISSING) return [x, 4, STOPS];
      const halts = mine[2] === HALT && theirs[2] === HALT;
      const alike = mine[0] === theirs[0] && (halts || mine[1] === theirs[1]);
      const target = halts ? HALT : (number.get(`${mine[2]},${theirs[2]}`) ?? MISSING);
      return alike && target !== MISSING ? [mine[0], mine[1], target] : null;
    });
  });
}

const covers = (large, small) => small.every((cell, row) => (large[row] & cell) === cell);
const replaced = (column, row, cell) => column.with(row, cell);

/** What may lie on one side of the head, nearest first: an automaton of edges (node, column, node below). */
class Side {
  static async read(packed, columns, blank) {
    const side = new Side();
    side.columns = columns;
    [side.under, side.over, side.larger, side.laid, side.pushed] = Array.from({ length: 5 }, () => new Map());
    for (const [node, c, below] of await rowsIn(packed.edges, 3)) {
      push(side.under, node, [whole(c, 0, columns.length - 1), below]);
      push(side.over, below, [c, node]);
    }
    const inside = await rowsIn(packed.inside, 2);
    for (const [small, large] of inside) {
      if (!side.larger.has(small)) side.larger.set(small, new Set([small]));
      side.larger.get(small).add(large);
    }
    for (const [small, large] of inside) {
      const wider = side.under.get(large) ?? [];
      const fits = (side.under.get(small) ?? []).every(([c, x]) =>
        wider.some(([e, y]) => side.above(x).has(y) && covers(columns[e], columns[c])),
      );
      demand(fits, `what node ${small} stands for is not inside node ${large}`);
    }
    demand(side.push(blank, 0).includes(0), "node 0 does not read blanks");
    for (const [state, node] of await rowsIn(packed.laid, 2)) push(side.laid, state, node);
    return side;
  }

  above(node) {
    return this.larger.get(node) ?? new Set([node]);
  }

  laidFor(state) {
    return this.laid.get(state) ?? [];
  }

  /** The nodes that stand for all stacks of `below` with this column on top. */
  push(column, below) {
    const key = `${column}|${below}`;
    if (!this.pushed.has(key)) {
      const edges = [...this.above(below)].flatMap((node) => this.over.get(node) ?? []);
      this.pushed.set(
        key,
        edges.filter(([c]) => covers(this.columns[c], column)).map(([, node]) => node),
      );
    }
    return this.pushed.get(key);
  }

  /** Whether each path from a first state leaves what a node laid for its last state stands for. */
  holdsInputs(edges, first, laid) {
    const begins = first.every((state) => this.laidFor(state).some((node) => this.above(0).has(node)));
    return (
      begins &&
      edges.every(([p, cell, q]) =>
        this.laidFor(p).every((node) => {
          const after = this.push(laid(cell), node);
          return this.laidFor(q).some((each) => after.includes(each));
        }),
      )
    );
  }
}

function push(map, key, value) {
  if (map.has(key)) map.get(key).push(value);
  else map.set(key, [value]);
}

/** How many configurations it has, and where the reference may stop. `pairs`: the states of each number of `rules`. */
async function checkInvariant(proof, inputs, rules, blank, symbols, pairs) {
  const [low, high] = proof.rows.map((row) => whole(row, -64, 64));
  const [height, home] = [high - low + 1, -low];
  demand(0 <= home && home < height && height <= 64, "the rows do not hold the input");
  const columns = proof.columns.map((column) => column.map((cell) => whole(cell, 1, 2 ** symbols - 1)));
  const number = new Map(columns.map((column, i) => [String(column), i]));
  demand(columns.every(({ length }) => length === height) && number.size === columns.length, "a column is malformed");
  const empty = new Array(height).fill(1 << blank);
  const [left, right] = await Promise.all([proof.left, proof.right].map((side) => Side.read(side, columns, empty)));
  const configurations = await rowsIn(proof.invariant, 5);
  const invariant = new Set(configurations.map(String));
  for (const [, p, row, c] of configurations)
    demand(rules[p] && row >= 0 && row < height && columns[c], "the invariant is malformed");
  const laid = (cell) => replaced(empty, home, cell);
  const backwards = inputs.after.map(([p, cell, q]) => [q, cell, p]);
  const fits = left.holdsInputs(inputs.before, [0], laid) && right.holdsInputs(backwards, inputs.accepting, laid);
  const starts = inputs.head.flatMap(([p, cell, q]) =>
    left
      .laidFor(p)
      .flatMap((a) => right.laidFor(q).map((b) => `${a},0,${home},${number.get(String(laid(cell))) ?? -1},${b}`)),
  );
  demand(fits && starts.length > 0 && starts.every((each) => invariant.has(each)), "an input is not included");
  const stops = new Set();
  const known = new Map();

  /** [column left behind, dx, dy, next]: symbols that a rule leaves as they are stay one set. */
  function moves(p, row, c) {
    const groups = new Map();
    for (let x = 0; x < symbols; x++) {
      if (((columns[c][row] >>> x) & 1) === 0) continue;
      const rule = rules[p][x];
      demand(rule !== null, `pair ${p} may read symbol ${x}, and has no rule on which both agree`);
      const [written, motion, target] = rule;
      if (target === STOPS) stops.add(`${pairs[p][1]},${x}`);
      else if (target !== HALT) {
        const key = `${written === x ? -1 : written},${motion},${target}`;
        groups.set(key, (groups.get(key) ?? 0) | (1 << x));
      }
    }
    return [...groups].map(([key, group]) => {
      const [written, motion, target] = key.split(",").map(Number);
      return [replaced(columns[c], row, written < 0 ? group : 1 << written), DX[motion], DY[motion], target];
    });
  }

  let breathed = performance.now();
  for (const [a, p, row, c, b] of configurations) {
    if (performance.now() - breathed > BREATH_MS) {
      await new Promise((resolve) => setTimeout(resolve));
      breathed = performance.now();
    }
    const key = (p * height + row) * columns.length + c;
    if (!known.has(key)) known.set(key, moves(p, row, c));
    for (const [made, dx, dy, target] of known.get(key)) {
      let inside;
      if (dx === 0) inside = invariant.has(`${a},${target},${row + dy},${number.get(String(made)) ?? -1},${b}`);
      else if (dx < 0) {
        const after = right.push(made, b);
        inside = (left.under.get(a) ?? []).every(([under, rest]) =>
          after.some((t) => invariant.has(`${rest},${target},${row},${under},${t}`)),
        );
      } else {
        const after = left.push(made, a);
        inside = (right.under.get(b) ?? []).every(([under, rest]) =>
          after.some((t) => invariant.has(`${t},${target},${row},${under},${rest}`)),
        );
      }
      demand(inside, `the invariant is left from pair ${p}, row ${row + low}`);
    }
  }
  return { configurations: configurations.length, stops };
}

/** The table is what these weights do, to the bit, in the order of their rollout; gives the arithmetic in words. */
async function checkWeights(proof, subject, table) {
  const { alphabet, motions, layout, d } = subject;
  const model = modelOf(subject);
  demand((await weightsHash(subject)) === proof.weights.sha256, "these are not the weights the proof is about");
  const named = proof.alphabet.map((symbol, k) => (k === proof.blank ? BLANK : symbol));
  demand(named.join(" ") === alphabet.join(" "), "the weights have another alphabet");
  demand(layout === proof.start, "the weights start elsewhere on their input");
  demand(proof.weights.measure === null, "the page checks weights to the bit; for bounds ask: dfst prove --check");
  const hidden = await arrayIn(proof.weights.hidden, "float64");
  demand(hidden.rows === table.states && hidden.width === d, "the learnt states have a wrong shape");
  const own = Array.from({ length: table.states }, (_, c) => model.h0.constructor.from(hidden.data.subarray(c * d, (c + 1) * d)));
  own.forEach((state, c) =>
    demand(
      state.every((value, j) => Object.is(value, hidden.data[c * d + j]) && Math.abs(value) < Infinity),
      `a learnt state is not in ${subject.precision}`,
    ),
  );
  const sizes = own.map((state) => Math.max(...state.map(Math.abs)));
  const within = sizes.every((size) => size === 0 || (size >= 2 ** -60 && size < 2 ** 60));
  demand(within, "runs rescale a learnt state");
  demand(own[0].every((value, j) => Object.is(value, model.h0[j])), "the first learnt state is not h0");
  const k = alphabet.length;
  let largest = 0;
  table.next.forEach((to, rule) => {
    if (to === MISSING) return;
    const [c, x] = [Math.floor(rule / k), rule % k];
    const place = `learnt state ${c}, symbol ${x}`;
    model.score(x, own[c]);
    const motion = motions.indexOf(to === HALT ? "S" : MOTIONS[table.motion[rule]]);
    leads(model.symbolScores, table.write[rule], place);
    leads(model.motionScores, motion, place);
    const next = model.next(x, own[c]);
    if (to !== HALT) demand(next.every((value, j) => Object.is(value, own[to][j])), `the next hidden state is another at ${place}`);
    for (const [matrix, height] of [[model.A, d], [model.B, k], [model.C, motions.length]])
      largest = Math.max(largest, largestSum(matrix, x * height * d, height, own[c]));
  });
  const parts = [model.A, model.B, model.C, ...own];
  for (const part of parts) for (const value of part) largest = Math.max(largest, Math.abs(value));
  const exact = largest < 2 ** 24 && parts.every((part) => part.every(Number.isInteger));
  return `in ${exact ? "float32 and float64" : subject.precision} as it runs, to the bit`;
}

/** The wanted score is strictly the highest, in finite numbers. */
function leads(scores, wanted, place) {
  demand(scores.every((score) => Math.abs(score) < Infinity), `a score is infinite or no number at ${place}`);
  demand(Math.abs(Math.max(...scores) - Math.min(...scores)) < Infinity, `scores differ by more than is finite at ${place}`);
  demand(scores.every((score, i) => i === wanted || scores[wanted] > score), `the weights decide otherwise at ${place}`);
}

/** The largest sum of the sizes of products in a row of a matrix: no sum in any order is beyond it. */
function largestSum(matrix, offset, height, h) {
  let most = 0;
  for (let i = 0; i < height; i++) {
    let sum = 0;
    for (let j = 0; j < h.length; j++) sum += Math.abs(matrix[offset + i * h.length + j] * h[j]);
    most = Math.max(most, sum);
  }
  return most;
}

/** The name of a model by its numbers, whichever format holds them, and by what they mean. */
export async function weightsHash(subject) {
  const { alphabet, motions, layout } = subject;
  const model = modelOf(subject);
  const meaning = asPython([alphabet, motions, layout]).replace(
    /[^\x00-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  const numbers = [model.A, model.B, model.C, model.h0].map((part) => Float64Array.from(part));
  return sha256(meaning, ...numbers);
}
