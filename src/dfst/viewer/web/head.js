// The head on the board: a frame around its cell, the name of the state on it, the way it came behind it.

const HEAD = "#ffd45e";
const TRAIL = 56;
/** Pixels between the edge of the board and an arrow that points beyond it. */
const ARROW = 22;
/** Cells smaller than this are one block of colour; so is the head then. */
export const PIXELS = 9;

/** The way the head came, fading. */
export function drawTrail(board) {
  const { pen, timeline } = board;
  const size = board.camera.size;
  // Where visits are shaded, the way is on the board already.
  if (board.visits !== null) return;
  const way = timeline.recent.slice(-TRAIL);
  if (way.length === 0 || size < 2) return;
  way.push(timeline.view);
  pen.lineCap = "round";
  pen.lineWidth = Math.max(1.5, size * 0.07);
  for (let i = 1; i < way.length; i++) {
    pen.strokeStyle = trailColour((i + TRAIL - way.length) / TRAIL);
    pen.beginPath();
    pen.moveTo(board.left(way[i - 1].x + 0.5), board.top(way[i - 1].y - 0.5));
    pen.lineTo(board.left(way[i].x + 0.5), board.top(way[i].y - 0.5));
    pen.stroke();
  }
}

/** The frame of the head, and its tag. */
export function drawHead(board, time) {
  const { pen } = board;
  const { x, y } = board.shownHead(time);
  const size = Math.max(7, board.camera.size);
  const centreX = board.left(x + 0.5);
  const centreY = board.top(y - 0.5);
  const half = size / 2 + Math.min(3, size * 0.06);
  pen.lineWidth = Math.max(1.5, Math.min(4, size * 0.075));
  pen.strokeStyle = HEAD;
  if (board.camera.size < PIXELS) {
    pen.fillStyle = HEAD;
    pen.strokeStyle = "#1b1600";
    pen.fillRect(centreX - half, centreY - half, 2 * half, 2 * half);
  }
  pen.shadowColor = "rgba(255, 212, 94, 0.55)";
  pen.shadowBlur = 14;
  pen.beginPath();
  pen.roundRect(centreX - half, centreY - half, 2 * half, 2 * half, half * 0.3);
  pen.stroke();
  pen.shadowBlur = 0;
  const words = board.label(board.timeline);
  if (words !== "") drawTag(board, words, centreX, centreY - half, half);
}

function drawTag(board, words, centreX, above, half) {
  const { pen } = board;
  pen.font = "600 13px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace";
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  const width = pen.measureText(words).width + 16;
  const x = Math.min(board.width - width / 2 - 6, Math.max(width / 2 + 6, centreX));
  const y = tagGoesBelow(board, above, width) ? above + 2 * half + 17 : above - 17;
  pen.fillStyle = HEAD;
  pen.beginPath();
  pen.roundRect(x - width / 2, y - 11, width, 22, 6);
  pen.fill();
  pen.fillStyle = "#2b2408";
  pen.fillText(words, x, y + 0.5);
}

/** The tag must not hide symbols, so it sits on the emptier side of the head. */
function tagGoesBelow(board, above, width) {
  if (above - 17 < 14) return true;
  const { grid, x, y } = board.timeline.view;
  const reach = Math.ceil(width / 2 / board.camera.size);
  const tall = Math.ceil(28 / board.camera.size);
  if (reach > 12) return false;
  let more = 0;
  for (let dx = -reach; dx <= reach; dx++) {
    for (let dy = 1; dy <= tall; dy++) {
      more += (grid.read(x + dx, y + dy) !== grid.blank) - (grid.read(x + dx, y - dy) !== grid.blank);
    }
  }
  return more > 0;
}

/** The trail's colour by how new it is, 0 to 1: opaque, so that where it crosses itself it does not glare. */
function trailColour(newness) {
  const share = 0.34 * newness ** 2;
  const mix = [
    [52, 255],
    [66, 212],
    [61, 94],
  ].map(([slate, head]) => Math.round(slate + (head - slate) * share));
  return `rgb(${mix})`;
}

/** Where the head has left what one looks at: an arrow at the edge that points to it. */
export function drawAway(board, time) {
  const { x, y } = board.shownHead(time);
  const { pen, width, height } = board;
  const [headX, headY] = [board.left(x + 0.5), board.top(y - 0.5)];
  if (headX >= 0 && headX <= width && headY >= 0 && headY <= height) return;
  const [dx, dy] = [headX - width / 2, headY - height / 2];
  const share = Math.min((width / 2 - ARROW) / Math.abs(dx || 1), (height / 2 - ARROW) / Math.abs(dy || 1));
  pen.save();
  pen.translate(width / 2 + dx * share, height / 2 + dy * share);
  pen.rotate(Math.atan2(dy, dx));
  pen.fillStyle = HEAD;
  pen.beginPath();
  pen.moveTo(14, 0);
  pen.lineTo(-10, -11);
  pen.lineTo(-4, 0);
  pen.lineTo(-10, 11);
  pen.fill();
  pen.restore();
}
