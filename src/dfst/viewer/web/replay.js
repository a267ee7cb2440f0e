// The entry of a self-contained replay: one run in one file, which still takes other inputs.

import { wireAsk } from "./asks.js";
import { Player } from "./player.js";
import { unpackData } from "./data.js";
import { followAddress } from "./address.js";
import { InputError } from "./input.js";
import { wireTheme } from "./theme.js";

const data = await unpackData(document.getElementById("dfst-data").textContent);
const player = new Player(document.getElementById("player"), { wholeDocument: true });
const problem = document.getElementById("problem");
const box = document.getElementById("input");

function start({ input, step }) {
  problem.textContent = "";
  box.removeAttribute("aria-invalid");
  try {
    player.open({ subject: data.subject, against: data.against, input, step });
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    problem.textContent = error.message;
    box.setAttribute("aria-invalid", "true");
  }
}

wireTheme(document.getElementById("theme"));
const address = followAddress(player, (state) => {
  box.value = state.input ?? data.input;
  start({ input: box.value, step: Number(state.step) || 0 });
});
wireAsk(box, document.getElementById("go"), () => {
  address.keep({ input: box.value, step: "" });
  start({ input: box.value, step: 0 });
  if (problem.textContent === "") player.playAndFocus();
});
