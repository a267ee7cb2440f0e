// What there is to understand, in a sentence each: what is read, written, learnt and proved.

const TERMS = {
  Read: () =>
    "At every step the head sees one symbol: the one under the yellow frame. It sees nothing else of the board.",
  Written: ({ kind }) =>
    kind === "dfst"
      ? "For the symbol read, the model scores every symbol and every motion (B[x]h and C[x]h, the bars). The highest of each wins: it is written there, and the head moves."
      : "The rule for its state and the symbol read, lit on the right, says what is written there, where the head moves, and which state follows.",
  Learnt: (subject) =>
    subject.kind !== "dfst"
      ? "Nothing: this machine was built by hand. It is the teacher. A model that learns from it sees what it read, wrote and how it moved, never its rules or states."
      : subject.origin === "compiled DFST"
        ? "Nothing: these weights were written by hand, a number for each state of the expert. They show what a learnt model may look like inside."
        : `Every number in the matrices A[x], B[x] and C[x], by gradient descent${examples(subject)}. Its memory between steps is h, ${subject.d} numbers; it was never shown a rule or a state.`,
  Proved: ({ claim, title, kind }) =>
    claim
      ? `${claim} The proof is a file; dfst prove ${title} makes it again, and computes every claim in it.`
      : kind === "dfst"
        ? `Nothing that this page knows of. Ask: dfst prove ${title}`
        : "Choose a learnt model: then you read here what is proved of it.",
};

export const TERM_NAMES = Object.keys(TERMS);

export function explain(name, subject) {
  return TERMS[name](subject);
}

function examples({ samples_seen: seen }) {
  return seen ? ` from ${Number(seen).toLocaleString("en")} worked examples` : "";
}
