// For a room: the run alone, large, on the whole screen. P or the button enters, P or Escape leaves.

export function wireProjector(button) {
  const { body, documentElement: root } = document;
  const set = (on) => {
    body.classList.toggle("projector", on);
    button.setAttribute("aria-pressed", String(on));
    // A browser may refuse the whole screen; large letters are most of it.
    if (on) root.requestFullscreen?.().catch(() => {});
    else if (document.fullscreenElement) document.exitFullscreen();
  };
  button.addEventListener("click", () => set(!body.classList.contains("projector")));
  document.addEventListener("fullscreenchange", () => {
    if (!document.fullscreenElement) set(false);
  });
  document.addEventListener("keydown", (event) => {
    if (
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      event.target.closest("input, select, textarea, canvas[tabindex]")
    )
      return;
    if (event.key.toLowerCase() === "p") set(!body.classList.contains("projector"));
    else if (event.key === "Escape") set(false);
  });
}
