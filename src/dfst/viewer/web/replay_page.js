// A run as one HTML file, made in the browser: the twin of viewer/replay.py.

import { base64, bytesIn, packData } from "./data.js";
import { encodeInput } from "./input.js";

/** Bytes of parameters that a page holds as they are. */
const LARGEST_MODEL = 600_000;
const ESCAPED = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#x27;" };

/** The document; `pieces` is all of it but the title, the heading and the data, which come between them. */
export async function replayPage(pieces, subject, input, against = null) {
  encodeInput(subject, input);
  if (against !== null) encodeInput(against, input);
  const data = { subject: alone(subject), against: against === null ? null : alone(against), input };
  const heading = escaped(short(`${subject.name} ${input}`.trim()));
  const [start, titled, headed, end] = pieces;
  return `${start}${heading} · dfst${titled}${heading}${headed}${await packData(data)}${end}`;
}

/** A subject without what only this page says of it; a large model in float32, and the replay says which it is. */
function alone({ key, claim, ...subject }) {
  const named = { ...subject, title: subject.name };
  if (subject.kind !== "dfst" || subject.precision === "float32") return named;
  const tensors = ["A", "B", "C", "h0"].map((name) => [
    name,
    new Float64Array(bytesIn(subject[name]).buffer),
  ]);
  if (tensors.reduce((sum, [, { byteLength }]) => sum + byteLength, 0) <= LARGEST_MODEL) return named;
  const single = (numbers) => base64(new Uint8Array(Float32Array.from(numbers).buffer));
  const light = Object.fromEntries(tensors.map(([name, numbers]) => [name, single(numbers)]));
  return { ...named, precision: "float32", ...light };
}

const short = (text) => (text.length <= 60 ? text : `${text.slice(0, 57)}…`);
const escaped = (text) => text.replace(/[&<>"']/g, (character) => ESCAPED[character]);
