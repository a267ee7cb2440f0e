// The Teach tab: work examples by hand, have them learnt, watch the model, correct it where it errs.

import { wireAsk } from "./asks.js";
import { drawCards } from "./cards.js";
import { count, element } from "./dom.js";
import { MOTION_NAMES } from "./grid.js";
import { noise } from "./glyphs.js";
import { Examples } from "./examples.js";
import { HandBoard } from "./handboard.js";
import { encodeInput, InputError } from "./input.js";
import { drawMeter } from "./meter.js";
import { Player } from "./player.js";
import { Timeline } from "./timeline.js";
import { BLANK } from "./traces.js";
import { TrainingView } from "./training.js";
import { firstUnshown } from "./unshown.js";

/** Symbols of the input that a model is first tried on; steps up to which a run is corrected by hand. */
const LONG = 40;
const MOST_CORRECTED = 5000;

const find = (id) => document.getElementById(id);

export class Teach {
  constructor(server) {
    this.server = server;
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
      examples.forget();
      examples.changed();
    });
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
      look: (number, step) => this.hand.open(examples.list[number], step, false),
    });
    find("alphabet").value = examples.chosen.join(" ");
    find("alphabet").placeholder = examples.alphabet.join(" ") || "as you type";
    find("start").value = examples.start;
    find("no-cards").hidden = examples.list.length > 0;
    for (const id of ["save-examples", "clear-examples"]) find(id).disabled = examples.list.length === 0;
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
    if (learnt.machine) drawMeter(find("meter"), learnt.machine, true);
    find("trying").hidden = false;
    find("teach").classList.add("learnt");
    find("try-input").value = longInput(this.examples);
    this.work(find("try-input").value);
  }

  /** Let the model work an input beside the board. */
  work(text) {
    this.player.open({ subject: this.model, input: text.trim() });
    this.warn(encodeInput(this.model, text.trim()));
    this.player.play();
  }

  /** Say where the run goes beyond what the examples show. */
  warn(laid) {
    const found = this.machine === null ? null : firstUnshown(this.model, this.machine, laid);
    find("unshown").textContent =
      found === null
        ? ""
        : `Step ${count(found.step)} meets what no example has shown: ${found.symbol} read in state ${found.state}. ` +
          "What it does from there on is a guess; show it in an example.";
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
    const link = element("a", { download: `${this.examples.name.replace(/[^\w.-]+/g, "-")}.jsonl` });
    link.href = URL.createObjectURL(new Blob([this.examples.asFile()], { type: "application/jsonl" }));
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  }

  load(file) {
    return this.attempt(async () => this.examples.load(await file.text(), file.name));
  }
}

/** An input far longer than the examples, of the symbols that theirs are made of. */
function longInput(examples) {
  const met = examples.list.flatMap(({ input }) => examples.encode(input).symbols);
  const symbols = [...new Set(met)].filter((symbol) => symbol !== BLANK);
  if (symbols.length === 0) return "";
  const random = noise(11);
  const drawn = Array.from({ length: LONG }, () => symbols[Math.floor(random() * symbols.length)]);
  return drawn.join(symbols.some((symbol) => symbol.length > 1) ? " " : "");
}
