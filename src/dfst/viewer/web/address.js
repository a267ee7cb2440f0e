// The state of the view in the address: what is in the hash is what is shown, so a link is a moment.

const LATER_MS = 250;

/** Keeps the hash in step with the player; calls `restore(state)` now and whenever the hash is edited. */
export function followAddress(player, restore) {
  let timer;
  let written = location.hash;
  const address = {
    state: parse(),
    keep(changes) {
      Object.assign(this.state, changes);
      write(this.state);
    },
  };
  function parse() {
    return Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  }
  function write(state) {
    const kept = Object.entries(state).filter(
      ([, value]) => value !== "" && value !== null && value !== undefined,
    );
    try {
      history.replaceState(null, "", `#${new URLSearchParams(kept)}`);
    } catch {
      // A frame without an address of its own, as notebooks make them, has nothing to keep it in.
    }
    written = location.hash;
  }
  player.addEventListener("moved", () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      // A hash that is not ours was edited just now; its own event is on the way and must find it.
      if (player.lanes.length === 0 || location.hash !== written) return;
      address.keep({
        step: player.step > 0 ? String(player.step) : "",
        speed: player.controls.chosen ? String(player.controls.speed) : "",
      });
    }, LATER_MS);
  });
  const load = () => {
    clearTimeout(timer);
    written = location.hash;
    address.state = parse();
    if (address.state.speed !== undefined) player.controls.setSpeed(Number(address.state.speed));
    restore(address.state);
  };
  window.addEventListener("hashchange", load);
  load();
  return address;
}
