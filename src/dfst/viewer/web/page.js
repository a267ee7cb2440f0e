// The page: who works, on what, beside whom; files dropped on it; everything in the address.
//
// It asks whoever it was opened with: the local server of `dfst play`, or, where there is none, the page itself.

import { followAddress } from "./address.js";
import { wireAsk, wireRows } from "./asks.js";
import { download, element } from "./dom.js";
import { encodeInput, InputError } from "./input.js";
import { explain, TERM_NAMES } from "./explained.js";
import { wireProjector } from "./projector.js";
import { checked, proofButton } from "./proved.js";
import { fragmentOf, linkTo, unpack } from "./share.js";
import { Player } from "./player.js";
import { Sketch } from "./sketch.js";
import { wireTabs } from "./tabs.js";
import { Teach } from "./teach.js";
import { wireTheme } from "./theme.js";

/** What a newcomer sees first: the learnt adder beside its expert. */
const FIRST = { subject: "add10", against: "expert:add10", input: "999+1" };
const VIEWS = ["graph", "rules"];
const MOST_SHARED = 6000;
const COMPLAIN_MS = 700;

const find = (id) => document.getElementById(id);
const [subjectBox, inputBox, againstBox, problem] = ["subject", "input", "against", "problem"].map(find);
const player = new Player(find("player"), { wholeDocument: true });
const known = new Map();
let current = { subject: null, against: null };
const sketch = new Sketch(find("brushes"), player, (text) => {
  type(text);
  inputBox.dispatchEvent(new Event("input"));
});
player.pen = sketch;
/** Who answers; see server.js for the questions. */
let server = null;

async function load(name) {
  if (!known.has(name)) known.set(name, await server.subject(name));
  return known.get(name);
}

function offer(select, name, group) {
  if ([...select.options].some((option) => option.value === name)) return;
  const home = [...select.querySelectorAll("optgroup")].find((each) => each.label === group);
  const target = home ?? select.appendChild(element("optgroup", { label: group }));
  target.append(element("option", { value: name }, [name]));
}

/** Run an action; where it fails for a reason a person can mend, say the reason in place. */
async function attempt(action, blamed = null) {
  problem.textContent = "";
  inputBox.removeAttribute("aria-invalid");
  try {
    await action();
    return true;
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    problem.textContent = error.message;
    blamed?.setAttribute("aria-invalid", "true");
    return false;
  }
}

async function choose(name, against = "") {
  const [subject, other] = await Promise.all([load(name), against === "" ? null : load(against)]);
  current = { subject, against: other };
  offer(subjectBox, name, "Other");
  subjectBox.value = name;
  offerCompanions(name, subject);
  if (against !== "") offer(againstBox, against, "Other");
  againstBox.value = against;
  find("samples").replaceChildren(...subject.samples.map((value) => element("option", { value })));
  find("rows").hidden = !subject.task?.plane;
  inputBox.hidden = Boolean(subject.task?.plane);
  sketch.offer(subject.task);
  inputBox.placeholder = subject.task ? subject.task.example : "an empty grid";
  const computes = subject.task ? `Computes ${subject.task.meaning}.` : subject.source;
  find("claim").textContent = subject.claim ?? computes;
  explainNothing();
}

function offerCompanions(name, subject) {
  againstBox.replaceChildren(element("option", { value: "" }, ["nobody"]));
  if (subject.task === null) return;
  const task = subject.task.name;
  const learnt = [...subjectBox.options].map((option) => option.value).filter((value) => value === task);
  for (const each of [...learnt, `expert:${task}`, `compiled:${task}`]) {
    if (each !== name) againstBox.append(element("option", { value: each }, [each]));
  }
}

function explainNothing() {
  find("term").hidden = true;
  for (const button of find("terms").children) button.setAttribute("aria-expanded", "false");
}

function wireTerms() {
  for (const name of TERM_NAMES) {
    const button = element("button", { type: "button", "aria-expanded": "false" }, [name]);
    button.addEventListener("click", () => {
      const opens = button.getAttribute("aria-expanded") === "false";
      explainNothing();
      if (!opens) return;
      button.setAttribute("aria-expanded", "true");
      find("term").replaceChildren(explain(name, current.subject));
      if (name === "Proved" && current.subject.claim) find("term").append(proofButton(current.subject, server, load));
      find("term").hidden = false;
    });
    find("terms").append(button);
  }
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || find("term").hidden) return;
    find("terms").querySelector("[aria-expanded=true]").focus();
    explainNothing();
  });
}

/** Put a text into the box, whichever of the two is shown. */
function type(text) {
  inputBox.value = text;
  find("rows").value = text.replaceAll("/", "\n");
}

function run(step = 0) {
  player.open({ ...current, input: inputBox.value, step });
}

/** Keep what was typed where the new subject can take it; else its first example. */
function fittingInput(subject) {
  try {
    encodeInput(subject, inputBox.value);
    if (inputBox.value !== "") return inputBox.value;
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
  }
  return subject.samples[0] ?? "";
}

/** The Teach tab, made when it is first looked at. */
let lesson = null;
const teach = () => (lesson ??= new Teach(server, watchTaught));

/** What was taught, on the other tab: its address holds it, so that it outlives a reload. */
async function watchTaught(model, input) {
  known.set(model.key, model);
  offer(subjectBox, model.key, "Taught");
  location.hash = await fragmentOf({ subject: model.key, input }, model);
}

async function restore(asked) {
  tabs.show(asked.tab === "teach" ? "teach" : "watch");
  const state = asked.subject === undefined ? { ...FIRST, ...asked } : asked;
  const name = state.subject;
  player.look(VIEWS.includes(state.view) ? state.view : "suited");
  const restored = await attempt(async () => {
    if (state.packed !== undefined) known.set(name, await unpack(name, state.packed));
    try {
      await choose(name, state.against ?? "");
    } catch (error) {
      if (state.machine === undefined) throw error;
      await accept(state.file ?? "machine", state.machine);
    }
    type(state.input ?? fittingInput(current.subject));
  });
  if (restored) await attempt(() => run(Number(state.step) || 0), inputBox);
  else if (player.lanes.length === 0 && name !== FIRST.against) {
    const words = problem.textContent;
    await restore({ subject: FIRST.against });
    problem.textContent = words;
  }
}

async function change(name, against) {
  const done = await attempt(async () => {
    await choose(name, against);
    type(fittingInput(current.subject));
    run();
  }, inputBox);
  if (done) address.keep({ subject: name, against, input: inputBox.value, step: "", machine: "", file: "" });
}

/** A machine file or weights: whoever answers reads it and gives it a name. */
async function accept(file, content) {
  const subject = await server.read(file, content);
  known.set(subject.key, subject);
  offer(subjectBox, subject.key, "Dropped files");
  await choose(subject.key);
  return subject;
}

async function acceptFile(file) {
  const done = await attempt(async () => {
    const content = await file.arrayBuffer();
    const subject = await accept(file.name, content);
    type(fittingInput(subject));
    run();
    const text = new TextDecoder().decode(content);
    const shared =
      subject.kind === "table" && text.length <= MOST_SHARED
        ? { machine: text, file: file.name }
        : { machine: "", file: "" };
    address.keep({ subject: subject.key, against: "", input: inputBox.value, step: "", ...shared });
  });
  if (done) player.play();
}

async function saveReplay() {
  await attempt(async () => {
    const wanted = { subject: subjectBox.value, against: againstBox.value, input: inputBox.value };
    download(`${current.subject.name}.html`, await server.replay(wanted, current), "text/html");
  });
}

function wireDropping() {
  const { body } = document;
  let depth = 0;
  body.addEventListener("dragenter", () => body.classList.toggle("dropping", ++depth > 0));
  body.addEventListener("dragleave", () => body.classList.toggle("dropping", --depth > 0));
  body.addEventListener("dragover", (event) => event.preventDefault());
  body.addEventListener("drop", (event) => {
    event.preventDefault();
    depth = 0;
    body.classList.remove("dropping");
    const [file] = event.dataTransfer.files;
    if (file !== undefined) take(file);
  });
}

/** A file that was dropped or chosen: worked examples are to teach with, all else works on the board. */
function take(file) {
  const examples = file.name.endsWith(".jsonl");
  tabs.show(examples ? "teach" : "watch");
  if (examples) teach().load(file);
  else if (file.name.endsWith(".proof.json")) acceptProof(file);
  else acceptFile(file);
}

/** A proof that was dropped: it is checked against the model that is shown. */
function acceptProof(file) {
  return attempt(async () => {
    explainNothing();
    find("term").replaceChildren(await checked(await file.text(), current.subject, load));
    find("term").hidden = false;
  });
}

let address = null;
const tabs = wireTabs(["watch", "teach"], (name) => {
  if (name === "teach") teach();
  player.pause();
  document.body.dataset.tab = name;
  address?.keep({ tab: name === "teach" ? name : "" });
});

/** Fill the page and make it work; once. */
export async function openPage(answering) {
  server = answering;
  let complaint;
  wireTheme(find("theme"));
  wireTerms();
  wireDropping();
  for (const { label, names } of await server.subjects())
    for (const name of names) offer(subjectBox, name, label);
  address = followAddress(player, restore);
  subjectBox.addEventListener("change", () => change(subjectBox.value, ""));
  againstBox.addEventListener("change", () => change(subjectBox.value, againstBox.value));
  inputBox.addEventListener("input", () => {
    clearTimeout(complaint);
    try {
      run();
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      // Half of an input is no mistake yet; who stops there is told.
      complaint = setTimeout(() => attempt(() => run(), inputBox), COMPLAIN_MS);
      return;
    }
    attempt(() => address.keep({ subject: subjectBox.value, input: inputBox.value, step: "" }));
  });
  wireRows(find("rows"), inputBox);
  wireAsk(inputBox, find("go"), async () => {
    clearTimeout(complaint);
    if (await attempt(() => run(), inputBox)) player.playAndFocus();
  });
  find("open").addEventListener("click", () => find("file").click());
  find("file").addEventListener("change", (event) => {
    const [file] = event.target.files;
    if (file !== undefined) take(file);
    event.target.value = "";
  });
  find("save").addEventListener("click", saveReplay);
  find("copy").addEventListener("click", (event) => {
    const button = event.currentTarget;
    attempt(async () => {
      const shown = {
        ...address.state,
        subject: subjectBox.value,
        against: againstBox.value,
        input: inputBox.value,
      };
      shown.step = player.step > 0 ? String(player.step) : "";
      const link = linkTo(await fragmentOf(shown, current.subject));
      try {
        await navigator.clipboard.writeText(link);
      } catch {
        throw new InputError(`This browser lets no page copy here. The link, to copy by hand: ${link}`);
      }
      button.textContent = "Copied";
      setTimeout(() => (button.textContent = "Copy link"), 1500);
    });
  });
  player.addEventListener("moved", () => {
    if (address !== null && (address.state.view || "suited") !== player.view && player.lanes.length > 0)
      address.keep({ view: player.view === "suited" ? "" : player.view });
  });
  wireProjector(find("projector"));
}
