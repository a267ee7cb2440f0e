// The entry of the notebook widget (anywidget): the same player, fed by a Python object.

import { InputError } from "./input.js";
import { Player } from "./player.js";
import { followHost } from "./theme.js";

function render({ model, el }) {
  const host = document.createElement("div");
  host.className = "dfst-host";
  host.style.setProperty("--height", `${model.get("height")}px`);
  el.append(host);
  const player = new Player(host);
  followHost(host, player.disposal.signal);
  const open = () => {
    const data = model.get("data");
    try {
      player.open({
        subject: data.subject,
        against: data.against,
        input: data.input,
        step: model.get("step"),
      });
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      player.sentence.textContent = error.message;
    }
  };
  const follow = () => {
    if (model.get("step") !== player.step) player.seek(model.get("step"));
  };
  model.on("change:data", open);
  model.on("change:step", follow);
  player.addEventListener("moved", () => {
    if (player.playing || player.lanes.length === 0 || model.get("step") === player.step) return;
    model.set("step", player.step);
    model.save_changes();
  });
  open();
  return () => {
    player.dispose();
    model.off("change:data", open);
    model.off("change:step", follow);
  };
}

export default { render };
