// Worked examples as cards: what was laid, each step taken, and where two of them contradict each other.

import { counted, element } from "./dom.js";
import { BLANK } from "./traces.js";

const ARROW_OF = { U: "↑", D: "↓", L: "←", R: "→", S: "■", N: "•" };
const MOST_STEPS = 60;

/** The cards of `examples`; `on` holds what happens on replay, resume, remove and look (a step of a card). */
export function drawCards(host, examples, on) {
  host.replaceChildren(...examples.list.map((example, number) => card(example, number, examples, on)));
}

function card(example, number, examples, on) {
  const clash = examples.clashes.get(number);
  const name = `Example ${number + 1}`;
  const button = (text, label, act) => {
    const node = element("button", { type: "button", "aria-label": `${label} example ${number + 1}` }, [
      text,
    ]);
    node.addEventListener("click", act);
    return node;
  };
  const steps = example.steps.slice(0, MOST_STEPS).map((step, t) => {
    const marked = clash?.step === t;
    const node = element("button", { type: "button", class: marked ? "step clash" : "step" }, [words(step)]);
    node.title = `Step ${t + 1}: read ${step.read}, wrote ${step.wrote}, ${ARROW_OF[step.moved]}`;
    node.setAttribute("aria-label", `${name}, step ${t + 1}: ${words(step)}${marked ? ", contradicts" : ""}`);
    node.addEventListener("click", () => on.look(number, t));
    return element("li", {}, [node]);
  });
  if (example.steps.length > MOST_STEPS)
    steps.push(element("li", { class: "soft" }, [`… ${example.steps.length} steps`]));
  const parts = [
    element("div", { class: "card-head" }, [
      element("b", {}, [example.input === "" ? "(empty)" : example.input]),
      element("span", { class: "soft" }, [counted(example.steps.length, "step")]),
      button("Replay", "Replay", () => on.replay(number)),
      button("Go on", "Go on with", () => on.resume(number)),
      button("Delete", "Delete", () => on.remove(number)),
    ]),
    element("ol", { class: "steps" }, steps),
  ];
  if (clash !== undefined)
    parts.push(element("p", { class: "clash-words" }, [complaint(examples, number, clash)]));
  return element("li", { class: "card", "aria-label": `${name}: ${example.input}` }, parts);
}

function complaint(examples, number, { step, other }) {
  const [mine, theirs] = [number, other].map((each) => words(examples.list[each].steps[step]));
  return `Contradiction: step ${step + 1} does ${mine}, example ${other + 1} does ${theirs} after the same symbols.`;
}

/** A step in a few signs: what is read, what becomes of it, where the head goes. */
function words({ read, wrote, moved }) {
  return `${read}${wrote === read ? "" : `→${wrote === BLANK ? BLANK : wrote}`} ${ARROW_OF[moved]}`;
}
