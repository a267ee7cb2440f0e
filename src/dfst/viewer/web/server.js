// The local server of `dfst play`, as the page asks it; what it refuses comes back as words.

import { classroom } from "./classroom.js";
import { InputError } from "./input.js";
import { replayPage } from "./replay_page.js";

const MOST_WORDS = 300;

async function ask(path, options) {
  let reply;
  try {
    reply = await fetch(path, options);
  } catch {
    throw new InputError("the local server does not answer; is `dfst play` still running?");
  }
  const data = await reply.json();
  if (!reply.ok) throw new InputError(data.error.slice(0, MOST_WORDS));
  return data;
}

const send = (path, body) => ask(path, { method: "POST", body });

/** The proof of a shipped model, as text. */
const proof = async (name) => (await ask(`proof?name=${encodeURIComponent(name)}`)).text;

export const localServer = {
  ...classroom(() => new Worker("learner.js")),
  /** [{label, names}] of all there is. */
  subjects: () => ask("subjects"),
  subject: (name) => ask(`subject?name=${encodeURIComponent(name)}`),
  /** A machine file or weights: the server reads it and gives it a name. */
  read: (file, content) => send(`machine?file=${encodeURIComponent(file)}`, content),
  proof,
  /** A self-contained replay of what is shown. */
  replay: async ({ input }, { subject, against }) =>
    replayPage(await ask("pieces"), subject, input, against),
};
