// Machine files in the browser: which format a text is in, and the machine it describes.
//
// The twin of machines/formats/__init__.py; each format has a twin of its own, and a test compares what they read.

import { parseBbchallenge } from "./format_bbchallenge.js";
import { InputError } from "./input.js";
import { parseJflap } from "./format_jflap.js";
import { parseMachineJson } from "./format_json.js";
import { parseMorphett } from "./format_morphett.js";
import { parseTuringmachineIo } from "./format_turingmachine_io.js";
import { parseTurmite } from "./format_turmite.js";

const MOST_CHARACTERS = 10_000_000;
const MOST_DISLIKED = 70;
const FORMATS = {
  json: { suffixes: ["json"], parse: parseMachineJson },
  bbchallenge: { suffixes: ["bb"], parse: parseBbchallenge },
  "turingmachine.io": { suffixes: ["yaml", "yml"], parse: parseTuringmachineIo },
  morphett: { suffixes: ["tm"], parse: parseMorphett },
  jflap: { suffixes: ["jff"], parse: parseJflap },
  turmite: { suffixes: ["turmite"], parse: parseTurmite },
};
const WRITTEN_ONLY = { dot: "dot", gv: "dot" };
const STANDARD_TEXT = /^(?:[0-9][LR][A-Z]|---)+(?:_(?:[0-9][LR][A-Z]|---)+)*/;
const MORPHETT_LINE = /^[ \t]*[^\s;]+[ \t]+[^\s;]+[ \t]+[^\s;]+[ \t]+[lrLR*][ \t]+[^\s;]+/m;

/** The machine in a file's text; it is called after the file unless the text names it. */
export async function parseMachine(text, file, taskCalled) {
  if (text.length > MOST_CHARACTERS)
    throw new InputError(`expected a machine of at most ${MOST_CHARACTERS} characters, found ${text.length}`);
  const [, name, suffix] = /^(.+?)(?:\.([^.]*))?$/.exec(file);
  const format = guessFormat(text, (suffix ?? "").toLowerCase());
  if (format === null) return byTrial(text, name, taskCalled);
  try {
    return await FORMATS[format].parse(text, name, taskCalled);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    throw new InputError(`${format}: ${error.message}`);
  }
}

/** Whether a name is meant as a machine: bbchallenge text or a turmite. */
export function looksLikeMachine(text) {
  return text.trimStart().startsWith("{") || (STANDARD_TEXT.test(text) && !/[./\\]/.test(text));
}

function guessFormat(text, suffix) {
  for (const [format, { suffixes }] of Object.entries(FORMATS)) if (suffixes.includes(suffix)) return format;
  if (suffix in WRITTEN_ONLY)
    throw new InputError(`${WRITTEN_ONLY[suffix]} is written only; give ${Object.keys(FORMATS).join(", ")}`);
  const start = text.replace(/^[\ufeff \t\r\n]+/, "").slice(0, 1000);
  if (start.startsWith("<")) return "jflap";
  if (/^\{\s*\{/.test(start)) return "turmite";
  if (start.startsWith("{")) return "json";
  if (STANDARD_TEXT.test(start)) return "bbchallenge";
  if (/^[ \t]*(?:table|source code)[ \t]*:/m.test(text)) return "turingmachine.io";
  return MORPHETT_LINE.test(text) ? "morphett" : null;
}

/** The format that takes the text, where it does not show which it is; else what each of them dislikes. */
async function byTrial(text, name, taskCalled) {
  const dislikes = [];
  for (const [format, { parse }] of Object.entries(FORMATS)) {
    try {
      return await parse(text, name, taskCalled);
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      dislikes.push(`${format}: ${cut(error.message)}`);
    }
  }
  throw new InputError(`cannot tell the format of this machine; tried ${dislikes.join(" | ")}`);
}

function cut(text) {
  return text.length <= MOST_DISLIKED ? text : `${text.slice(0, MOST_DISLIKED - 1)}…`;
}
