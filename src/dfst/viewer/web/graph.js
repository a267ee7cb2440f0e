// A machine as a live graph: its states and arrows, the step just taken lit.

import { svg } from "./dom.js";

/** Pixels of the graph's unit, the size of the letters on its arrows: as the room allows, from and up to these. */
const [SMALLEST, LARGEST] = [9, 14];
const LETTER = 0.62;

export class GraphView {
  constructor(host, graph) {
    this.host = host;
    const [width, height] = [graph.width + 3, graph.height + 3];
    this.picture = svg("svg", {
      class: "graph",
      viewBox: `-1.5 -1.5 ${width} ${height}`,
      role: "img",
      "aria-label": `Graph of ${graph.names.length} states`,
    });
    this.width = width;
    this.picture.style.width = `clamp(${width * SMALLEST}px, 100%, ${width * LARGEST}px)`;
    this.arrowOf = new Map();
    for (const [from, to, points, at, lines] of graph.arrows) {
      const group = svg("g", { class: "arrow" });
      group.append(svg("path", { d: path(points) }), svg("path", { class: "tip", d: tip(points) }));
      group.append(plate(at, lines), words(at, lines));
      this.arrowOf.set(`${from},${to}`, group);
      this.picture.append(group);
    }
    this.nodes = graph.nodes.map(([x, y, w, h], i) => {
      const group = svg("g", { class: i === 0 ? "node first" : "node" });
      group.append(svg("rect", { x: x - w / 2, y: y - h / 2, width: w, height: h, rx: 0.7 }));
      const name = svg("text", { class: "name", x, y: y + 0.42 });
      name.textContent = graph.names[i];
      group.append(name);
      this.picture.append(group);
      return { group, x, y };
    });
    this.halt = graph.names.length - 1;
    this.lit = [];
    host.replaceChildren(this.picture);
  }

  /** Light the state at hand, and the arrow from the state before; `from` is null at the start. */
  update(from, now, halted) {
    for (const node of this.lit) node.classList.remove("lit");
    const target = halted ? this.halt : now;
    this.lit = [this.nodes[target].group];
    const arrow = from === null ? undefined : this.arrowOf.get(`${from},${target}`);
    if (arrow !== undefined) {
      this.lit.push(arrow);
      // Drawn last, so that nothing lies over it.
      this.picture.insertBefore(arrow, this.nodes[0].group);
    }
    for (const node of this.lit) node.classList.add("lit");
    this.follow(this.nodes[target]);
  }

  /** Keep the state at hand in sight, without moving the page itself. */
  follow({ x, y }) {
    const { host } = this;
    const scale = this.picture.clientWidth / this.width;
    const [px, py] = [(x + 1.5) * scale, (y + 1.5) * scale];
    const [w, h] = [host.clientWidth, host.clientHeight];
    const inside = (p, from, size) => p > from + 0.2 * size && p < from + 0.8 * size;
    if (!inside(px, host.scrollLeft, w)) host.scrollLeft = px - w / 2;
    if (!inside(py, host.scrollTop, h)) host.scrollTop = py - h / 2;
  }
}

/** A smooth line down the rows: straight down wherever it meets one. */
function path(points) {
  const parts = [`M${points[0]}`];
  for (let i = 1; i < points.length; i++) {
    const [[x0, y0], [x1, y1]] = [points[i - 1], points[i]];
    parts.push(`C${x0} ${(y0 + y1) / 2} ${x1} ${(y0 + y1) / 2} ${x1} ${y1}`);
  }
  return parts.join("");
}

/** The head of the arrow, in the direction of its last stretch. */
function tip(points) {
  const [[x0, y0], [x, y]] = points.slice(-2);
  const way = y === y0 ? [Math.sign(x - x0), 0] : [0, Math.sign(y - y0)];
  const [dx, dy] = way.map((part) => 0.8 * part);
  return `M${x} ${y}L${x - dx + dy / 2} ${y - dy - dx / 2}L${x - dx - dy / 2} ${y - dy + dx / 2}Z`;
}

/** What keeps the line of an arrow from running through its words. */
function plate([x, y], lines) {
  const width = LETTER * Math.max(...lines.map((line) => [...line].length));
  const height = 1.25 * lines.length;
  return svg("rect", { class: "plate", x: x - width / 2, y: y - height / 2, width, height });
}

function words([x, y], lines) {
  const text = svg("text", { class: "rule" });
  lines.forEach((line, i) => {
    const row = svg("tspan", { x, y: y + 1.25 * (i - (lines.length - 1) / 2) + 0.34 });
    row.textContent = line;
    text.append(row);
  });
  return text;
}
