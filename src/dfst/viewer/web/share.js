// Links that work elsewhere: what is shown travels in the fragment; no port, no token, no server.
//
// A subject that has a name everywhere travels by its name. Any other travels whole, packed, if it is small.

import { InputError } from "./input.js";

const MOST_PACKED = 12_000;
const KEPT = ["subject", "against", "input", "step", "speed", "view", "machine", "file"];

/** The fragment for a moment: the state of the address, and the subject itself where its name is not enough. */
export async function fragmentOf(state, subject) {
  const kept = Object.fromEntries(KEPT.filter((name) => state[name]).map((name) => [name, state[name]]));
  if (/^(file|taught):/.test(kept.subject ?? "") && !kept.machine) {
    kept.packed = await pack({ ...subject, graph: null });
    if (kept.packed.length > MOST_PACKED)
      throw new InputError("this model is too large to travel in a link; save a replay and send that file");
  }
  return `#${new URLSearchParams(kept)}`;
}

/** What is copied: an address where the page has a home, else the command that opens it anywhere. */
export function linkTo(fragment) {
  const home = document.querySelector("meta[name=dfst-home]")?.content ?? "";
  return home === "" ? `dfst play '${fragment.replaceAll("'", "%27")}'` : new URL(fragment, home).href;
}

async function pack(data) {
  const packed = new Blob([JSON.stringify(data)]).stream().pipeThrough(new CompressionStream("gzip"));
  const bytes = new Uint8Array(await new Response(packed).arrayBuffer());
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

export async function unpack(text) {
  try {
    const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) =>
      c.charCodeAt(0),
    );
    const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return JSON.parse(await new Response(plain).text());
  } catch {
    throw new InputError("the link is damaged: the model in it cannot be unpacked; ask for it again");
  }
}
