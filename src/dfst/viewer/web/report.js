// The drawn part of a report: the run to watch, the learnt machine, its matrices, how it was learnt.

import { lineChart } from "./chart.js";
import { bytesIn, unpackData } from "./data.js";
import { counted, element } from "./dom.js";
import { GraphView } from "./graph.js";
import { machineGraph } from "./machine_graph.js";
import { Player } from "./player.js";
import { followSystem } from "./theme.js";

const [PLUS, MINUS] = [
  [31, 127, 104],
  [200, 102, 63],
];
const host = document.getElementById("drawn");

function section(title, ...content) {
  const node = element("section", {}, [element("h2", {}, [title]), ...content]);
  host.append(node);
  return node;
}

function drawReplay({ subject, against, input }) {
  const place = element("div", {});
  section("Watch it work", place);
  new Player(place).open({ subject, against, input });
}

function drawMachine(machine) {
  const graph = machineGraph(machine);
  const rules = machine.next.filter((to) => to > -2).length;
  const said = `${counted(machine.states.length, "state")}, ${counted(rules, "rule")}`;
  const picture = element("div", { class: "picture", tabindex: "0", role: "region", "aria-label": "Graph of the learnt machine" });
  section("The learnt machine", element("p", {}, [said]), element("div", { class: "dfst" }, graph === null ? [] : [picture]));
  if (graph !== null) new GraphView(picture, graph);
}

function drawMatrices(all) {
  const rows = all.flatMap(({ name, alphabet, d, radii, A }) => [
    element("h3", {}, [name]),
    element(
      "div",
      { class: "matrices" },
      alphabet.map((symbol, x) =>
        element("figure", {}, [
          ...(A === null ? [] : [heatMap(new Float32Array(bytesIn(A).buffer).subarray(x * d * d, (x + 1) * d * d), d, symbol)]),
          element("figcaption", {}, [`A[${symbol}], ρ = ${radii[x].toFixed(6)}`]),
        ]),
      ),
    ),
  ]);
  const said = "ρ is the spectral radius; for a symbol that repeats it must not exceed 1. Green is positive, orange negative.";
  section("The matrices A[x]", ...rows, element("p", {}, [said]));
}

/** One pixel a number, the stronger the larger: transparent, so that it suits light and dark. */
function heatMap(values, d, symbol) {
  const canvas = element("canvas", { width: d, height: d, role: "img", "aria-label": `A[${symbol}], ${d} by ${d}` });
  const image = new ImageData(d, d);
  const reach = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0) || 1;
  values.forEach((value, i) => image.data.set([...(value < 0 ? MINUS : PLUS), (255 * Math.abs(value)) / reach], 4 * i));
  canvas.getContext("2d").putImageData(image, 0, 0);
  return canvas;
}

function drawCurves(curves) {
  const seeds = curves[0].lines.length;
  const chosen = seeds > 1 && curves[0].lines.some(({ front }) => front);
  section(
    "Learning",
    lineChart(curves, "iterations"),
    ...(chosen ? [element("p", {}, [`The strong line is the chosen seed of ${seeds}.`])] : []),
  );
}

followSystem(document.body);
const { replay, machine, matrices, curves } = await unpackData(document.getElementById("dfst-data").textContent);
if (replay !== null) drawReplay(replay);
if (machine !== null) drawMachine(machine);
if (matrices.length > 0) drawMatrices(matrices);
if (curves.length > 0) drawCurves(curves);
