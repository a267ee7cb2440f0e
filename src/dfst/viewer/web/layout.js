// A layered drawing of a directed graph, with room for the words on its arrows.
//
// Sugiyama's method in four stages: arrows that lead back are turned round, nodes are put into columns so that
// every arrow leads on, columns are ordered so that few arrows cross, and everything is moved as near to its
// neighbours as it can get. The words on an arrow are a node of their own in a column between, so no two of them
// ever lie over each other, nor over a state.
//
// x runs along the columns, y across them; a place is the middle of a box.

const [SWEEPS, PASSES] = [12, 12];
const [COLUMN_GAP, ROW_GAP] = [0.9, 0.5];
/** Room for an arrow that only passes, and how much more it wants to be straight than short. */
const [THREAD, STRAIGHT] = [0.25, 4];

/** {width, height, nodes, routes} of nodes with sizes [w, h] and arrows {start, end, label: [w, h]}, downwards. */
export function layOutDownwards(sizes, arrows) {
  const turned = arrows.map((arrow) => ({ ...arrow, label: swapped(arrow.label) }));
  const { width, height, nodes, routes } = layOut(sizes.map(swapped), turned);
  return {
    width: height,
    height: width,
    nodes: nodes.map(swapped),
    routes: routes.map(({ points, label }) => ({ points: points.map(swapped), label: swapped(label) })),
  };
}

const swapped = ([a, b]) => [b, a];

function layOut(sizes, arrows) {
  const forward = turnedForward(sizes.length, arrows);
  const columns = columnsOf(sizes.length, forward);
  const items = sizes.map((size, i) => itemOf(size, 2 * columns[i]));
  for (const { start, end, label } of arrows) {
    if (start !== end) continue;
    items[start].above += label[1] + ROW_GAP;
    items[start].beside = label[0];
  }
  const { chains, links } = thread(items, arrows, forward);
  const near = neighbours(items, links);
  const order = ordered(items, near);
  place(items, near, order);
  return drawn(items, order, arrows, chains, sizes.length);
}

/** What stands in a column: a node, the words of an arrow, or an arrow that passes. */
function itemOf(size, column) {
  return { size, column, y: 0, above: 0, beside: 0 };
}

/** Each arrow as [from, to] in the direction in which it leads on; null where it leads nowhere else. */
function turnedForward(n, arrows) {
  const following = Array.from({ length: n }, () => []);
  for (const { start, end } of arrows) following[start].push(end);
  const [seen, open, back] = [new Set(), new Set(), new Set()];
  for (let root = 0; root < n; root++) {
    if (seen.has(root)) continue;
    const stack = [[root, 0]];
    seen.add(root);
    open.add(root);
    while (stack.length > 0) {
      const top = stack.at(-1);
      const [node] = top;
      const end = following[node][top[1]++];
      if (end === undefined) {
        stack.pop();
        open.delete(node);
      } else if (open.has(end)) back.add(`${node},${end}`);
      else if (!seen.has(end)) {
        seen.add(end);
        open.add(end);
        stack.push([end, 0]);
      }
    }
  }
  return arrows.map(({ start, end }) =>
    start === end ? null : back.has(`${start},${end}`) ? [end, start] : [start, end],
  );
}

/** The column of each node: after all that lead to it, and as near to them as that allows. */
function columnsOf(n, forward) {
  const unique = new Map(forward.filter((edge) => edge !== null).map((edge) => [String(edge), edge]));
  const edges = [...unique.values()].sort((one, two) => one[0] - two[0] || one[1] - two[1]);
  const [waiting, column] = [Array(n).fill(0), Array(n).fill(0)];
  const following = Array.from({ length: n }, () => []);
  for (const [a, b] of edges) {
    waiting[b] += 1;
    following[a].push(b);
  }
  const led = waiting.map((count) => count > 0);
  const ready = [...Array(n).keys()].filter((q) => waiting[q] === 0);
  const order = [];
  while (ready.length > 0) {
    const a = ready.pop();
    order.push(a);
    for (const b of following[a]) {
      column[b] = Math.max(column[b], column[a] + 1);
      waiting[b] -= 1;
      if (waiting[b] === 0) ready.push(b);
    }
  }
  for (const a of order.reverse())
    if (following[a].length > 0 && !led[a] && a !== 0)
      column[a] = Math.min(...following[a].map((b) => column[b])) - 1;
  return column;
}

/** Put an item into every column that an arrow crosses, its words into the middle one. */
function thread(items, arrows, forward) {
  const [chains, links] = [[], []];
  arrows.forEach((arrow, number) => {
    const edge = forward[number];
    if (edge === null) {
      chains.push([arrow.start]);
      return;
    }
    const [left, right] = edge.map((i) => items[i].column);
    let middle = Math.floor((left + right) / 2);
    middle += 1 - (middle % 2);
    const chain = [edge[0]];
    for (let column = left + 1; column < right; column++)
      chain.push(items.push(itemOf(column === middle ? arrow.label : [0, THREAD], column)) - 1);
    chain.push(edge[1]);
    chains.push(chain);
    for (let i = 1; i < chain.length; i++) links.push([chain[i - 1], chain[i]]);
  });
  return { chains, links };
}

function neighbours(items, links) {
  const [before, after] = [items, items].map((all) => all.map(() => []));
  for (const [a, b] of links) {
    before[b].push(a);
    after[a].push(b);
  }
  return { before, after };
}

/** The items of each column from top to bottom, with few crossings. */
function ordered(items, { before, after }) {
  const order = Array.from({ length: 1 + Math.max(...items.map(({ column }) => column)) }, () => []);
  items.forEach((item, i) => order[item.column].push(i));
  const copied = () => order.map((column) => [...column]);
  let [best, fewest] = [copied(), crossings(order, after)];
  const at = [];
  const note = (column) => column.forEach((i, y) => (at[i] = y));
  order.forEach(note);
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const onward = sweep % 2 === 0;
    const near = onward ? before : after;
    const middle = (i) => {
      const rows = near[i].map((j) => at[j]).sort((a, b) => a - b);
      if (rows.length === 0) return at[i];
      return (rows[(rows.length - 1) >> 1] + rows[rows.length >> 1]) / 2;
    };
    for (const column of onward ? order : [...order].reverse()) {
      const key = new Map(column.map((i) => [i, middle(i)]));
      column.sort((a, b) => key.get(a) - key.get(b));
      note(column);
    }
    const found = crossings(order, after);
    if (found < fewest) [best, fewest] = [copied(), found];
  }
  return best;
}

/** How many pairs of links cross. */
function crossings(order, after) {
  let total = 0;
  for (let c = 1; c < order.length; c++) {
    const at = new Map(order[c].map((i, y) => [i, y]));
    const seen = [];
    for (const i of order[c - 1]) {
      const ends = after[i].map((j) => at.get(j));
      for (const end of ends) total += seen.filter((other) => other > end).length;
      seen.push(...ends);
    }
  }
  return total;
}

/** Give every item its y: apart from the others of its column, and near to those it is linked with. */
function place(items, { before, after }, order) {
  for (const column of order) {
    let y = 0;
    for (const i of column) {
      const { above, size } = items[i];
      items[i].y = y + above + size[1] / 2;
      y += size[1] + above + ROW_GAP;
    }
  }
  for (let turn = 0; turn < 2 * PASSES; turn++) {
    const [both, back] = [turn >= PASSES, turn % 2 === 1];
    for (const column of back ? [...order].reverse() : order) {
      const [wanted, weights] = [[], []];
      for (const i of column) {
        const near = [...(!back || both ? before[i] : []), ...(back || both ? after[i] : [])];
        const sum = near.reduce((total, j) => total + items[j].y, 0);
        wanted.push(near.length > 0 ? sum / near.length : items[i].y);
        weights.push((items[i].size[0] === 0 ? STRAIGHT : 1) * Math.max(1, near.length));
      }
      settle(items, column, wanted, weights);
    }
  }
}

/** The nearest places to those wanted, in this order and without overlap (pool adjacent violators). */
function settle(items, column, wanted, weights) {
  const offsets = [];
  column.forEach((i, k) => {
    if (k === 0) return offsets.push(0);
    const last = items[column[k - 1]];
    const apart = last.size[1] / 2 + ROW_GAP + items[i].above + items[i].size[1] / 2;
    return offsets.push(offsets[k - 1] + apart);
  });
  const pools = [];
  column.forEach((_, k) => {
    const pool = { total: (wanted[k] - offsets[k]) * weights[k], weight: weights[k], count: 1 };
    while (pools.length > 0 && pools.at(-1).total / pools.at(-1).weight >= pool.total / pool.weight) {
      const more = pools.pop();
      pool.total += more.total;
      pool.weight += more.weight;
      pool.count += more.count;
    }
    pools.push(pool);
  });
  let k = 0;
  for (const { total, weight, count } of pools)
    for (let i = 0; i < count; i++, k++) items[column[k]].y = total / weight + offsets[k];
}

function drawn(items, order, arrows, chains, n) {
  const middles = [];
  let x = 0;
  for (const column of order) {
    const wide = Math.max(0, ...column.map((i) => Math.max(items[i].size[0], items[i].beside)));
    middles.push(x + wide / 2);
    x += wide + COLUMN_GAP;
  }
  const top = Math.min(...items.map(({ y, size, above }) => y - size[1] / 2 - above));
  const height = Math.max(...items.map(({ y, size }) => y + size[1] / 2)) - top;
  const at = (i) => [middles[items[i].column], items[i].y - top];
  const border = (i, side) => [at(i)[0] + (side * items[i].size[0]) / 2, at(i)[1]];
  const routes = arrows.map((arrow, number) => {
    const chain = chains[number];
    if (chain.length === 1) return loop(at(arrow.start), items[arrow.start].size, arrow.label);
    const inner = chain.slice(1, -1);
    const label = inner.reduce((best, i) => (items[i].size[0] > items[best].size[0] ? i : best));
    const points = [border(chain[0], 1)];
    for (const i of inner) {
      const half = items[i].size[0] / 2;
      if (half > 0) points.push(border(i, -1), border(i, 1));
      else points.push(at(i));
    }
    points.push(border(chain.at(-1), -1));
    return { points: chain[0] === arrow.start ? points : points.reverse(), label: at(label) };
  });
  return { width: x - COLUMN_GAP, height, nodes: Array.from({ length: n }, (_, q) => at(q)), routes };
}

/** From the left of a node's upper border over its words to the right of it. */
function loop([x, y], size, label) {
  const [top, reach] = [y - size[1] / 2, Math.min(0.35 * size[0], 0.5)];
  const over = top - ROW_GAP * 0.8;
  const points = [
    [x - reach, top],
    [x - reach, over],
    [x + reach, over],
    [x + reach, top],
  ];
  return { points, label: [x, top - ROW_GAP - label[1] / 2] };
}
