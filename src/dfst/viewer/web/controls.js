// Play, pause, step, back, next write, speed, scrub: as buttons and as sliders.

import { count, element, svg } from "./dom.js";
import { positionOf, SLIDER, stepAt } from "./scale.js";

const SPEEDS = [1, 2, 4, 8, 16, 32, 64, 128, 512, 2048, 8192, 32768, 131072, 1048576];
const DEFAULT_SPEED = 3;
/** How long a run lasts where nobody has chosen a speed, and the slowest it then goes, in steps a second. */
const [SECONDS, SLOWEST] = [10, 2];

const ICONS = {
  start: "M6 5h2v14H6zM20 5v14L9 12z",
  previous: "M19 5v14L9 12zM5 17h4v2H5z",
  back: "M17 5v14L7 12z",
  play: "M7 4v16l13-8z",
  pause: "M6 4h4v16H6zM14 4h4v16h-4z",
  forward: "M7 5v14l10-7z",
  next: "M5 5v14l10-7zM15 17h4v2h-4z",
  end: "M4 5v14l11-7zM16 5h2v14h-2z",
};

export class Controls {
  constructor(player) {
    this.player = player;
    this.speed = DEFAULT_SPEED;
    this.suited = SPEEDS[DEFAULT_SPEED];
    this.chosen = false;
    const button = (icon, label, keys, act) => {
      const node = element("button", {
        type: "button",
        "aria-label": label,
        title: `${label} (${keys})`,
        "aria-keyshortcuts": keys,
      });
      node.append(picture(icon));
      node.addEventListener("click", act);
      return node;
    };
    this.playButton = button("play", "Play", "Space", () => player.toggle());
    this.playButton.classList.add("play");
    this.speedSlider = element("input", {
      type: "range",
      min: "0",
      max: String(SPEEDS.length - 1),
      step: "1",
      "aria-label": "Speed",
    });
    this.speedSlider.value = String(this.speed);
    this.speedSlider.addEventListener("input", () => this.setSpeed(Number(this.speedSlider.value)));
    this.speedText = element("output", { class: "speed-text" });
    this.scrubber = element("input", {
      type: "range",
      class: "scrub",
      min: "0",
      max: "0",
      step: "1",
      "aria-label": "Step",
    });
    this.scrubber.addEventListener("input", () => {
      player.pause();
      player.seek(stepAt(Number(this.scrubber.value), player.known));
    });
    this.mark = element("button", {
      type: "button",
      class: "mark",
      hidden: "",
      "aria-label": "Go to the first difference",
      title: "First difference (D)",
    });
    this.mark.addEventListener("click", () => player.jumpToDifference());
    this.counter = element("output", { class: "counter", "aria-label": "Step of steps" });
    this.more = element("button", { type: "button", class: "more", hidden: "" }, ["Run on ×10"]);
    this.more.addEventListener("click", () => player.runOn());
    this.root = element("div", { class: "controls" }, [
      element("div", { class: "track" }, [this.scrubber, this.mark]),
      element("div", { class: "row" }, [
        element("div", { class: "buttons", role: "group", "aria-label": "Playback" }, [
          button("start", "To the start", "Home", () => this.jump(0)),
          button("previous", "Previous write", "Shift+ArrowLeft", () => player.jumpToWrite(-1)),
          button("back", "Step back", "ArrowLeft", () => player.nudge(-1)),
          this.playButton,
          button("forward", "Step forward", "ArrowRight", () => player.nudge(1)),
          button("next", "Next write", "Shift+ArrowRight", () => player.jumpToWrite(1)),
          button("end", "To the end", "End", () => this.jump(player.known)),
        ]),
        this.counter,
        this.more,
        element("label", { class: "speed" }, ["Speed", this.speedSlider, this.speedText]),
      ]),
    ]);
    this.setSpeed(this.speed, false);
  }

  get stepsPerSecond() {
    return this.chosen ? SPEEDS[this.speed] : this.suited;
  }

  /** Where nobody has chosen a speed: one at which so many steps last neither too short nor too long. */
  pace(steps) {
    if (this.chosen) return;
    this.suited = Math.max(SLOWEST, steps / SECONDS);
    const above = SPEEDS.findIndex((speed) => speed >= this.suited);
    this.setSpeed(above < 0 ? SPEEDS.length - 1 : above, false);
  }

  setSpeed(speed, chosen = true) {
    this.chosen ||= chosen;
    this.speed = Math.min(SPEEDS.length - 1, Math.max(0, Math.round(speed) || 0));
    this.speedSlider.value = String(this.speed);
    const pace = count(this.stepsPerSecond < 10 ? Math.round(this.stepsPerSecond * 10) / 10 : Math.round(this.stepsPerSecond));
    this.speedText.textContent = `${pace}/s`;
    this.speedSlider.setAttribute("aria-valuetext", `${pace} steps a second`);
    this.player.dispatchEvent(new Event("moved"));
  }

  jump(step) {
    this.player.pause();
    this.player.seek(step);
  }

  update() {
    const { player } = this;
    const { step, known } = player;
    this.scrubber.max = String(Math.min(known, SLIDER));
    this.scrubber.value = String(positionOf(step, known));
    this.scrubber.setAttribute("aria-valuetext", `step ${count(step)} of ${count(known)}`);
    const share = shareOf(step, known);
    this.root.style.setProperty("--played", `${(100 * share).toFixed(3)}%`);
    this.counter.textContent = `${count(step)} / ${count(known)}${player.complete ? "" : "…"}`;
    const label = player.playing ? "Pause" : "Play";
    if (this.playButton.getAttribute("aria-label") !== label) {
      this.playButton.setAttribute("aria-label", label);
      this.playButton.replaceChildren(picture(label.toLowerCase()));
    }
    this.more.hidden = !player.waiting;
    const difference = player.comparison?.difference ?? null;
    this.mark.hidden = difference === null;
    if (difference !== null) this.mark.style.left = `${100 * shareOf(difference + 1, known)}%`;
  }
}

/** How far along the slider a step is, 0 to 1. */
function shareOf(step, known) {
  return known === 0 ? 0 : positionOf(step, known) / Math.min(known, SLIDER);
}

function picture(icon) {
  const drawn = svg("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" });
  drawn.append(svg("path", { d: ICONS[icon] }));
  return drawn;
}
