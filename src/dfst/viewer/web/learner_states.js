// From trained weights to a machine: hidden states found along the traces, merged, written back as zeros and ones.
//
// As dfst/states does it: follow.py, coarser.py, merging.py, simplest.py, polish.py. A graph is {hidden: [h],
// write, motion, next}, tables of one row a state and one column a symbol.

export const HALT = -1;
export const MISSING = -2;

const RADII = [0.1, 0.07, 0.05, 0.03, 0.02, 0.01, 0.005, 0.002, 0.2, 0.3, 0.4];
const MOST_STATES = 12;
const UNWITNESSED = 6;
const LIMITS = [0, ...Array.from({ length: 40 }, (_, i) => 0.1 * 60 ** (i / 39))];

const norm = (h) => Math.sqrt(h.reduce((sum, value) => sum + value * value, 0));

/** A[symbol] h. */
function moved({ theta, d }, symbol, h) {
  return Float64Array.from({ length: d }, (_, i) => {
    const row = (symbol * d + i) * d;
    let value = 0;
    for (let j = 0; j < d; j++) value += theta[row + j] * h[j];
    return value;
  });
}

/** The graph at the first radius at which it is deterministic; null if there is none. */
export function followSoundly(model, traces) {
  const unit = norm(startOf(model));
  for (const radius of RADII) {
    const graph = follow(model, traces, radius * unit);
    if (graph !== null) return graph;
  }
  return null;
}

function startOf({ theta, d }) {
  return theta.slice(theta.length - d);
}

function follow(model, { x, s, m, start, symbols, halt }, radius) {
  const hidden = [startOf(model)];
  const row = (value) => new Array(symbols).fill(value);
  const graph = { hidden, write: [row(0)], motion: [row(halt)], next: [row(MISSING)] };
  for (let i = 0; i + 1 < start.length; i++) {
    let state = 0;
    for (let t = start[i]; t < start[i + 1]; t++) {
      const symbol = x[t];
      if (graph.next[state][symbol] !== MISSING) {
        if (graph.write[state][symbol] !== s[t] || graph.motion[state][symbol] !== m[t]) return null;
      } else {
        graph.write[state][symbol] = s[t];
        graph.motion[state][symbol] = m[t];
        let landed = HALT;
        if (m[t] !== halt) {
          const h = moved(model, symbol, hidden[state]);
          if (!h.every(Number.isFinite)) return null;
          landed = nearest(hidden, h, radius);
          if (landed === hidden.length) {
            if (hidden.length === MOST_STATES * model.d) return null;
            hidden.push(h);
            graph.write.push(row(0));
            graph.motion.push(row(halt));
            graph.next.push(row(MISSING));
          }
        }
        graph.next[state][symbol] = landed;
      }
      if (graph.next[state][symbol] === HALT) break;
      state = graph.next[state][symbol];
    }
  }
  return graph;
}

function nearest(hidden, h, radius) {
  let [found, least] = [hidden.length, radius * radius];
  hidden.forEach((other, i) => {
    let squares = 0;
    for (let j = 0; j < h.length; j++) squares += (h[j] - other[j]) ** 2;
    if (squares <= least) [found, least] = [i, squares];
  });
  return found;
}

/** States taken for one. Of each set the lowest is the root, and knows what any member knows. */
export class Merging {
  constructor({ write, motion, next }, allowed = null) {
    this.parent = next.map((_, i) => i);
    this.action = next.map((row, i) =>
      row.map((to, x) => (to === MISSING ? null : `${write[i][x]},${motion[i][x]},${to === HALT}`)),
    );
    this.next = next.map((row) => [...row]);
    this.allowed = allowed;
    /** Pairs looked at so far. */
    this.work = 0;
  }

  root(state) {
    while (this.parent[state] !== state) state = this.parent[state];
    return state;
  }

  /** Merge both and all that follows in step, or change nothing; gives how many rules agreed, -1 if impossible. */
  merge(one, two, keep = true) {
    const [undo, pending] = [[], [[one, two]]];
    let evidence = 0;
    while (pending.length > 0 && evidence >= 0) {
      this.work += 1;
      const pair = pending.pop().map((state) => this.root(state));
      const [a, b] = [Math.min(...pair), Math.max(...pair)];
      if (a === b) continue;
      if (this.allowed !== null && !this.allowed(a, b)) {
        evidence = -1;
        break;
      }
      for (let x = 0; x < this.action[b].length && evidence >= 0; x++) {
        if (this.action[b][x] === null) continue;
        if (this.action[a][x] === null) {
          this.action[a][x] = this.action[b][x];
          this.next[a][x] = this.next[b][x];
          undo.push(() => {
            this.action[a][x] = null;
            this.next[a][x] = MISSING;
          });
        } else if (this.action[a][x] !== this.action[b][x]) evidence = -1;
        else {
          evidence += 1;
          if (this.next[a][x] >= 0) pending.push([this.next[a][x], this.next[b][x]]);
        }
      }
      if (evidence >= 0) {
        this.parent[b] = a;
        undo.push(() => (this.parent[b] = b));
      }
    }
    if (evidence < 0 || !keep) for (const step of undo.reverse()) step();
    return evidence;
  }

  /** The number of the merged state that each state belongs to. */
  labels() {
    const roots = this.parent.map((_, i) => this.root(i));
    const order = [...new Set(roots)].sort((a, b) => a - b);
    return roots.map((root) => order.indexOf(root));
  }
}

/** The table with one state for each label. */
export function quotient({ write, motion, next }, label) {
  const count = Math.max(...label) + 1;
  const made = { write: [], motion: [], next: [] };
  for (let q = 0; q < count; q++) {
    made.write.push(next[0].map(() => 0));
    made.motion.push(next[0].map(() => null));
    made.next.push(next[0].map(() => MISSING));
  }
  next.forEach((row, q) =>
    row.forEach((to, x) => {
      if (to === MISSING) return;
      made.write[label[q]][x] = write[q][x];
      made.motion[label[q]][x] = motion[q][x];
      made.next[label[q]][x] = to === HALT ? HALT : label[to];
    }),
  );
  return made;
}

/** How far apart states count: farther where no symbol was read in both, infinitely where they disagree. */
function distances(graph) {
  const action = new Merging(graph).action;
  return graph.hidden.map((one, i) =>
    graph.hidden.map((two, j) => {
      let [witnessed, disagreed] = [false, false];
      for (let x = 0; x < action[i].length; x++) {
        if (action[i][x] === null || action[j][x] === null) continue;
        witnessed = true;
        disagreed ||= action[i][x] !== action[j][x];
      }
      if (disagreed) return Infinity;
      const apart = Math.sqrt(one.reduce((sum, value, k) => sum + (value - two[k]) ** 2, 0));
      return witnessed ? apart : UNWITNESSED * apart;
    }),
  );
}

/** Take states for one where nothing speaks against it, nearest first, up to a distance. */
function mergeNear(graph, apart, limit) {
  const near = (a, b) => apart[a][b] <= limit && Number.isFinite(apart[a][b]);
  const merging = new Merging(graph, near);
  const pairs = [];
  for (let a = 0; a < apart.length; a++)
    for (let b = a + 1; b < apart.length; b++) if (near(a, b)) pairs.push([a, b]);
  pairs.sort(([a, b], [c, e]) => apart[a][b] - apart[c][e]);
  for (const [a, b] of pairs) merging.merge(a, b);
  return quotient(graph, merging.labels());
}

/**
 * The learnt states of a model, merged until no more are left than dimensions, or as far as it goes; null where
 * hidden states that act differently cannot be told apart.
 */
export function learntMachine(model, traces) {
  const finest = followSoundly(model, traces);
  if (finest === null) return null;
  const [unit, apart] = [norm(finest.hidden[0]), distances(finest)];
  for (const limit of LIMITS) {
    const graph = mergeNear(finest, apart, limit * unit);
    if (graph.next.length <= model.d) return { ...graph, finest };
  }
  return null;
}

/** Weights of a machine of at most d states: a unit vector for each, all numbers 0 and 1. */
export function writtenBack({ write, motion, next }, { symbols, motions }, d) {
  const A = new Float64Array(symbols * d * d);
  const B = new Float64Array(symbols * symbols * d);
  const C = new Float64Array(symbols * motions * d);
  next.forEach((row, q) =>
    row.forEach((to, x) => {
      if (to === MISSING) return;
      B[(x * symbols + write[q][x]) * d + q] = 1;
      C[(x * motions + motion[q][x]) * d + q] = 1;
      if (to >= 0) A[(x * d + to) * d + q] = 1;
    }),
  );
  const h0 = new Float64Array(d);
  h0[0] = 1;
  return { A, B, C, h0 };
}
