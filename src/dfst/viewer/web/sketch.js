// A board drawn by hand: a brush for each of its letters, on the board itself, with a mouse, a pen or a finger.
//
// A stroke changes what lies on the board at once, and the input when it ends. Of a letter that a board has once
// there stays one: it moves, and no other brush wipes it out. Two fingers still zoom.

import { element } from "./dom.js";

const SIZES = [6, 12, 20, 30, 60, 100, 300];
/** Share of the cells of a random board that get its first letter: a wall, of a maze. */
const WALLS = 0.28;

export class Sketch {
  /** `host`: where the brushes stand. `draw(text)`: what to do with a new board. */
  constructor(host, player, draw) {
    [this.host, this.player, this.draw] = [host, player, draw];
    this.task = this.brush = this.rows = null;
  }

  /** Brushes for boards of a task that may have any letters anywhere; for others there are none. */
  offer(task) {
    this.task = task?.plane && !task.row && !task.pattern ? task : null;
    this.brush = null;
    this.host.hidden = this.task === null;
    if (this.task === null) return;
    const { letters } = this.task;
    this.brushes = [...letters].map((letter) => {
      const named = { "aria-pressed": "false", "aria-label": `Draw ${letter}` };
      const brush = element("button", { type: "button", ...named }, [letter]);
      brush.addEventListener("click", () => this.take(this.brush === letter ? null : letter));
      return brush;
    });
    const size = element("select", { "aria-label": "Size of a new board" });
    size.append(...SIZES.map((n) => element("option", { value: n }, [`${n} × ${n}`])));
    size.value = "12";
    const [empty, random] = ["Empty board", "Random board"].map((name, walls) => {
      const button = element("button", { type: "button" }, [name]);
      button.addEventListener("click", () => this.draw(this.fresh(Number(size.value), walls * WALLS)));
      return button;
    });
    this.host.replaceChildren("Draw", ...this.brushes, size, empty, random);
  }

  take(brush) {
    this.brush = brush;
    for (const each of this.brushes) each.setAttribute("aria-pressed", String(each.textContent === brush));
  }

  /** A board of that many rows and columns; of a maze, S and a goal stand in corners. */
  fresh(side, walls) {
    const { letters, once } = this.task;
    const cells = Array.from({ length: side * side }, () => (Math.random() < walls ? letters[0] : "."));
    if (once !== "") [cells[0], cells[cells.length - 1]] = [once, letters.at(-1)];
    return Array.from({ length: side }, (_, r) => cells.slice(r * side, (r + 1) * side).join("")).join("/");
  }

  /** The pointer comes down on a cell: whether a stroke begins there. */
  begin(x, y) {
    if (this.brush === null) return false;
    this.rows = this.player.input.trim().split(/\n|\//).map((row) => [...row]);
    if (!(x >= 0 && x < this.rows[0].length && -y >= 0 && -y < this.rows.length)) return false;
    /** What the letter that moves stands on: left as it was once it has moved on. */
    this.under = ".";
    this.player.pause();
    this.player.seek(0);
    this.stroke(x, y);
    return true;
  }

  stroke(x, y) {
    const { brush, rows } = this;
    const { once } = this.task;
    const here = rows[-y]?.[x];
    if (here === undefined || here === brush || once.includes(here)) return;
    if (once.includes(brush)) {
      rows.forEach((row, r) => row.includes(brush) && this.put(row.indexOf(brush), -r, this.under));
      this.under = here;
    }
    this.put(x, y, brush);
    this.player.moved();
  }

  put(x, y, letter) {
    this.rows[-y][x] = letter;
    for (const { timeline, subject } of this.player.lanes)
      timeline.view.grid.write(x, y, subject.alphabet.indexOf(letter));
  }

  end() {
    this.draw(this.rows.map((row) => row.join("")).join("/"));
  }
}
