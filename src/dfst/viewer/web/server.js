// The local server of `dfst play`, as the page asks it; what it refuses comes back as words.

import { InputError } from "./input.js";

const MOST_WORDS = 300;

async function ask(path, options) {
  let reply;
  try {
    reply = await fetch(path, options);
  } catch {
    throw new InputError("the local server does not answer; is `dfst play` still running?");
  }
  if (reply.headers.get("Content-Type")?.startsWith("text/html") && reply.ok) return reply.text();
  const data = await reply.json();
  if (!reply.ok) throw new InputError(data.error.slice(0, MOST_WORDS));
  return data;
}

const send = (path, body) => ask(path, { method: "POST", body });

export const localServer = {
  /** Whether examples can be learnt from. */
  learns: true,
  /** [{label, names}] of all there is. */
  subjects: () => ask("subjects"),
  subject: (name) => ask(`subject?name=${encodeURIComponent(name)}`),
  /** A machine file or weights: the server reads it and gives it a name. */
  read: (file, content) => send(`machine?file=${encodeURIComponent(file)}`, content),
  /** A self-contained replay; `wanted` goes by name. A page without a server is given the subjects as well. */
  replay: (wanted) => ask(`replay?${new URLSearchParams(wanted)}`),
  /** What worked examples show, given as a trace file. */
  shown: (examples) => send("shown", examples),
  learn: (examples) => send("learn", examples),
  learning: (after) => ask(`learning?after=${after}`),
  stop: () => send("stop", ""),
};
