// Hands on a board: the wheel zooms, a drag pans, two fingers do both, a double click fits.

/** Let the pointer move a board's camera; `changed` asks for a redraw. */
export function steerWith(board, changed) {
  const { canvas, camera } = board;
  const pointers = new Map();
  const fromCentre = (event) => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left - box.width / 2, event.clientY - box.top - box.height / 2];
  };
  canvas.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      camera.zoom(Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.0015)), ...fromCentre(event));
      changed();
    },
    { passive: false },
  );
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, fromCentre(event));
  });
  canvas.addEventListener("pointermove", (event) => {
    const before = pointers.get(event.pointerId);
    if (before === undefined) return;
    const after = fromCentre(event);
    if (pointers.size === 1) camera.pan(after[0] - before[0], after[1] - before[1]);
    else {
      const [, other] = [...pointers].find(([id]) => id !== event.pointerId);
      const apart = (point) => Math.hypot(point[0] - other[0], point[1] - other[1]);
      camera.zoom(
        apart(after) / Math.max(1, apart(before)),
        (after[0] + other[0]) / 2,
        (after[1] + other[1]) / 2,
      );
    }
    pointers.set(event.pointerId, after);
    changed();
  });
  for (const name of ["pointerup", "pointercancel"]) {
    canvas.addEventListener(name, (event) => pointers.delete(event.pointerId));
  }
  canvas.addEventListener("dblclick", () => {
    camera.fit();
    changed();
  });
}
