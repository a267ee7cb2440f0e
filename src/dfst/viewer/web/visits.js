// How often the head has been on each cell of a board: the more often, the lighter the cell.

/** How light the cell is that was visited most often; fewer visits than these are not many. */
const [LIGHTEST, FEW] = [0.3, 6];

export class Visits {
  /** Follows a timeline of a subject that works on a board. */
  constructor(timeline) {
    this.timeline = timeline;
    this.counts = new Map();
    this.step = -1;
  }

  /** {"x,y": times} up to the step shown; the way is told by the timeline. */
  now() {
    const { way, step } = this.timeline;
    const target = Math.min(step, way.length - 1);
    for (; this.step < target; this.step++) this.add(way[this.step + 1], 1);
    for (; this.step > target; this.step--) this.add(way[this.step], -1);
    return this.counts;
  }

  add(cell, by) {
    this.counts.set(cell, (this.counts.get(cell) ?? 0) + by);
  }
}

export function drawVisits(board, visits) {
  const { pen } = board;
  const size = board.camera.size;
  const counts = visits.now();
  const most = Math.log2(1 + Math.max(FEW, ...counts.values()));
  for (const [cell, times] of counts) {
    if (times === 0) continue;
    const [x, y] = cell.split(",").map(Number);
    pen.fillStyle = `rgba(255, 212, 94, ${((LIGHTEST * Math.log2(1 + times)) / most).toFixed(3)})`;
    pen.fillRect(board.left(x), board.top(y), size + 0.5, size + 0.5);
  }
}
