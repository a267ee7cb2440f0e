// The smallest machine found that explains worked examples: their prefix tree, merged from the root outwards.
//
// As dfst/states/fewest.py does it. Known states contradict each other. Of the branches that leave them, one that
// contradicts every known state is the next; if there is none, the branch and the known state that agree most often
// are taken for one. Both ways are tried: all branches, or the most travelled alone.

import { HALT, Merging, MISSING, quotient } from "./learner_states.js";

/** Pairs of nodes that are looked at before merging is given up: well below a second. */
const MOST_WORK = 200_000;

/** {write, motion, next} with state 0 for the start; null where merging would take too long. */
export function smallestMachine(traces) {
  const tree = prefixTree(traces);
  const found = [false, true].map((all) => merged(tree, all)).filter((table) => table !== null);
  if (found.length === 0) return null;
  return found.reduce((best, table) => (table.next.length < best.next.length ? table : best));
}

function prefixTree({ x, s, m, start, symbols, halt }) {
  const tree = { write: [], motion: [], next: [], visits: [] };
  const grow = () => {
    tree.write.push(new Array(symbols).fill(0));
    tree.motion.push(new Array(symbols).fill(halt));
    tree.next.push(new Array(symbols).fill(MISSING));
    return tree.visits.push(0) - 1;
  };
  grow();
  for (let i = 0; i + 1 < start.length; i++) {
    let node = 0;
    tree.visits[0] += 1;
    for (let t = start[i]; t < start[i + 1]; t++) {
      const symbol = x[t];
      if (tree.next[node][symbol] === MISSING) {
        tree.write[node][symbol] = s[t];
        tree.motion[node][symbol] = m[t];
        tree.next[node][symbol] = m[t] === halt ? HALT : grow();
      }
      node = tree.next[node][symbol];
      if (node === HALT) break;
      tree.visits[node] += 1;
    }
  }
  return tree;
}

function merged(tree, allBranches) {
  const merging = new Merging(tree);
  const known = [0];
  const contradict = new Set();
  let travelled = visitsOf(tree, merging);
  for (;;) {
    const roots = new Set(known.map((state) => merging.root(state)));
    const followers = new Set();
    for (const root of roots)
      for (const to of merging.next[root]) if (to >= 0) followers.add(merging.root(to));
    const branches = [...followers]
      .filter((node) => !roots.has(node))
      .sort((a, b) => travelled.get(b) - travelled.get(a) || a - b);
    if (branches.length === 0) return quotient(tree, merging.labels());
    let [best, pair, fresh] = [-1, null, null];
    for (const branch of allBranches ? branches : branches.slice(0, 1)) {
      let greatest = -1;
      for (const state of known) {
        if (contradict.has(`${state},${branch}`)) continue;
        const evidence = merging.merge(state, branch, false);
        if (evidence < 0) contradict.add(`${state},${branch}`);
        greatest = Math.max(greatest, evidence);
        if (evidence > best) [best, pair] = [evidence, [state, branch]];
      }
      if (greatest < 0) {
        fresh = branch;
        break;
      }
    }
    if (fresh !== null) known.push(fresh);
    else {
      merging.merge(...pair);
      travelled = visitsOf(tree, merging);
      merging.work += tree.visits.length;
    }
    if (merging.work > MOST_WORK) return null;
  }
}

/** How many traces pass through each root. */
function visitsOf({ visits }, merging) {
  const found = new Map();
  visits.forEach((times, node) => {
    const root = merging.root(node);
    found.set(root, (found.get(root) ?? 0) + times);
  });
  return found;
}
