// Lines over one axis: panels one above the other, logarithmic upwards, which share the way across.

import { count, element, svg } from "./dom.js";

const [WIDTH, PANEL, LEFT, RIGHT, TOP, BOTTOM] = [720, 190, 76, 84, 34, 30];
const RULES = 5;

/** A figure of `panels`, {label, lines: [{name, x, y, front}]}; values of zero and below are left out. */
export function lineChart(panels, across) {
  const kept = panels.map(({ label, lines }) => ({ label, lines: lines.map(positive) }));
  const far = Math.max(1, ...kept.flatMap(({ lines }) => lines.flatMap(({ x }) => x)));
  const height = PANEL * kept.length + BOTTOM;
  const picture = svg("svg", {
    viewBox: `0 0 ${WIDTH} ${height}`,
    role: "img",
    "aria-label": `${kept.map(({ label }) => label).join(" and ")} over ${across}`,
  });
  kept.forEach(({ label, lines }, i) => drawPanel(picture, label, lines, i * PANEL, far));
  picture.append(words(LEFT, height - 10, "0"), words(WIDTH - RIGHT, height - 10, `${count(far)} ${across}`, "end"));
  return element("figure", { class: "chart" }, [picture]);
}

function positive({ x, y, ...line }) {
  const at = y.map((value, i) => (value > 0 ? i : -1)).filter((i) => i >= 0);
  return { ...line, x: at.map((i) => x[i]), y: at.map((i) => Math.log10(y[i])) };
}

function drawPanel(picture, label, lines, above, far) {
  const values = lines.flatMap(({ y }) => y);
  const low = Math.floor(Math.min(...values, 0));
  const high = Math.max(low + 1, Math.ceil(Math.max(...values)));
  const atX = (x) => LEFT + ((WIDTH - LEFT - RIGHT) * x) / far;
  const atY = (y) => above + PANEL - (PANEL - TOP) * ((y - low) / (high - low));
  picture.append(words(LEFT, above + TOP - 12, label));
  const each = Math.max(1, Math.ceil((high - low) / RULES));
  for (let power = low; power <= high; power += each) {
    const y = atY(power);
    picture.append(svg("line", { class: "rule", x1: LEFT, x2: WIDTH - RIGHT, y1: y, y2: y }));
    picture.append(words(LEFT - 8, y + 4, said(power), "end"));
  }
  for (const { name, x, y, front } of [...lines].sort((one, two) => one.front - two.front)) {
    if (y.length === 0) continue;
    const points = x.map((value, i) => `${atX(value).toFixed(1)},${atY(y[i]).toFixed(1)}`);
    // A line of one point cannot be seen: it is drawn twice, a little apart.
    if (points.length === 1) points.push(`${(atX(x[0]) + 3).toFixed(1)},${atY(y[0]).toFixed(1)}`);
    const line = svg("polyline", { class: front ? "front" : "back", points: points.join(" ") });
    line.append(Object.assign(svg("title"), { textContent: name }));
    picture.append(line);
    if (front) {
      const last = words(atX(x.at(-1)) + 6, atY(y.at(-1)) + 4, said(y.at(-1)));
      last.classList.add("last");
      picture.append(last);
    }
  }
}

/** Ten to a power, as people write it. */
function said(power) {
  const value = 10 ** power;
  if (value >= 0.01 && value < 1e7) return count(Number(value.toPrecision(3)));
  return value.toExponential(Number.isInteger(power) ? 0 : 1).replace("e+", "e");
}

function words(x, y, text, anchor = "start") {
  return Object.assign(svg("text", { x, y, "text-anchor": anchor }), { textContent: text });
}
