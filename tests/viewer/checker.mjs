// Proofs checked by the page's own checker: what it says of each, or why it refuses it; driven by test_page_checker.py.

import { readFileSync } from "node:fs";
import { checkAnswer } from "../../src/dfst/viewer/web/proof_answer.js";
import { checkProof } from "../../src/dfst/viewer/web/proof_checker.js";
import { Rejected } from "../../src/dfst/viewer/web/proof_reading.js";

const { cases, subjects } = JSON.parse(readFileSync(0, "utf8"));
const answers = [];
for (const { text, subject, expert, claim, rules, alphabet, blank } of cases) {
  try {
    if (claim !== undefined) answers.push((await checkAnswer(claim, rules, alphabet, blank)) ?? {});
    else answers.push(await checkProof(text, subjects[subject], expert === null ? null : subjects[expert]));
  } catch (error) {
    // Whatever a damaged file can cause.
    answers.push({ refused: error instanceof Rejected ? error.message : `damaged: ${error}` });
  }
}
console.log(JSON.stringify(answers));
