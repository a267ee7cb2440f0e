// The control unit of a DFST: its hidden state as bars, and the scores behind the last decision.
//
// What is shown is the decision just taken: h before the step, B[x]h and C[x]h for the symbol x read, the
// winner of each lit, its margin over the runner-up, and the learnt states the step led from and to.

import { count, counted, element, readableSymbol } from "./dom.js";
import { argmax, margin } from "./unit.js";

const ARROW_OF = { U: "↑", D: "↓", L: "←", R: "→", S: "■", N: "•" };

export class DfstPanel {
  constructor(host, subject) {
    this.subject = subject;
    this.summary = element("p", { class: "unit-line" });
    this.bars = element("canvas", { class: "hidden-bars", role: "img", "aria-label": "Hidden state" });
    this.symbols = new Scores(
      "Symbol",
      subject.alphabet.map((_, i) => readableSymbol(subject, i)),
    );
    this.motions = new Scores(
      "Motion",
      subject.motions.map((name) => ARROW_OF[name]),
    );
    host.replaceChildren(
      this.summary,
      element("h3", {}, [`Hidden state h, d = ${subject.d}`]),
      this.bars,
      element("div", { class: "score-pair" }, [this.symbols.root, this.motions.root]),
    );
  }

  update(timeline) {
    const { last, view, states } = timeline;
    const h = last === null ? view.unit.h : last.unit;
    const read = last === null ? view.grid.read(view.x, view.y) : last.read;
    const { model } = view.unit;
    model.score(read, h);
    this.symbols.update(model.symbolScores);
    this.motions.update(model.motionScores);
    this.drawBars(h);
    const from = states.find(h);
    const to = states.find(view.unit.h);
    const name = (id) => (id < 0 ? "new" : String(id));
    const all = states.overflowed
      ? `more than ${count(states.most)} states: it drifts`
      : `${counted(states.seen.length, "state")} seen`;
    this.summary.replaceChildren(
      element("span", { class: "pill" }, [
        `state ${last === null ? name(to) : `${name(from)} → ${name(to)}`}`,
      ]),
      ` ${all}, ${count(parameterCount(this.subject))} parameters, ${this.subject.precision}`,
    );
  }

  drawBars(h) {
    const canvas = this.bars;
    const ratio = Math.min(3, window.devicePixelRatio || 1);
    const width = canvas.clientWidth;
    const height = canvas.clientHeight;
    if (width === 0) return;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    const pen = canvas.getContext("2d");
    pen.scale(ratio, ratio);
    const style = getComputedStyle(canvas);
    const largest = Math.max(1e-9, ...Array.from(h, Math.abs));
    const step = width / h.length;
    pen.fillStyle = style.getPropertyValue("--line");
    pen.fillRect(0, height / 2 - 0.5, width, 1);
    h.forEach((value, i) => {
      const length = (value / largest) * (height / 2 - 3);
      pen.fillStyle = style.getPropertyValue(value >= 0 ? "--plus" : "--minus");
      const thick = Math.max(1, step * 0.72);
      pen.fillRect(
        i * step + (step - thick) / 2,
        length >= 0 ? height / 2 - length : height / 2,
        thick,
        Math.max(0.75, Math.abs(length)),
      );
    });
    canvas.setAttribute(
      "aria-label",
      `Hidden state, ${h.length} numbers, largest magnitude ${largest.toPrecision(3)}`,
    );
  }
}

function parameterCount({ d, alphabet, motions }) {
  return alphabet.length * d * (d + alphabet.length + motions.length) + d;
}

/** One column of scores with their winner and margin. */
class Scores {
  constructor(what, names) {
    this.rows = names.map((name) => {
      const value = element("b");
      const row = element("li", {}, [element("span", {}, [name]), element("em", {}, [element("i")]), value]);
      return { row, value };
    });
    this.gap = element("small");
    this.root = element("div", { class: "scores" }, [
      element("h3", {}, [what, this.gap]),
      element(
        "ul",
        {},
        this.rows.map(({ row }) => row),
      ),
    ]);
  }

  update(scores) {
    const best = argmax(scores);
    const largest = Math.max(1e-9, ...Array.from(scores, Math.abs));
    this.rows.forEach(({ row, value }, i) => {
      row.classList.toggle("best", i === best);
      row.ariaCurrent = i === best ? "true" : null;
      row.style.setProperty("--share", `${(100 * Math.max(0, scores[i])) / largest}%`);
      value.textContent = scores[i].toFixed(2).replace("-0.00", "0.00");
    });
    this.gap.textContent = `margin ${margin(scores).toFixed(3)}`;
  }
}
