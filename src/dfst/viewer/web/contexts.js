// Contexts: the finitely many hidden states that an exact DFST visits, numbered as they first appear.
//
// Telling them apart is a search among those seen so far; a memo of (context, symbol) → context
// makes the common step one comparison. A model whose hidden state drifts never repeats; past `most`
// contexts the book says so in place of growing.

export class Contexts {
  constructor(symbols, tolerance = 1e-3, most = 1024) {
    this.symbols = symbols;
    this.tolerance = tolerance;
    this.most = most;
    this.seen = [];
    this.memo = new Map();
    this.overflowed = false;
  }

  /** The number of context h, new if need be; reached from context `from` on `symbol`. */
  see(h, from = -1, symbol = 0) {
    const edge = from * this.symbols + symbol;
    const guess = from < 0 ? undefined : this.memo.get(edge);
    if (guess !== undefined && this.near(this.seen[guess], h)) return guess;
    let found = this.find(h);
    if (found < 0) {
      if (this.seen.length >= this.most) {
        this.overflowed = true;
        return -1;
      }
      found = this.seen.push(h.slice()) - 1;
    }
    if (from >= 0) this.memo.set(edge, found);
    return found;
  }

  find(h) {
    return this.seen.findIndex((centre) => this.near(centre, h));
  }

  near(centre, h) {
    for (let i = 0; i < h.length; i++) {
      if (!(Math.abs(h[i] - centre[i]) <= this.tolerance * Math.max(1, Math.abs(centre[i])))) return false;
    }
    return true;
  }
}
