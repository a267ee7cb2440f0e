// A moment in words: on the head's tag, under the board, for a screen reader.

import { count, counted, SPOKEN_MOTIONS, spokenSymbol } from "./dom.js";
import { readAnswer } from "./grid.js";

/** Boards of more tiles are not read out symbol by symbol. */
const SPOKEN_TILES = 16;
/** Letters of a board that are read out. */
const MOST_SPOKEN = 80;
/** Nor are answers looked for on boards of more. */
const ROW_TILES = 1024;

/** The words on the head's tag: the state, learnt or given. */
export function headWords(timeline) {
  const { view, states } = timeline;
  if (view.halted) return endOf(timeline)?.[0] ?? "halt";
  if (states === null) return view.unit.label();
  const id = states.find(view.unit.h);
  return id < 0 ? "" : `state ${id}`;
}

/** The name of the state in which the run has halted, and whether it accepts; null where it has no name. */
function endOf(timeline) {
  const { view, last, subject } = timeline;
  return subject.kind === "table" && last !== null ? view.unit.endOn(last.read) : null;
}

/** How a halted run ended, in words. */
function ending(timeline) {
  const end = endOf(timeline);
  if (end === null) return "Halted";
  const [name, accepts] = end;
  return `${accepts === null ? "Halted" : accepts ? "Accepted" : "Rejected"} in state ${name}`;
}

/** The board for those who cannot see it. */
export function describeBoard(timeline) {
  const { view } = timeline;
  const written = view.grid.tiles.size <= SPOKEN_TILES ? readAnswer(view.grid, timeline.subject.alphabet, true) : "";
  const shown = written !== "" ? `, ${spelt(written)}` : "";
  const where = `head at column ${view.x}, row ${view.y}`;
  return `Blackboard of ${timeline.subject.name} after ${counted(view.step, "step")}, ${where}${shown}`;
}

/** What is written on a board, for the ear: nothing, its rows, or how many there are. */
export function spelt(written) {
  if (written === null) return "nothing written";
  const rows = written.split("\n");
  if (written.length > MOST_SPOKEN) return counted(rows.length, "row");
  return rows.length === 1 ? `one row: ${written}` : `${rows.length} rows: ${rows.join(", ")}`;
}

/** What a finished run has left on the board, where that is one row: {words, answer}; else null. */
export function describeAnswer({ view, subject }) {
  const answer =
    view.halted && view.grid.tiles.size <= ROW_TILES
      ? readAnswer(view.grid, subject.alphabet, subject.task?.plane)?.replaceAll("\n", "/") ?? null
      : null;
  return answer === null ? null : { words: subject.task ? "Answer" : "The tape reads", answer };
}

/** The moment in words: what was read, written, and where the head went. */
export function describeStep(timeline) {
  const { view, last, subject } = timeline;
  const { stuck } = timeline.frontier;
  if (stuck !== "" && view.step === timeline.known)
    return `${subject.stuck_rejects ? "Rejected" : "Stopped"} after ${counted(view.step, "step")}: ${stuck}.`;
  if (view.step === 0) return "Ready. The head stands on its first cell.";
  if (view.halted)
    return `${ending(timeline)} after ${counted(view.step, "step")}.`;
  const wrote = last.read === last.written ? "kept it" : `wrote ${spokenSymbol(subject, last.written)}`;
  const read = spokenSymbol(subject, last.read);
  return `Step ${count(view.step)}: read ${read}, ${wrote}, ${SPOKEN_MOTIONS[last.shown]}.`;
}

/** How two runs part: {x, y, read, did} of a comparison, in words. */
export function describeParting({ x, y, read, did }, subjects, names) {
  const [one, two] = did.map((action, i) => {
    if (action === null) return `${names[i]} cannot go on`;
    const { written, shown } = action;
    return `${names[i]} wrote ${spokenSymbol(subjects[i], written)} and ${SPOKEN_MOTIONS[shown]}`;
  });
  return `reading ${spokenSymbol(subjects[0], read)} at column ${x}, row ${y}: ${one}, ${two}`;
}
