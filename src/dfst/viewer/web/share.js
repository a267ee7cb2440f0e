// Links that work elsewhere: what is shown travels in the fragment; no port, no token, no server.
//
// A subject that has a name everywhere travels by its name. Any other travels whole, packed, if it is small.

import { packData, unpackData } from "./data.js";
import { InputError } from "./input.js";

const MOST_PACKED = 12_000;
/** Subjects that have a name on this machine only. */
const NAMELESS = /^(file|taught):/;
const KEPT = ["subject", "against", "input", "step", "speed", "view", "machine", "file"];

/** The fragment for a moment: the state of the address, and the subject itself where its name is not enough. */
export async function fragmentOf(state, subject) {
  const kept = Object.fromEntries(KEPT.filter((name) => state[name]).map((name) => [name, state[name]]));
  if (NAMELESS.test(kept.subject ?? "") && !kept.machine) {
    kept.packed = forAddress(await packData(subject));
    if (kept.packed.length > MOST_PACKED)
      throw new InputError("this model is too large to travel in a link; save a replay and send that file");
  }
  return `#${new URLSearchParams(kept)}`;
}

/** What is copied: an address where the page has a home, else the command that opens it anywhere. */
export function linkTo(fragment) {
  const told = document.querySelector("meta[name=dfst-home]")?.content ?? "";
  const home = told === "" ? null : new URL(told, location.href);
  if (home === null || home.protocol === "file:") return `dfst play '${fragment.replaceAll("'", "%27")}'`;
  return new URL(fragment, home).href;
}

/** Base64 with the letters that an address may hold. */
function forAddress(text) {
  return text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The subject in a link. It says of itself what it likes: a claim is only taken from who can show the proof. */
export async function unpack(name, text) {
  try {
    if (!NAMELESS.test(name)) throw new Error("a name that is known everywhere");
    const subject = await unpackData(text.replaceAll("-", "+").replaceAll("_", "/"));
    return { ...subject, key: name, claim: undefined };
  } catch {
    throw new InputError("the link is damaged: the model in it cannot be unpacked; ask for it again");
  }
}
