// The viewer as one component: boards, controls, control units, a line that says what happens.
//
// `new Player(host)` builds it inside an element; `open({subject, against, input})` starts a run, alone or
// side by side. The page, the replay and the notebook widget all use this and nothing below it. With
// `wholeDocument` its keys work wherever the focus is; `dispose()` takes away what it put outside its host.

import { Board } from "./board.js";
import { Controls } from "./controls.js";
import { count, counted, element } from "./dom.js";
import { encodeInput } from "./input.js";
import { listenToKeys } from "./keys.js";
import { DfstPanel } from "./panel_dfst.js";
import { TablePanel } from "./panel_table.js";
import { steerWith } from "./steer.js";
import { THEME_CHANGED } from "./theme.js";
import { Comparison, Timeline } from "./timeline.js";
import { solve } from "./verdict.js";
import { describeAnswer, describeBoard, describeParting, describeStep, headWords } from "./words.js";

const AHEAD_MS = 7;
const AHEAD_PAUSED_MS = 13;
const SETTLED_MS = 400;
/** Steps of a run on a board before it is asked whether to go on: a large maze takes a hundred million. */
const LONGEST_BOARD = 1_000_000_000;
/** Steps between two frames above which boards are shown at key frames only. */
const SKIMMED = 100_000;
/** Steps a second that an eye can follow in words; above that, words and tables change only so often. */
const FOLLOWED = 128;
const BLURRED_MS = 100;

export class Player extends EventTarget {
  constructor(host, { wholeDocument = false } = {}) {
    super();
    this.host = host;
    this.wholeDocument = wholeDocument;
    this.view = "suited";
    /** What draws on the boards, where something does: {begin(x, y), stroke(x, y), end()}; else null. */
    this.pen = null;
    /** A step at which playing stops, once. */
    this.until = Infinity;
    this.disposal = new AbortController();
    this.lanes = [];
    this.comparison = null;
    this.playing = false;
    this.credit = 0;
    this.frameTime = 0;
    this.stale = true;
    this.describedAt = 0;
    host.classList.add("dfst");
    this.stage = element("div", { class: "stage" });
    this.controls = new Controls(this);
    this.sentence = element("p", { class: "sentence" });
    this.live = element("p", { class: "unseen", role: "status", "aria-live": "polite" });
    host.replaceChildren(
      element("div", { class: "body" }, [this.stage, this.controls.root, this.sentence, this.live]),
    );
    listenToKeys(this.controls, this.disposal.signal);
    window.addEventListener(THEME_CHANGED, () => this.lanes.length > 0 && this.moved(), {
      signal: this.disposal.signal,
    });
    this.observer = new ResizeObserver(() => {
      for (const lane of this.lanes) lane.board.resize();
      this.changed = this.lanes.length > 0;
      this.wake();
    });
    this.observer.observe(host);
  }

  dispose() {
    this.pause();
    this.observer.disconnect();
    this.disposal.abort();
  }

  fit() {
    for (const { board } of this.lanes) board.camera.fit();
    this.moved();
  }

  /** Start a run. Throws InputError, and changes nothing, where the input cannot be laid on the grid. */
  open({ subject, against = null, input = "", step = 0 }) {
    const subjects = against === null ? [subject] : [subject, against];
    const inputs = subjects.map((each) => encodeInput(each, input));
    this.playing = false;
    this.until = Infinity;
    this.input = input;
    for (const lane of this.lanes) this.observer.unobserve(lane.canvas);
    const most = (each) => (each.task?.plane ? LONGEST_BOARD : (each.limit ?? 1_000_000));
    this.limit = Math.max(...subjects.map(most), step);
    this.lanes = subjects.map((each, i) => this.makeLane(each, new Timeline(each, inputs[i], this.limit)));
    this.stage.replaceChildren(...this.lanes.map((lane) => lane.root));
    this.stage.classList.toggle("paired", this.lanes.length > 1);
    this.comparison =
      against === null ? null : new Comparison(subject, inputs[0], against, inputs[1], this.limit);
    for (const lane of this.lanes) {
      this.observer.observe(lane.canvas);
      lane.board.resize();
      lane.timeline.extend(AHEAD_MS);
    }
    this.seek(step);
    this.controls.pace(this.known);
    this.wake();
    return this;
  }

  makeLane(subject, timeline) {
    const canvas = element("canvas", { class: "board", role: "img", "aria-label": "Blackboard" });
    const panelHost = element("div", { class: "panel-body" });
    const zoom = element("div", { class: "zoom", role: "group", "aria-label": "Zoom" });
    const board = new Board(canvas, headWords);
    const redraw = () => {
      this.link(board.camera);
      this.stale = true;
      this.wake();
    };
    for (const [text, label, act] of [
      ["+", "Zoom in", () => board.camera.zoom(1.4)],
      ["−", "Zoom out", () => board.camera.zoom(1 / 1.4)],
      ["Fit", "Fit the run in view", () => board.camera.fit()],
    ]) {
      const button = element("button", { type: "button", "aria-label": label, title: label }, [text]);
      button.addEventListener("click", () => {
        act();
        redraw();
      });
      zoom.append(button);
    }
    steerWith(board, redraw, () => this.pen);
    const panel =
      subject.kind === "dfst"
        ? new DfstPanel(panelHost, subject)
        : new TablePanel(panelHost, subject, this.view, (view) => this.look(view));
    const name = element("h2", {}, [subject.title, " ", element("small", {}, [subject.origin])]);
    const root = element("section", { class: "lane", "aria-label": `${subject.title}, ${subject.origin}` }, [
      element("div", { class: "frame" }, [canvas, zoom]),
      element("div", { class: "panel", role: "group", "aria-label": "Control unit" }, [name, panelHost]),
    ]);
    board.show(timeline);
    return { subject, timeline, board, panel, root, canvas };
  }

  /** Two boards side by side are looked at from the same place. */
  link({ x, y, size, auto }) {
    for (const { board } of this.lanes) Object.assign(board.camera, { x, y, size, auto });
  }

  /** Look at machines as rules, as a graph, or as suits their size. */
  look(view) {
    this.view = view;
    for (const { panel } of this.lanes) panel.show?.(view);
    if (this.lanes.length > 0) this.moved();
  }

  get step() {
    return Math.max(0, ...this.lanes.map((lane) => lane.timeline.step));
  }

  /** Steps known so far, over all lanes. */
  get known() {
    return Math.max(0, ...this.lanes.map((lane) => lane.timeline.known));
  }

  get complete() {
    return this.lanes.every((lane) => lane.timeline.complete);
  }

  get waiting() {
    return !this.complete && this.lanes.every((lane) => lane.timeline.complete || lane.timeline.waiting);
  }

  get atEnd() {
    return this.lanes.every(({ timeline }) => timeline.complete && timeline.step >= timeline.known);
  }

  seek(step) {
    for (const { timeline } of this.lanes) timeline.seek(step);
    this.moved();
  }

  /** One step on (+1) or back (-1), gliding. */
  nudge(by) {
    this.pause();
    this.glide(240);
    const target = this.step + by;
    for (const { timeline } of this.lanes)
      timeline.seek(Math.min(target, timeline.complete ? timeline.known : target));
    this.moved();
  }

  jumpToWrite(direction) {
    this.pause();
    const { timeline } = this.lanes[0];
    if (direction > 0) timeline.nextWrite();
    else timeline.previousWrite();
    for (const lane of this.lanes.slice(1)) lane.timeline.seek(timeline.step);
    this.moved();
  }

  jumpToDifference() {
    if (this.comparison?.difference == null) return;
    this.pause();
    this.seek(this.comparison.difference + 1);
  }

  /** Let a run that reached its limit of steps go on, ten times as far. */
  runOn() {
    this.limit *= 10;
    for (const { timeline } of this.lanes) timeline.limit = this.limit;
    if (this.comparison !== null && this.comparison.difference === null) {
      this.comparison.limit = this.limit;
      this.comparison.finished = this.complete;
    }
    this.moved();
  }

  play() {
    if (this.atEnd) this.seek(0);
    this.controls.pace(Math.min(this.known, this.until));
    this.playing = true;
    this.credit = 0;
    this.frameTime = performance.now();
    this.moved();
  }

  /** Play what was asked for in a box outside: the next Space must pause, not go into that box. */
  playAndFocus() {
    this.play();
    this.controls.playButton.focus({ preventScroll: true });
  }

  pause() {
    if (!this.playing) return;
    this.playing = false;
    this.moved();
  }

  toggle() {
    if (this.playing) this.pause();
    else this.play();
  }

  glide(lasts) {
    if (window.matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    for (const { board } of this.lanes) board.glideFrom(performance.now(), lasts);
  }

  moved() {
    this.stale = true;
    this.changed = true;
    this.dispatchEvent(new Event("moved"));
    this.wake();
  }

  wake() {
    if (this.frame === undefined) this.frame = requestAnimationFrame((time) => this.tick(time));
  }

  tick(time) {
    this.frame = undefined;
    if (!this.host.isConnected) return;
    if (this.playing) this.advance(time);
    const share =
      (this.playing ? AHEAD_MS : AHEAD_PAUSED_MS) / (this.lanes.length + (this.comparison === null ? 0 : 1));
    let busy = false;
    for (const { timeline } of this.lanes) busy = timeline.extend(share) || busy;
    if (this.comparison !== null && !this.comparison.finished) busy = this.comparison.extend(share) || busy;
    if (this.wasBusy && !busy) this.changed = true;
    this.wasBusy = busy;
    let moving = false;
    const parted = this.comparison?.difference ?? Infinity;
    for (const { board, timeline } of this.lanes)
      board.mark = timeline.step > parted ? this.comparison.parting : null;
    if (this.stale || this.changed) {
      for (const { board } of this.lanes) moving = board.draw(time) || moving;
    } else if (busy) {
      for (const { board } of this.lanes) if (board.showsHistory) board.draw(time);
    }
    if (this.changed) this.describe();
    else if (busy && !this.playing) this.describeRun();
    this.stale = moving;
    if (this.playing || busy || moving) this.wake();
  }

  advance(time) {
    if (!this.complete) this.controls.pace(Math.min(this.known, this.until));
    const elapsed = Math.min(250, time - this.frameTime);
    this.frameTime = time;
    this.credit += (elapsed / 1000) * this.controls.stepsPerSecond;
    const steps = Math.floor(this.credit);
    if (steps === 0) return;
    this.credit -= steps;
    if (steps === 1) this.glide(Math.min(260, 900 / this.controls.stepsPerSecond));
    const reachable = this.complete
      ? this.known
      : Math.min(this.step + steps, Math.max(this.known, this.step + Math.min(steps, 64)), this.limit);
    const target = Math.min(this.step + steps, reachable, this.until);
    if (steps > SKIMMED && target !== this.until) {
      for (const { timeline } of this.lanes) timeline.skim(target);
      this.credit += target - this.step;
      this.moved();
    } else this.seek(target);
    if (target === this.until) {
      this.until = Infinity;
      this.pause();
      this.dispatchEvent(new Event("stopped"));
    } else if (this.atEnd || (this.waiting && this.step >= this.limit)) this.pause();
  }

  describe() {
    this.changed = false;
    const now = performance.now();
    const blurred = this.playing && this.controls.stepsPerSecond > FOLLOWED;
    if (blurred && now - this.describedAt < BLURRED_MS) {
      this.changed = true;
      this.controls.update();
      return;
    }
    this.describedAt = now;
    for (const { panel, timeline, canvas } of this.lanes) {
      panel.update(timeline);
      if (!this.playing) canvas.setAttribute("aria-label", describeBoard(timeline));
    }
    this.describeRun();
    this.announce();
  }

  /** What can change while the view stands still: how much is known of the run. */
  describeRun() {
    this.controls.update();
    this.sentence.replaceChildren(...this.sentences(this.lanes[0].timeline));
  }

  sentences(timeline) {
    const parts = [element("span", { class: "said" }, [describeStep(timeline)])];
    const found = describeAnswer(timeline);
    if (found !== null)
      parts.push(
        " ",
        element("span", { class: "found" }, [
          `${found.words} `,
          element("b", { class: "answer", title: found.answer }, [found.answer]),
          ".",
          ...this.verdict(timeline, found.answer),
        ]),
      );
    if (this.comparison !== null)
      parts.push(
        " ",
        element("span", { class: this.comparison.difference === null ? "same" : "differs" }, [
          this.describeComparison(),
        ]),
      );
    return parts;
  }

  /** Whether the answer is right, by the browser's own integers. */
  verdict({ subject }, answer) {
    const right = solve(subject.task, this.input);
    if (right === null) return [];
    if (right === answer)
      return [
        element("span", { class: "same right", title: "As this browser’s own integers have it" }, [" ✓"]),
      ];
    return [element("span", { class: "differs", title: right }, [` ✗ expected ${right}`])];
  }

  describeComparison() {
    const { difference, finished, left } = this.comparison;
    const subjects = this.lanes.map(({ subject }) => subject);
    const alike = subjects[0].origin === subjects[1].origin;
    const [one, two] = subjects.map(({ title, origin }) => (alike ? title : `the ${origin}`));
    if (difference !== null) {
      const first = `${capital(one)} and ${two} first differ at step ${count(difference + 1)}`;
      return `${first}, ${describeParting(this.comparison.parting, subjects, [one, two])}.`;
    }
    if (!finished) return `Comparing: ${count(left.step)} steps agree so far.`;
    return `${capital(one)} and ${two} take the same ${counted(left.step, "step")}.`;
  }

  /** Tell a screen reader where the run stands whenever it stands still, once it has stood for a moment. */
  announce() {
    clearTimeout(this.announcing);
    if (this.playing) return;
    this.announcing = setTimeout(() => {
      const text = this.sentences(this.lanes[0].timeline)
        .map((part) => part.textContent ?? part)
        .join("");
      if (this.live.textContent !== text) this.live.textContent = text;
    }, SETTLED_MS);
  }
}

function capital(words) {
  return words[0].toUpperCase() + words.slice(1);
}
