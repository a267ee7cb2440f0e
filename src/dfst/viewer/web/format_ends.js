// What the name of the state in which a run ends says: the twin of machines/ends.py.

const ACCEPTING = new Set(["accept", "accepts", "accepted", "accepting", "acc"]);
const REJECTING = new Set(["reject", "rejects", "rejected", "rejecting", "rej"]);
/** `no` right before a word for accepting denies it as well: `no-accept`, but not `reject-no-b`. */
const DENYING = ["not", "non", "never"];
/** Words that count only where they are the whole name: a state called `no carry` rejects nothing. */
const WHOLE = new Map([
  ["yes", true],
  ["no", false],
]);
const LEADS = ["halt", "q", "h", "s"];

/** Whether a state of this name accepts (`accept`, `halt-accept`, `yes`) or rejects; null: it does not say. */
export function acceptsByName(name) {
  const words = (name.toLowerCase().match(/[a-z]+/g) ?? []).map(bare);
  if (words[0] === "halt") words.shift();
  if (words.length === 1 && WHOLE.has(words[0])) return WHOLE.get(words[0]);
  const accepts = words.some((word) => ACCEPTING.has(word));
  const rejects = words.some((word) => REJECTING.has(word));
  const denies = (word, i) => DENYING.includes(word) || (word === "no" && ACCEPTING.has(words[i + 1]));
  if (words.some(denies) || accepts === rejects) return null;
  return accepts;
}

/** A word without the letter or the `halt` that names of states are led by: `qaccept`, `haltaccept`. */
function bare(word) {
  const lead = LEADS.find((each) => word.startsWith(each) && tells(word.slice(each.length)));
  return lead === undefined ? word : word.slice(lead.length);
}

function tells(word) {
  return ACCEPTING.has(word) || REJECTING.has(word) || WHOLE.has(word);
}
