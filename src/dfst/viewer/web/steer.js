// Hands on a board: the wheel zooms, a drag pans or draws, two fingers zoom, a double click fits.

/** Let the pointer move a board's camera; `changed` asks for a redraw, `pen` gives what draws: see sketch.js. */
export function steerWith(board, changed, pen = () => null) {
  const { canvas, camera } = board;
  const pointers = new Map();
  let drawing = null;
  const cellAt = ([px, py]) => [Math.floor(camera.x + px / camera.size), Math.floor(camera.y - py / camera.size)];
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
  const finish = () => {
    const drawn = drawing;
    drawing = null;
    drawn?.end();
  };
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, fromCentre(event));
    if (pointers.size > 1) finish();
    else if (pen()?.begin(...cellAt(fromCentre(event)))) drawing = pen();
  });
  canvas.addEventListener("pointermove", (event) => {
    const before = pointers.get(event.pointerId);
    if (before === undefined) return;
    const after = fromCentre(event);
    if (drawing !== null) {
      pointers.set(event.pointerId, after);
      for (const at of between(before, after, camera.size)) drawing.stroke(...cellAt(at));
      return;
    }
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
    canvas.addEventListener(name, (event) => {
      pointers.delete(event.pointerId);
      finish();
    });
  }
  canvas.addEventListener("dblclick", () => {
    camera.fit();
    changed();
  });
}

/** Points on the way from one to the other, less than a cell apart: a quick hand leaves no gaps. */
function between([x, y], [toX, toY], size) {
  const steps = Math.max(1, Math.ceil((2 * Math.hypot(toX - x, toY - y)) / size));
  return Array.from({ length: steps }, (_, i) => [
    x + ((toX - x) * (i + 1)) / steps,
    y + ((toY - y) * (i + 1)) / steps,
  ]);
}
