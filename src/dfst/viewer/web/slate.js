// The board before anything is written on it: slate, the dust of earlier lessons, and the light.

import { noise } from "./glyphs.js";

const SLATE = "#25332f";
const DUST = "#dfe8e2";

/** The empty board with the light on it, painted once for a size. */
export function paintSlate(width, height) {
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = height;
  const pen = canvas.getContext("2d");
  pen.fillStyle = pen.createPattern(slateTexture(256, SLATE, DUST), "repeat");
  pen.fillRect(0, 0, width, height);
  const reach = Math.max(width, height);
  const light = pen.createRadialGradient(width / 2, height * 0.35, 0, width / 2, height / 2, reach * 0.75);
  light.addColorStop(0, "rgba(255,255,255,0.055)");
  light.addColorStop(1, "rgba(0,0,0,0.28)");
  pen.fillStyle = light;
  pen.fillRect(0, 0, width, height);
  return canvas;
}

/** A slab of slate with the dust of earlier lessons, to tile the board with. */
function slateTexture(side, dark, light) {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = side;
  const pen = canvas.getContext("2d");
  pen.fillStyle = dark;
  pen.fillRect(0, 0, side, side);
  const random = noise(3);
  pen.fillStyle = light;
  for (let i = 0; i < side * 10; i++) {
    pen.globalAlpha = 0.02 + 0.03 * random();
    pen.fillRect(random() * side, random() * side, 1 + 2 * random(), 1);
  }
  return canvas;
}
