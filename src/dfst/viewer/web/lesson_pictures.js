// What learning looks like: the loss as it falls, and the matrices as they turn into zeros and ones.

import { element, svg } from "./dom.js";

const [WIDTH, HEIGHT] = [300, 90];
const LOWEST = 1e-14;

export class LossCurve {
  constructor() {
    this.path = svg("polyline", { points: "" });
    this.said = element("figcaption", {}, ["loss"]);
    const picture = svg("svg", {
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
      preserveAspectRatio: "none",
      role: "img",
      "aria-label": "The loss falls",
    });
    picture.append(this.path);
    this.root = element("figure", { class: "loss-curve" }, [picture, this.said]);
  }

  draw(curve, steps) {
    if (curve.length === 0) return;
    const logs = curve.map(([, loss]) => Math.log10(Math.max(LOWEST, loss)));
    const [high, low] = [Math.max(...logs, 0), Math.min(...logs, -2)];
    const points = curve.map(
      ([step], i) =>
        `${((step / steps) * WIDTH).toFixed(1)},${(6 + ((high - logs[i]) / (high - low)) * (HEIGHT - 12)).toFixed(1)}`,
    );
    this.path.setAttribute("points", points.join(" "));
    const [step, loss] = curve.at(-1);
    this.said.textContent = `loss ${loss < LOWEST ? "0" : loss.toExponential(0)} after ${step.toLocaleString("en")} steps`;
  }
}

/** One square grid for each symbol: the matrix A that reading it multiplies the hidden state by. */
export class Matrices {
  constructor(alphabet) {
    this.alphabet = alphabet;
    this.said = element("figcaption", {}, ["A, a matrix for each symbol"]);
    this.grids = alphabet.map(() => element("div", { class: "matrix" }));
    const labelled = this.grids.map((grid, i) => element("div", {}, [grid, element("b", {}, [alphabet[i]])]));
    this.root = element("figure", { class: "matrices" }, [element("div", { class: "row" }, labelled), this.said]);
  }

  draw(A, d, exact) {
    this.grids.forEach((grid, x) => {
      if (grid.childElementCount !== d * d) {
        grid.style.setProperty("--d", d);
        grid.replaceChildren(...Array.from({ length: d * d }, () => element("i")));
      }
      [...grid.children].forEach((cell, i) => {
        const value = A[x * d * d + i];
        cell.style.setProperty("--ink", Math.min(1, Math.abs(value)).toFixed(3));
        cell.classList.toggle("minus", value < 0);
        cell.title = String(Number(value.toFixed(4)));
      });
    });
    this.root.classList.toggle("exact", exact);
    this.said.textContent = exact ? "every number is 0 or 1" : "A, a matrix for each symbol";
  }
}
