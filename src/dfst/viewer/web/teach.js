// The Teach tab: work examples by hand, have them learnt, watch the model, correct it where it errs.

import { wireAsk } from "./asks.js";
import { drawCards } from "./cards.js";
import { count, counted, download, element } from "./dom.js";
import { MOTION_NAMES } from "./grid.js";
import { noise } from "./glyphs.js";
import { Examples } from "./examples.js";
import { handout } from "./handout.js";
import { HandBoard } from "./handboard.js";
import { firstDoubtful } from "./doubtful.js";
import { encodeInput, InputError } from "./input.js";
import { drawMeter } from "./meter.js";
import { Player } from "./player.js";
import { Timeline } from "./timeline.js";
import { BLANK } from "./traces.js";
import { TrainingView } from "./training.js";
import { firstUnshown, shortestUnshown } from "./unshown.js";

/** Symbols of the input that a model is first tried on; steps up to which a run is corrected by hand. */
const LONG = 40;
const MOST_CORRECTED = 5000;

const find = (id) => document.getElementById(id);

export class Teach {
  /** `watch(model, input)` shows a model on the other tab. */
  constructor(server, watch) {
    this.server = server;
    this.watch = watch;
    this.examples = new Examples();
    this.hand = new HandBoard(find("hand"), this.examples);
    this.training = new TrainingView(find("training"), server);
    this.player = new Player(find("try-player"));
    this.model = null;
    /** The learnt machine and how often the examples use each of its rules, where it has one. */
    this.machine = null;
    this.wire();
    this.refresh();
  }

  wire() {
    const { examples, hand, training } = this;
    examples.addEventListener("changed", () => this.refresh());
    hand.addEventListener("problem", ({ detail }) => this.say(detail?.message ?? ""));
    hand.addEventListener("worked", () => {
      find("example").value = "";
      find("example").focus();
    });
    training.addEventListener("asked", () => this.attempt(() => this.learn()));
    wireAsk(find("example"), find("lay-go"), () => this.attempt(() => hand.begin(find("example").value)));
    find("alphabet").addEventListener("change", (event) =>
      this.attempt(() => examples.choose(event.target.value)),
    );
    find("start").addEventListener("change", (event) => {
      examples.start = event.target.value;
      examples.changed();
    });
    find("save-examples").addEventListener("click", () => this.save());
    find("load-examples").addEventListener("click", () => find("traces").click());
    find("traces").addEventListener("change", (event) => {
      const [file] = event.target.files;
      if (file !== undefined) this.load(file);
      event.target.value = "";
    });
    find("clear-examples").addEventListener("click", () => {
      examples.clear();
      find("trying").hidden = find("handout").hidden = true;
      find("teach").classList.remove("learnt");
    });
    find("undo-examples").addEventListener("click", () => examples.undo());
    this.player.addEventListener("stopped", () => this.ask());
    const shown = () => ({
      model: this.model,
      input: this.player.input,
      canvas: this.player.lanes[0].canvas,
      words: `${this.model.name}, learnt from ${counted(examples.list.length, "example")}`,
    });
    const watch = element("button", { type: "button" }, ["Watch it large"]);
    watch.addEventListener("click", () => this.attempt(() => this.watch(this.model, this.player.input)));
    find("handout").append(
      watch,
      ...handout(shown, (subject, input) => this.server.replay({ input }, { subject, against: null }), (words) =>
        this.say(words),
      ),
    );
    wireAsk(find("try-input"), find("try-go"), () => this.attempt(() => this.work(find("try-input").value)));
    find("correct").addEventListener("click", () => this.attempt(() => this.correct()));
  }

  say(words) {
    find("teach-problem").textContent = words;
  }

  /** Do it; where it fails for a reason a person can mend, say the reason in place. */
  async attempt(action) {
    this.say("");
    try {
      await action();
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      this.say(error.message);
    }
  }

  async refresh() {
    const { examples } = this;
    drawCards(find("cards"), examples, {
      replay: (number) => this.hand.replay(examples.list[number]),
      remove: (number) => examples.remove(number),
      resume: (number) => this.resume(number),
      look: (number, step) => this.hand.open(examples.list[number], step, false),
    });
    find("alphabet").value = examples.chosen.join(" ");
    find("alphabet").placeholder = examples.alphabet.join(" ") || "as you type";
    find("start").value = examples.start;
    find("no-cards").hidden = examples.list.length > 0;
    for (const id of ["save-examples", "clear-examples"]) find(id).disabled = examples.list.length === 0;
    find("undo-examples").disabled = !examples.canUndo;
    find("teach").classList.toggle("begun", examples.list.length > 0);
    this.training.button.disabled = examples.list.length === 0 || examples.clashes.size > 0;
    await this.attempt(() => this.measure());
  }

  /** The meter, by the smallest machine that explains the examples. */
  async measure() {
    const { examples } = this;
    const host = find("meter");
    host.replaceChildren();
    if (examples.list.length === 0) return;
    if (examples.clashes.size > 0) {
      host.append(
        element("p", { class: "clash-words" }, [
          "Two examples contradict each other, so no machine does both. Delete one of those marked.",
        ]),
      );
      return;
    }
    const asked = examples.asFile();
    const { machine } = await this.server.shown(asked);
    if (machine !== null && asked === examples.asFile()) drawMeter(host, machine, false);
  }

  async learn() {
    if (this.training.running) {
      await this.training.stop();
      return;
    }
    const learnt = await this.training.learn(this.examples.asFile());
    if (learnt === null) return;
    this.model = { ...learnt.model, chalk: true };
    this.machine = learnt.machine ?? null;
    if (learnt.machine) this.tell(learnt.machine);
    find("trying").hidden = find("handout").hidden = false;
    find("teach").classList.add("learnt");
    find("try-input").value = longInput(this.examples);
    this.work(find("try-input").value);
  }

  /** What is known of inputs that no example has: which of the shortest meets, or would tell, what was never shown. */
  tell(machine) {
    const { open, runs } = shortestUnshown(this.model, machine, inputSymbols(this.examples));
    drawMeter(find("meter"), machine, true, open);
    const [unshown] = open.values();
    const doubtful = unshown ? null : firstDoubtful(machine, this.read(machine), runs);
    const words = unshown
      ? `No example shows what to do in state ${unshown.state} on ${unshown.symbol}; the input ${unshown.input} meets it. `
      : doubtful
        ? `States ${doubtful.states.join(" and ")} are not yet told apart; the input ${doubtful.input} would tell. `
        : `On the ${count(runs.length)} shortest inputs it meets nothing that the examples do not show and tell apart.`;
    const known = element("p", { class: "soft" }, [words]);
    const { input } = unshown ?? doubtful ?? {};
    if (input !== undefined) {
      const show = element("button", { type: "button" }, [`Work ${input}`]);
      show.addEventListener("click", () => this.attempt(() => this.hand.begin(input)));
      known.append(show);
    }
    find("meter").append(known);
  }

  /** What each example reads, as symbols of a machine. */
  read({ alphabet, blank }) {
    const numbered = (symbol) => (symbol === BLANK ? blank : alphabet.indexOf(symbol));
    return this.examples.list.map(({ steps }) => steps.map(({ read }) => numbered(read)));
  }

  /** Let the model work an input beside the board; where nothing was shown it stops and asks. */
  work(text) {
    this.player.open({ subject: this.model, input: text.trim() });
    find("unshown").textContent = "";
    const laid = encodeInput(this.model, text.trim());
    this.open = this.machine === null ? null : firstUnshown(this.model, this.machine, laid);
    if (this.open !== null) this.player.until = this.open.step - 1;
    this.player.play();
    if (this.player.until === 0) this.ask();
  }

  ask() {
    this.player.pause();
    find("unshown").textContent =
      `It stops and asks: no example shows what to do in state ${this.open.state} on ${this.open.symbol}. ` +
      "Show it by hand, or play on and watch it guess.";
  }

  /** Work an example on from where it halted; it is put back in its new form. */
  resume(number) {
    const { input, steps } = this.examples.list[number];
    this.examples.remove(number);
    this.hand.open({ input, steps }, steps.length - (steps.at(-1).moved === "S" ? 1 : 0), true);
  }

  /** Take the run over where it stands: what the model did so far is the beginning of an example. */
  correct() {
    this.player.pause();
    const { step, input } = this.player;
    if (step > MOST_CORRECTED)
      throw new InputError(
        `step ${step} is far to correct by hand; try a shorter input (at most ${MOST_CORRECTED} steps)`,
      );
    const timeline = new Timeline(this.model, encodeInput(this.model, input), step);
    const steps = [];
    while (timeline.step < step && timeline.forward()) {
      const { read, written, shown } = timeline.last;
      steps.push({ read: this.named(read), wrote: this.named(written), moved: MOTION_NAMES[shown] });
    }
    if (steps.at(-1)?.moved === "S") steps.pop();
    this.hand.open({ input, steps }, steps.length, true);
  }

  named(symbol) {
    return symbol === this.model.blank ? BLANK : this.model.alphabet[symbol];
  }

  save() {
    download(`${this.examples.name}.jsonl`, this.examples.asFile(), "application/jsonl");
  }

  load(file) {
    return this.attempt(async () => this.examples.load(await file.text(), file.name));
  }
}

/** The symbols that the inputs of the examples are made of. */
function inputSymbols(examples) {
  const met = examples.list.flatMap(({ input }) => examples.encode(input).symbols);
  return [...new Set(met)].filter((symbol) => symbol !== BLANK).sort();
}

/** An input far longer than the examples, of the symbols that theirs are made of. */
function longInput(examples) {
  const symbols = inputSymbols(examples);
  if (symbols.length === 0) return "";
  const random = noise(11);
  const drawn = Array.from({ length: LONG }, () => symbols[Math.floor(random() * symbols.length)]);
  return drawn.join(symbols.some((symbol) => symbol.length > 1) ? " " : "");
}
