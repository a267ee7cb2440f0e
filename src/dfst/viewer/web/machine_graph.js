// A machine as a graph, states and arrows with the rules on them, for graph.js to draw.

import { layOutDownwards } from "./layout.js";

const ARROWS = "↑↓←→•";
const [HALT, MISSING] = [-1, -2];
/** States of a machine that is shown as a graph, and lines on one arrow before the rest is only counted. */
const [MOST_DRAWN, MOST_LINES] = [40, 3];
/** Width of a letter, height of a line, and how much larger the name of a state is written. */
const [LETTER, LINE, NAME] = [0.62, 1.25, 1.25];

/** {width, height, names, nodes, arrows}, or null for a machine too large to be read as a graph. */
export function machineGraph(machine) {
  if (machine.states.length > MOST_DRAWN) return null;
  const names = [...machine.states];
  const lines = rulesByArrow(machine);
  if (lines.some(({ end }) => end === HALT)) {
    for (const arrow of lines) if (arrow.end === HALT) arrow.end = names.length;
    names.push("halt");
  }
  const sizes = names.map((name) => [NAME * LETTER * letters(name) + 1.2, NAME * LINE + 0.7]);
  const arrows = lines.map(({ start, end, rules }) => {
    const words = few(rules);
    const label = [LETTER * Math.max(...words.map(letters)) + 0.3, LINE * words.length];
    return { start, end, words, label };
  });
  const { width, height, nodes, routes } = layOutDownwards(sizes, arrows);
  return {
    width: rounded(width),
    height: rounded(height),
    names,
    nodes: nodes.map((at, i) => [...at, ...sizes[i]].map(rounded)),
    arrows: arrows.map(({ start, end, words }, i) => [
      start,
      end,
      routes[i].points.map((point) => point.map(rounded)),
      routes[i].label.map(rounded),
      words,
    ]),
  };
}

/** [{start, end, rules}] with lines such as `0 1 : · ←`; rules that do the same to several symbols share one. */
function rulesByArrow({ alphabet, states, write, motion, next }) {
  const arrows = new Map();
  states.forEach((_, q) =>
    alphabet.forEach((symbol, k) => {
      const at = q * alphabet.length + k;
      if (next[at] === MISSING) return;
      const key = `${q},${next[at]}`;
      if (!arrows.has(key)) arrows.set(key, { start: q, end: next[at], actions: new Map() });
      const { actions } = arrows.get(key);
      const action = `${write[at] === k ? "·" : alphabet[write[at]]} ${ARROWS[motion[at]]}`;
      actions.set(action, [...(actions.get(action) ?? []), symbol]);
    }),
  );
  return [...arrows.values()].map(({ start, end, actions }) => ({
    start,
    end,
    rules: [...actions].map(([action, symbols]) => `${together(symbols)} : ${action}`),
  }));
}

function together(names) {
  return names.length <= 3 ? names.join(" ") : `${names[0]}…${names.at(-1)}`;
}

function few(lines) {
  const more = lines.length - MOST_LINES;
  return more <= 0 ? lines : [...lines.slice(0, MOST_LINES), `+${more} more`];
}

const letters = (text) => [...text].length;
const rounded = (number) => Number(number.toFixed(2));
