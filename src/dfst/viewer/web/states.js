// Learnt states: the finitely many hidden states that an exact DFST visits, numbered as they first appear.
//
// Telling them apart is a search among those seen so far, done once for each hidden state (a model keeps
// equal ones as one object). A model whose hidden state drifts never repeats; past `most` of them the book
// says so in place of growing.

export class LearntStates {
  constructor(tolerance = 1e-3, most = 1024) {
    this.tolerance = tolerance;
    this.most = most;
    this.seen = [];
    this.known = new WeakMap();
    this.overflowed = false;
  }

  /** The number of the learnt state of h, new if need be. */
  see(h) {
    const known = this.known.get(h);
    if (known !== undefined) return known;
    let found = this.search(h);
    if (found < 0) {
      if (this.seen.length >= this.most) {
        this.overflowed = true;
        return -1;
      }
      found = this.seen.push(h) - 1;
    }
    this.known.set(h, found);
    return found;
  }

  /** The number of the learnt state of h, or -1 if it was never seen. */
  find(h) {
    return this.known.get(h) ?? this.search(h);
  }

  search(h) {
    return this.seen.findIndex((centre) => this.near(centre, h));
  }

  near(centre, h) {
    for (let i = 0; i < h.length; i++) {
      if (!(Math.abs(h[i] - centre[i]) <= this.tolerance * Math.max(1, Math.abs(centre[i])))) return false;
    }
    return true;
  }
}
