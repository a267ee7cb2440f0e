// The answers of a page that has no server: every subject stands packed in the document, files are read here.
//
// It answers the questions of server.js as viewer/offered.py does; a test compares the two. Examples are learnt
// here, in a worker.

import { classroom } from "./classroom.js";
import { compiled } from "./compiled.js";
import { fingerprint, unpackData } from "./data.js";
import { InputError } from "./input.js";
import { looksLikeMachine, parseMachine } from "./formats.js";
import { replayPage } from "./replay_page.js";
import { parseWeights } from "./format_weights.js";

const MOST_BYTES = 16 << 20;
const COMPILED = "compiled:";
/** Where the site keeps the proofs, seen from this page. */
const PROOFS = "proofs/";

/**
 * `groups`: [{label, names}]; `subjects`: packed, by name; `replay`: the packed pieces of a replay; `startWorker`
 * makes a worker that runs learner_worker.js.
 */
export function hostedServer({ groups, subjects, replay }, startWorker) {
  const dropped = new Map();

  async function named(name) {
    if (dropped.has(name)) return dropped.get(name);
    if (Object.hasOwn(subjects, name)) return unpackData(subjects[name]);
    const task = name.startsWith(COMPILED) ? `expert:${name.slice(COMPILED.length)}` : "";
    if (Object.hasOwn(subjects, task)) return { ...compiled(await unpackData(subjects[task])), key: name };
    if (looksLikeMachine(name))
      return { ...(await parseMachine(name, "machine", taskCalled)), title: name, key: name };
    throw new InputError(
      `this page has no ${quoted(name)}; choose from its list or drop a file. ` +
        "dfst play knows more, such as experts of every radix",
    );
  }

  /** What a file may refer to: {task, alphabet, layout, samples} of a task whose expert is here. */
  async function taskCalled(name) {
    const expert = `expert:${name}`;
    if (!Object.hasOwn(subjects, expert))
      throw new InputError(`this page does not know the task ${quoted(name)}; dfst play may`);
    return unpackData(subjects[expert]);
  }

  async function read(file, content) {
    const called =
      file
        .replace(/^.*[/\\]/, "")
        .replace(/[^\p{L}\p{N}_. -]/gu, "_")
        .slice(0, 80) || "machine";
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : new Uint8Array(content);
    if (bytes.length === 0 || bytes.length > MOST_BYTES)
      throw new InputError(`expected a file of 1 to ${MOST_BYTES} bytes, found ${bytes.length}`);
    const subject = called.endsWith(".safetensors")
      ? await parseWeights(bytes.slice().buffer, called, taskCalled)
      : await parseMachine(textOf(bytes, called), called, taskCalled);
    const key = `file:${called}#${fingerprint(bytes)}`;
    dropped.set(key, { ...subject, key });
    return dropped.get(key);
  }

  return {
    ...classroom(startWorker),
    subjects: async () => groups,
    subject: named,
    read,
    proof: fetchedProof,
    replay: async ({ input }, { subject, against }) =>
      replayPage(await unpackData(replay), subject, input, against),
  };
}

/** A proof file from the site; a page on a disk may not ask for files beside it. */
async function fetchedProof(name) {
  const file = `${name}.proof.json`;
  try {
    const reply = await fetch(PROOFS + file);
    if (reply.ok) return await reply.text();
  } catch {
    // Told below.
  }
  throw new InputError(`this page cannot fetch ${file}; drop that file on it, or ask: dfst prove ${name}`);
}

function textOf(bytes, file) {
  if (/\.py$/i.test(file))
    throw new InputError(`${file} is Python, which a page cannot run; ask: dfst run ${file}:FUNCTION INPUT`);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new InputError(`${file} is not text: expected a machine file or weights (.safetensors)`);
  }
}

function quoted(name) {
  const text = String(name);
  return `'${text.length <= 40 ? text : `${text.slice(0, 37)}…`}'`;
}
