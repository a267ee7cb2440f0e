// Chalk: symbols drawn stroke by stroke, roughened, and kept as sprites.
//
// Digits and operators have hand-made strokes, so a blackboard looks the same on every machine; other
// symbols borrow a font. The roughness is a fixed noise, and each cell picks one of a few slants by its
// place, so that a row of equal digits does not look printed.

const STROKES = {
  0: "M.5 .12C.3 .12 .22 .3 .22 .5S.3 .88 .5 .88 .78 .7 .78 .5 .7 .12 .5 .12Z",
  1: "M.34 .28L.53 .12L.53 .88",
  2: "M.25 .3C.27 .06 .74 .06 .73 .33C.72 .55 .36 .64 .24 .87L.77 .87",
  3: "M.27 .17C.45 .06 .74 .1 .71 .31C.69 .45 .55 .48 .44 .48C.6 .47 .77 .54 .75 .69C.73 .91 .4 .94 .24 .8",
  4: "M.62 .88L.62 .12L.2 .65L.8 .65",
  5: "M.72 .13L.34 .13L.3 .46C.46 .36 .76 .42 .75 .65C.74 .9 .42 .94 .25 .8",
  6: "M.66 .13C.42 .18 .25 .42 .25 .65C.25 .95 .75 .95 .75 .65C.75 .42 .35 .4 .27 .62",
  7: "M.23 .13L.77 .13C.62 .35 .48 .6 .44 .88",
  8: "M.5 .47C.2 .4 .22 .12 .5 .12S.8 .4 .5 .47C.16 .55 .18 .88 .5 .88S.84 .55 .5 .47Z",
  9: "M.73 .4C.66 .58 .26 .58 .26 .34C.26 .05 .74 .05 .74 .36C.74 .6 .66 .78 .52 .88",
  "+": "M.5 .2L.5 .8M.2 .5L.8 .5",
  "-": "M.22 .5L.78 .5",
  "×": "M.27 .27L.73 .73M.73 .27L.27 .73",
};

export const VARIANTS = 4;
const LEAN = [
  [0, 0, 0],
  [0.05, 0.02, -0.01],
  [-0.04, -0.02, 0.015],
  [0.02, 0.015, 0.02],
];
const FONT = '"Chalkboard SE", "Comic Neue", "Segoe Print", ui-rounded, system-ui, sans-serif';

/** A fixed sequence of numbers in [0, 1), so that chalk looks the same each time. */
export function noise(seed) {
  return () => {
    seed = (seed * 1664525 + 1013904223) >>> 0;
    return seed / 4294967296;
  };
}

export class Chalk {
  constructor() {
    this.sprites = new Map();
  }

  /** A canvas with `symbol` in `colour`, about `size` device pixels wide. */
  sprite(symbol, size, colour, variant) {
    const side = Math.max(12, Math.round(12 * 1.25 ** Math.round(Math.log(size / 12) / Math.log(1.25))));
    const key = `${side}|${variant}|${colour}|${symbol}`;
    let canvas = this.sprites.get(key);
    if (canvas === undefined) {
      if (this.sprites.size > 1500) this.sprites.clear();
      canvas = drawSprite(symbol, side, colour, variant);
      this.sprites.set(key, canvas);
    }
    return canvas;
  }
}

function drawSprite(symbol, side, colour, variant) {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = side;
  const pen = canvas.getContext("2d");
  const [turn, dx, dy] = LEAN[variant % VARIANTS];
  pen.save();
  pen.translate(side * (0.5 + dx), side * (0.5 + dy));
  pen.rotate(turn);
  pen.scale(side * 0.9, side * 0.9);
  pen.translate(-0.5, -0.5);
  pen.strokeStyle = pen.fillStyle = colour;
  const stroke = STROKES[symbol];
  if (stroke !== undefined) {
    pen.lineCap = pen.lineJoin = "round";
    pen.lineWidth = 0.105;
    pen.stroke(new Path2D(stroke));
  } else {
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.font = `1px ${FONT}`;
    const width = Math.max(1, pen.measureText(symbol).width);
    pen.font = `${Math.min(1, 1.15 / width)}px ${FONT}`;
    pen.fillText(symbol, 0.5, 0.54);
  }
  pen.restore();
  if (side >= 24) roughen(pen, side, variant);
  return canvas;
}

/** Rub specks out of the strokes, as the grain of a board does. */
function roughen(pen, side, variant) {
  const random = noise(variant + 7);
  pen.globalCompositeOperation = "destination-out";
  const specks = 60 + side * 5;
  for (let i = 0; i < specks; i++) {
    const radius = Math.max(0.4, (0.002 + 0.006 * random()) * side);
    pen.globalAlpha = 0.15 + 0.5 * random();
    pen.beginPath();
    pen.arc(random() * side, random() * side, radius, 0, 7);
    pen.fill();
  }
}
