// A proof file made in the browser: a taught model does what a machine does on every word over its digits.
//
// Only for the plain case, in which the two run in step from their starts and each pair of states has a rule for each
// symbol: then no invariant is needed. The checkers, here and in Python, believe none of it.

import { base64 } from "./data.js";
import { modelOf } from "./model.js";
import { weightsHash } from "./proof_checker.js";
import { digestOf, FORMAT, HALT, MISSING } from "./proof_reading.js";

/**
 * The text of the file, or null where the plain case does not show it. `machine` is what `model` was read as, over the
 * alphabet of `reference` in any order; inputs are all words, not empty, over the symbols but the blank.
 */
export async function writeProof(model, machine, reference) {
  const { alphabet, blank, layout } = reference;
  const subject = reordered(machine, alphabet);
  const pairs = pairsInStep(subject, reference, alphabet.length);
  if (pairs === null || layout !== "first" || alphabet.join(" ") !== model.alphabet.join(" ")) return null;
  const letters = 2 ** alphabet.length - 1 - (1 << blank);
  const states = subject.next.length / alphabet.length;
  const proof = {
    format: FORMAT,
    subject: { name: model.name, table: await packedTable(subject, states) },
    reference: { name: reference.name, table: await packedTable(reference, reference.states.length) },
    alphabet,
    blank,
    start: layout,
    inputs: { before: [], head: [[0, letters, 1]], after: [[1, letters, 1]], accepting: [1] },
    pairs: await packed(Int32Array.from(pairs.flat()), pairs.length),
    ...Object.fromEntries(["rows", "columns", "left", "right", "invariant", "alone", "answer"].map((key) => [key, null])),
    weights: { sha256: await weightsHash(model), hidden: await packed(hiddenStates(model, subject, states), states), measure: null },
  };
  return JSON.stringify({ ...proof, digest: await digestOf(proof) });
}

/** The rules of a machine with its symbols in another order. */
function reordered(machine, alphabet) {
  const place = alphabet.map((symbol) => machine.alphabet.indexOf(symbol));
  const k = alphabet.length;
  const taken = (part) => machine.states.flatMap((_, q) => place.map((at) => part[q * k + at]));
  return {
    write: taken(machine.write).map((symbol) => place.indexOf(symbol)),
    motion: taken(machine.motion),
    next: taken(machine.next),
  };
}

/** Pairs of states that one symbol after another can bring together; null where two act unlike or a rule is open. */
function pairsInStep(one, two, k) {
  const pairs = [[0, 0]];
  const seen = new Set(["0,0"]);
  for (const [a, b] of pairs)
    for (let x = 0; x < k; x++) {
      const [i, j] = [a * k + x, b * k + x];
      const [after, also] = [one.next[i], two.next[j]];
      const halts = after === HALT;
      if (after === MISSING || halts !== (also === HALT) || one.write[i] !== two.write[j]) return null;
      if (!halts && one.motion[i] !== two.motion[j]) return null;
      if (!halts && !seen.has(`${after},${also}`)) {
        seen.add(`${after},${also}`);
        pairs.push([after, also]);
      }
    }
  return pairs;
}

/** The hidden state of each state, as the model itself computes them along the rules. */
function hiddenStates(model, { next }, states) {
  const [unit, k] = [modelOf(model), model.alphabet.length];
  const found = [unit.h0];
  for (let q = 0; found.filter(Boolean).length < states && q < states * states; q++) {
    const from = q % states;
    if (found[from] === undefined) continue;
    for (let x = 0; x < k; x++) {
      const to = next[from * k + x];
      if (to >= 0 && found[to] === undefined) found[to] = unit.next(x, found[from]);
    }
  }
  return Float64Array.from(found.flatMap((h) => [...h]));
}

async function packedTable({ write, motion, next }, states) {
  const parts = { write, motion, next };
  const pack = async ([name, part]) => [name, await packed(Int32Array.from(part), states)];
  return Object.fromEntries(await Promise.all(Object.entries(parts).map(pack)));
}

async function packed(array, rows) {
  const stream = new Blob([array]).stream().pipeThrough(new CompressionStream("deflate"));
  const data = base64(new Uint8Array(await new Response(stream).arrayBuffer()));
  return { dtype: array instanceof Int32Array ? "int32" : "float64", shape: [rows, array.length / rows], data };
}
