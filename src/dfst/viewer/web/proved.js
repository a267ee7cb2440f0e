// The proof of a shipped model, checked on the page while one waits.

import { count, counted, element } from "./dom.js";
import { InputError } from "./input.js";
import { checkProof } from "./proof_checker.js";

/** A button that checks the proof of a model here; `server.proof` has the file, `load(name)` the subjects. */
export function proofButton(subject, server, load) {
  const said = element("span", { role: "status" });
  const button = element("button", { type: "button", class: "go" }, ["Check the proof here"]);
  button.addEventListener("click", async () => {
    button.disabled = true;
    said.textContent = " Checking …";
    try {
      said.textContent = ` ${await checked(await server.proof(subject.name), subject, load)}`;
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      said.textContent = ` ${error.message}`;
    }
    button.disabled = false;
  });
  return element("span", { class: "checks" }, [button, said]);
}

/** What the checker says of a proof file about a subject, in words; throws where it refuses it. */
export async function checked(text, subject, load) {
  const expert = subject.task === null ? null : await load(`expert:${subject.task.name}`);
  const { states, configurations, stops, answer, arithmetic, reference, seconds } = await checkProof(text, subject, expert);
  const looked = configurations > 0 ? `, ${count(configurations)} configurations that stand for all runs` : "";
  const lacks = stops > 0 ? ", as long as that has a rule" : "";
  let more = answer === null ? "" : ` For all a and b: it ends, and writes ${answer}.`;
  if (subject.task?.plane) more = ` What boards ask of it is not checked here: dfst prove ${subject.name} does it.`;
  return (
    `✓ Checked in ${seconds.toFixed(2)} s: ${counted(states, "learnt state")}${looked}. It does exactly what ` +
    `${reference} does on every input that the file lists${lacks}, ${arithmetic}.${more}`
  );
}
