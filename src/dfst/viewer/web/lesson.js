// The home: a lesson of sixty seconds. A person works three numbers by hand; what they show is learnt on the spot,
// asks where nothing was shown, and is right on a thousand digits.

import { classroom } from "./classroom.js";
import { unpackData } from "./data.js";
import { count, download, element } from "./dom.js";
import { GraphView } from "./graph.js";
import { handout } from "./handout.js";
import { readAnswer } from "./grid.js";
import { LessonBoard } from "./lesson_board.js";
import { INCREMENT, workedSteps } from "./lesson_increment.js";
import { networkFollows, PARAMETERS } from "./lesson_network.js";
import { LossCurve, Matrices } from "./lesson_pictures.js";
import { machineGraph } from "./machine_graph.js";
import { checkProof } from "./proof_checker.js";
import { writeProof } from "./proof_writing.js";
import { replayPage } from "./replay_page.js";
import { fragmentOf } from "./share.js";
import { followSystem } from "./theme.js";
import { writeTraces } from "./traces.js";
import { firstUnshown } from "./unshown.js";
import { encodeInput } from "./input.js";

const SHOWN = "1011";
const EXAMPLES = ["0", "10", "01"];
const ASKED = "111";
const LONG = 1000;
const POLL_MS = 60;
const KEYS = { ArrowLeft: "L", ArrowRight: "R", Enter: "S", 0: "0", 1: "1" };
const NAMES = { L: "←", R: "→", S: "Halt" };
const SPOKEN = { L: "Move left", R: "Move right", S: "Halt", 0: "Write 0", 1: "Write 1" };

const find = (id) => document.getElementById(id);
const held = (id) => find(id).textContent;
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

function startWorker() {
  const address = URL.createObjectURL(new Blob([held("dfst-learner")], { type: "text/javascript" }));
  const worker = new Worker(address);
  URL.revokeObjectURL(address);
  return worker;
}

function say(words) {
  find("say").textContent = words;
}

/** Offer keys, {key: [text, class]}, and give the one that is pressed, by hand or on the keyboard. */
function pressed(keys) {
  return new Promise((resolve) => {
    const ended = new AbortController();
    const take = (key) => {
      ended.abort();
      resolve(key);
    };
    find("keys").replaceChildren(
      ...Object.entries(keys).map(([key, [text, kind]]) => {
        const button = element("button", { type: "button", class: kind, "data-key": key }, [text]);
        if (SPOKEN[key]) button.setAttribute("aria-label", SPOKEN[key]);
        button.addEventListener("click", () => take(key), { signal: ended.signal });
        return button;
      }),
    );
    window.addEventListener(
      "keydown",
      (event) => {
        const key = KEYS[event.key];
        if (event.ctrlKey || event.metaKey || event.altKey || !(key in keys)) return;
        if (event.key === "Enter" && event.target instanceof HTMLButtonElement) return;
        event.preventDefault();
        take(key);
      },
      { signal: ended.signal },
    );
  });
}

class Lesson {
  constructor() {
    this.board = new LessonBoard(find("board"));
    this.room = classroom(startWorker);
    this.examples = [];
    find("scenes").replaceChildren(...Array.from({ length: 5 }, () => element("li")));
  }

  scene(number) {
    [...find("scenes").children].forEach((dot, i) => dot.classList.toggle("done", i <= number));
    document.body.dataset.scene = String(number);
  }

  async teach() {
    await this.watch();
    await this.work();
    let learnt = await this.learn("Gradient descent learns from your three examples, here in your browser.");
    if (await this.ask(learnt))
      learnt = await this.learn("It learns again, from four examples now.");
    await this.race(learnt);
    await this.share(learnt);
  }

  async watch() {
    this.scene(0);
    say(`A hand adds one to ${SHOWN}: to the end of the number, then back with the carry.`);
    let over = false;
    const turn = pressed({ go: ["Your turn", "go wide"] }).then(() => (over = true));
    while (!over) {
      await Promise.race([this.board.run(INCREMENT, SHOWN, { pace: 3 }), turn]);
      await Promise.race([pause(1200), turn]);
    }
    this.board.stop();
  }

  async work() {
    this.scene(1);
    const words = [
      "Your turn: add one to 0. The lit key shows the way.",
      "Now 10: walk to its end, and back.",
      "And 01: a one becomes 0, and the carry moves on.",
    ];
    for (const [i, input] of EXAMPLES.entries()) {
      say(words[i]);
      this.board.lay(input);
      const steps = workedSteps(input);
      for (const step of steps) await this.take(step);
      this.examples.push({ input, steps });
      await pause(500);
    }
  }

  /** Wait until a person has taken this step. */
  async take(step) {
    const wanted = [...(step.wrote === step.read ? [] : [step.wrote]), step.moved];
    for (const key of wanted) {
      const lit = (each) => (each === key ? "hint" : "");
      const offered = Object.fromEntries(
        ["0", "1", "L", "R", "S"].map((each) => [each, [NAMES[each] ?? each, lit(each)]]),
      );
      // An object puts keys that look like numbers first, which is where they belong here.
      while ((await pressed(offered)) !== key) say(`Here it goes ${SPOKEN[key].toLowerCase()}.`);
      if (key === "0" || key === "1") {
        this.board.desk.pending = key;
        this.board.redraw();
      }
    }
    this.board.act(step);
  }

  async learn(words) {
    this.scene(2);
    say(words);
    find("keys").replaceChildren();
    const [curve, matrices] = [new LossCurve(), new Matrices([...INCREMENT.alphabet])];
    find("seen").replaceChildren(curve.root, matrices.root);
    await this.room.learn(
      writeTraces({ name: "increment", alphabet: ["0", "1"], start: "first", examples: this.examples }),
    );
    for (;;) {
      const told = await this.room.learning(0);
      if (told.A) matrices.draw(told.A, told.d, false);
      curve.draw(told.curve, told.iterations);
      if (told.phase === "done") {
        const model = { ...told.model, chalk: true };
        matrices.draw(zerosAndOnes(told.machine), told.machine.states.length, true);
        const picture = element("div", { class: "machine" });
        const figure = element("figure", { class: "dfst became" }, [picture, element("figcaption", {}, ["the machine it became"])]);
        find("seen").append(figure);
        new GraphView(picture, machineGraph(told.machine));
        await pause(this.board.still ? 0 : 900);
        return { model, machine: told.machine };
      }
      if (told.phase === "failed") throw new Error(told.said);
      await pause(POLL_MS);
    }
  }

  /** Where it meets what no example shows, it stops and asks; whether there was something to ask. */
  async ask({ model, machine }) {
    this.scene(3);
    const open = firstUnshown(model, machine, encodeInput(model, ASKED));
    if (open === null) return false;
    say(`It tries ${ASKED} …`);
    await this.board.run(model, ASKED, { pace: 4, until: open.step - 1 });
    say("It stops: the carry has left the number, and no example shows what to do on an empty cell. What would you do?");
    const wrong = {
      left: "Then it would never end. Try another.",
      leave: "Then 111 and one would make 000. Try another.",
    };
    const offered = {
      1: ["Write 1, halt", "wide"],
      left: ["Move on left", "wide"],
      leave: ["Just halt", "wide"],
    };
    for (let answer = ""; answer !== "1"; ) {
      answer = await pressed(offered);
      if (answer in wrong) say(wrong[answer]);
    }
    this.examples.push({ input: ASKED, steps: workedSteps(ASKED) });
    return true;
  }

  async race({ model, machine }) {
    this.scene(4);
    find("keys").replaceChildren();
    const digits = `1${Array.from({ length: LONG - 1 }, () => (Math.random() < 0.5 ? "0" : "1")).join("")}`;
    const steps = workedSteps(digits);
    say(`Its examples had three digits at most. Here are ${count(LONG)}.`);
    const timeline = await this.board.run(model, digits, { seconds: this.board.still ? 0 : 2 });
    if (timeline === null) return;
    const right = readAnswer(timeline.view.grid, model.alphabet) === (BigInt(`0b${digits}`) + 1n).toString(2);
    const network = networkFollows(steps);
    const row = (name, done, words, kind) => [
      element("span", {}, [name]),
      element("meter", { min: "0", max: String(steps.length), value: String(done), "aria-label": name }),
      element("b", { class: kind }, [words]),
    ];
    this.proof = await writeProof(model, machine, INCREMENT);
    const shown = this.proof === null ? null : await checkProof(this.proof, model, INCREMENT);
    find("after").replaceChildren(
      element("div", { class: "race" }, [
        ...row("what you taught", timeline.known, right ? `right, ${count(steps.length)} steps` : "wrong", right ? "good" : "bad"),
        ...row(`a GRU of ${PARAMETERS} weights, shown the same`, network, `errs at step ${network + 1}`, "bad"),
      ]),
      element("p", { class: "proof" }, [proofWords(shown)]),
    );
    say(right ? "Right to the last digit." : "It is not right: one of the examples was worked otherwise.");
  }

  async share({ model }) {
    const state = { subject: model.key, input: ASKED };
    const fragment = await fragmentOf(state, model);
    const workbench = document.querySelector("meta[name=dfst-home]").content;
    const shown = () => ({
      model,
      input: ASKED,
      canvas: this.board.canvas,
      words: `Binary increment, learnt from ${this.examples.length} examples worked by hand`,
    });
    const replay = async (subject, input) => replayPage(await unpackData(held("dfst-replay")), subject, input);
    const proof = element("button", { type: "button" }, ["Save the proof"]);
    proof.hidden = this.proof === null;
    proof.addEventListener("click", () => download("increment.proof.json", this.proof, "application/json"));
    find("after").append(
      element("div", { class: "tools" }, [
        ...handout(shown, replay, say),
        proof,
        element("a", { href: `${workbench}${fragment}`, class: "more" }, ["Watch it in the workbench"]),
        element("a", { href: `${workbench}#tab=teach`, class: "more" }, ["Teach something of your own"]),
      ]),
    );
    if ((await pressed({ again: ["Once more", "wide"] })) === "again") location.reload();
  }
}

/** What was checked, and what follows from it. */
function proofWords(shown) {
  if (shown === null) return "Its machine is not that of increment, so nothing is claimed of other numbers.";
  return (
    `Right on every number, of any length: proved. The checker on this page took ${shown.seconds.toFixed(2)} s to see ` +
    `that its ${shown.states} learnt states do what increment does, whatever they read, ${shown.arithmetic}. The proof is ` +
    "a file of yours: other checkers read it, too."
  );
}

/** A of the machine in the basis of its states. */
function zerosAndOnes({ states, alphabet, next }) {
  const [n, k] = [states.length, alphabet.length];
  const A = new Float64Array(k * n * n);
  next.forEach((to, rule) => {
    if (to >= 0) A[((rule % k) * n + to) * n + Math.floor(rule / k)] = 1;
  });
  return A;
}

followSystem(document.body);
await new Lesson().teach();
