// One training watched from the page: a button that begins and stops it, the loss as it falls.

import { element, svg } from "./dom.js";
import { InputError } from "./input.js";

const EVERY_MS = 120;
const [WIDTH, HEIGHT] = [320, 60];
const LOWEST = 1e-12;

export class TrainingView extends EventTarget {
  /** Tells "learnt" with {model, machine} when there is a model, "problem" with the error when there is none. */
  constructor(host, server) {
    super();
    this.server = server;
    this.running = false;
    this.button = element("button", { type: "button", class: "go" }, ["Learn"]);
    this.button.addEventListener("click", () => this.dispatchEvent(new Event("asked")));
    this.said = element("p", { class: "soft", role: "status" });
    this.path = svg("polyline", { points: "" });
    this.figure = svg("svg", {
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
      class: "loss",
      preserveAspectRatio: "none",
      role: "img",
      "aria-label": "Loss",
    });
    this.figure.append(this.path);
    this.figure.setAttribute("hidden", "");
    host.replaceChildren(this.button, this.said, this.figure);
  }

  /** Have these examples learnt; gives what came of it, or null where it was stopped. */
  async learn(examples) {
    this.running = true;
    this.button.textContent = "Stop";
    this.figure.removeAttribute("hidden");
    const curve = [];
    try {
      await this.server.learn(examples);
      for (;;) {
        const told = await this.server.learning(curve.length);
        curve.push(...told.curve);
        this.draw(curve, told);
        if (told.phase === "failed") throw new InputError(told.said);
        if (told.phase === "stopped") {
          this.said.textContent = "Stopped.";
          return null;
        }
        if (told.phase === "done") return told;
        await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
      }
    } finally {
      this.running = false;
      this.button.textContent = "Learn";
    }
  }

  async stop() {
    await this.server.stop();
  }

  draw(curve, { said, iterations, phase }) {
    if (curve.length === 0) {
      this.said.textContent = "Preparing …";
      return;
    }
    const [at, loss] = curve.at(-1);
    const logs = curve.map(([, value]) => Math.log10(Math.max(LOWEST, value)));
    const [high, low] = [Math.max(...logs), Math.min(...logs, -1)];
    const points = curve.map(([iteration], i) => {
      const y = 4 + ((high - logs[i]) / Math.max(1e-9, high - low)) * (HEIGHT - 8);
      return `${((iteration / iterations) * WIDTH).toFixed(1)},${y.toFixed(1)}`;
    });
    this.path.setAttribute("points", points.join(" "));
    this.figure.setAttribute("aria-label", `Loss ${loss.toExponential(1)} after ${at} training steps`);
    this.said.textContent =
      phase === "learning"
        ? `Step ${at} of ${iterations}, loss ${loss.toExponential(1)}`
        : `${capital(said)}.`;
  }
}

function capital(words) {
  return words === "" ? "" : words[0].toUpperCase() + words.slice(1);
}
