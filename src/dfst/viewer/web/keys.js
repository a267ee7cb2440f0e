// The player's keys. On a page of its own they work wherever the focus is; inside somebody else's page only
// while the focus is in the player, and then that page does not get to see them.
//
// A notebook owns most keys: in JupyterLab, D twice deletes the cell. It listens on the document, in some
// versions before anything below can stop an event, but passes over elements with a certain attribute. So the
// attribute is put on and taken off again, key by key, from the window, which comes before the document.

const UNSEEN_BY_LUMINO = "data-lm-suppress-shortcuts";

/** Wires keys to a player; `signal` takes them away again. */
export function listenToKeys(controls, signal) {
  const { player } = controls;
  const actions = {
    " ": () => player.toggle(),
    k: () => player.toggle(),
    ArrowRight: (event) => (event.shiftKey ? player.jumpToWrite(1) : player.nudge(1)),
    ArrowLeft: (event) => (event.shiftKey ? player.jumpToWrite(-1) : player.nudge(-1)),
    Home: () => controls.jump(0),
    End: () => controls.jump(player.known),
    "[": () => controls.setSpeed(controls.speed - 1),
    "]": () => controls.setSpeed(controls.speed + 1),
    d: () => player.jumpToDifference(),
    f: () => player.fit(),
  };
  const { host } = player;
  const home = player.wholeDocument ? host.ownerDocument : host;
  window.addEventListener(
    "keydown",
    (event) => {
      if (!player.wholeDocument)
        host.toggleAttribute(UNSEEN_BY_LUMINO, event.composedPath().includes(host) && isOurs(event, actions));
    },
    { capture: true, signal },
  );
  home.addEventListener(
    "keydown",
    (event) => {
      if (player.lanes.length === 0 || !host.checkVisibility() || !isOurs(event, actions)) return;
      event.preventDefault();
      event.stopPropagation();
      actions[lower(event.key)](event);
    },
    { signal },
  );
}

/** Whether a key is the player's: with no modifier, and where it does not mean something already. */
function isOurs(event, actions) {
  if (event.ctrlKey || event.metaKey || event.altKey || actions[lower(event.key)] === undefined) return false;
  const [target] = event.composedPath();
  if (target.closest?.("input:not([type=range]), select, textarea, [contenteditable], [role=application]"))
    return false;
  if (event.key === " " && target.closest?.("button, a, summary")) return false;
  return !(target.closest?.("input[type=range]:not(.scrub)") && event.key.startsWith("Arrow"));
}

/** Letters count alike with Caps Lock on, and with Shift: D is D. */
function lower(key) {
  return key.length === 1 ? key.toLowerCase() : key;
}
