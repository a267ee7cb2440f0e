"""Find the sets of errors by which weights of gradient descent alone are proved up to a length.

python tools/sweep_sets.py add2.descent --up-to 99 --out add2.proof.json
dfst prove add2.descent --check add2.proof.json --up-to 99

The checker (src/dfst/proof/sweeps.py) is given rows l at some learnt states, the *nodes*, and bounds on |l e|
for the error e there; it says what it asks of them. Nothing here has to be trusted. How they are found:

1. `dfst prove` finds the learnt states and their rules. Of the invariants that close, one that meets the
   fewest rules is taken. Nodes are the states with a loop and one more, the *cut*, that every longer cycle
   passes. So bounds at the cut give those at all nodes, one after the other.
2. Errors are sampled: the unit ball of the cut goes through every path, after words of every sweep. At the
   cut the rows are the principal directions of what comes back.
3. At a node, let K be what all its loops keep (eigenvalues near 1). Rows that vanish on K: the principal
   directions of the samples, and images of rows under the loops until each lies in the hull of them all.
   Other rows: one of each direction of K if there is one loop. If there are two, those that agree on K are a
   family, whose hull, too, is made such that each loop takes it into itself; then no word makes it grow.
4. Rows that later nodes ask for, and that cost too much in terms of those there are, are added.
5. The bounds: from those at the cut, each node's follow by linear programs, over all paths to it and then
   over its loops, with the rounding of up to `longest` steps. What comes back to the cut must be no more than
   what was assumed there. If it is more, the cut's bounds are raised and the round is taken again. A first
   round, with small errors and short sweeps, shows what shape the cut's set must have.
6. The checker runs once while the bases of its linear programs are noted. They are part of the proof.

The rows and the shape do not depend on the length. They and each round are kept in OUT.partial.npz, from
where the same command goes on. What is decided by hand is among the options and the constants of
sweep_rows.py (steps 1 to 4); they fit add2. hulls.py has the linear programs.

Legend: d hidden size, q, t learnt states, x symbols.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path as File
from typing import Any

import numpy as np
from sweep_rows import Net, Rows, at_cut, at_node, refined, say

from dfst.api import load
from dfst.errors import InputError
from dfst.model.weights import Weights
from dfst.model.weights import to_bytes as weights_bytes
from dfst.proof import Rejected, save_proof
from dfst.proof.certificate import certificate, to_bytes
from dfst.proof.cheapest import Array
from dfst.proof.checker import check, sentence
from dfst.proof.forgetting import Sought
from dfst.proof.question import start_of
from dfst.proof.sides import packed
from dfst.proof.sweeps import Path


class Sets(Sought):
    """With bounds that grow along sweeps."""

    def __init__(self, net: Net, rows: Rows, longest: int, near: float = 3e-5) -> None:
        super().__init__(net.model, net.hidden, net.table, longest, {q: rows[q][0] for q in net.nodes})
        self.net, self.groups, self.near = net, {q: rows[q][1] for q in net.nodes}, near

    def keeps(self, q: int, path: Path) -> None:
        x = next(x for x in self.net.loops[q] if np.array_equal(path.whole, self.net.A[x]))
        self.asked = "loop", q, x
        super().keeps(q, path)
        self.asked = None

    def grown(self, q: int, x: int) -> float:
        v = self.hidden[q]
        return float(v @ self.net.A[x] @ v) / float(v @ v)

    def noise(self, q: int) -> Array:
        """What one step of a sweep adds to each row."""
        rows, most = self.rows[q], np.zeros(len(self.rows[q]))
        for x in self.net.loops[q]:
            path, grown = Path(self.hidden[q], self.sizes[q]).step(self.net.A[x], self.unit), self.grown(q, x)
            moved, off = path.carried(rows, np.abs(rows))
            most = np.maximum(most, (off + np.abs(moved - grown * (rows @ self.hidden[q]))) / grown)
        return most

    def close(self, q: int, entry: Array, noise: Array) -> None:
        """Bounds that the loops keep: first those at a sweep's end, which say what rows are made of; with
        these bases then those at its beginning, and what is added at each step."""
        last, bases = self._ends(q, entry + self.longest * noise), []
        for x in self.net.loops[q]:
            wanted = self.rows[q] @ self.net.A[x]
            _, basis, c = self.cheapest(("down", q, x), q, wanted, last)
            self.fixed["loop", q, x] = basis
            bases.append((basis, np.abs(c) / self.grown(q, x)))
        # Rows that are nearly kept creep on for ever: the sooner one stops the better, once others are still.
        first, more, best, applied = entry, noise, np.inf, 0
        for tries in (20, 50, 100, 200, 500, 1000, 3000):
            for _ in range(tries - applied):
                for basis, c in bases:
                    first = np.maximum(first, (c * first[basis]).sum(1))
                    more = np.maximum(more, (c * more[basis]).sum(1))
            applied = tries
            grows = [max(((c * b[basis]).sum(1) / b).max() for basis, c in bases) - 1 for b in (first, more)]
            room = 1 - self.longest * np.maximum(grows, 1e-9)
            added = more * 1.01 / room[1] + grows[0] * first * 1.02 / room[0]
            wide = float(((first + self.longest * added) / last).mean())
            if room.min() > 0.5 and wide < best:
                best = wide
                self.put(q, first, added)
        if best == np.inf:
            raise InputError(f"errors grow too fast at learnt state {q}; try a smaller --up-to")

    def _ends(self, q: int, entry: Array) -> Array:
        maps = {x: self.rows[q] @ self.net.A[x] / self.grown(q, x) for x in self.net.loops[q]}
        bounds, groups = entry.copy(), self.groups[q]
        for group in range(groups.max() + 1):
            bounds[groups == group] = entry[groups == group].max()
        free = groups < 0
        for _ in range(60 if free.any() else 0):  # the loops keep groups; other rows are raised until kept
            before = bounds.copy()
            for x, images in maps.items():
                found = self.cheapest(("up", q, x), q, images[free], bounds)[0]
                bounds[free] = np.maximum(bounds[free], found)
            if (bounds / before).max() < 1 + self.near:
                break
        bounds[free] *= 1 + 3 * self.near
        for _ in range(2):  # and what is larger than its images need is lowered
            needs = [self.cheapest(("down", q, x), q, F, bounds)[0] for x, F in maps.items()]
            bounds = np.minimum(bounds, np.max([entry, *needs], 0) * (1 + 2e-5))
        return bounds

    def round(self, first: Array) -> Array:
        """From these bounds at the cut through all nodes; what is brought back to it."""
        cut = self.net.cut
        self.put(cut, first, 0 * first)
        self.measure(cut)
        for t in self.net.nodes[1:]:
            entry = np.max([self.brought(way) for way in self.net.to(t)], 0) + 1e-9
            if np.isinf(self.sizes[t]).any():  # later, those of the last round say how much is rounded
                self.put(t, 2 * entry + 1e-7, 0 * entry)
                self.measure(t)
            self.close(t, entry, self.noise(t) * 1.05)
            self.measure(t)
            say(f"state {t}: bounds on {len(entry)} rows, errors up to {self.sizes[t].max():.3f}")
        return np.asarray(np.max([self.brought(way) for way in self.net.to(cut)], 0))


def found_rows(net: Net, kept: dict[str, Any], keep: Callable[..., None]) -> Rows:
    """Steps 2 to 4, or what is kept of them."""
    if kept:
        return {q: (kept[f"rows{q}"], kept[f"groups{q}"]) for q in net.nodes}
    own, samples = at_cut(net)
    rows = {net.cut: (own, np.full(len(own), -1))}
    for q in net.nodes[1:]:
        rows[q] = at_node(net, q, samples)
        say(f"state {q}: {len(rows[q][0])} rows in {rows[q][1].max() + 1} groups")
    refined(net, rows, samples)
    for q, (here, groups) in rows.items():
        keep(**{f"rows{q}": here, f"groups{q}": groups})
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("model", help="a model that gradient descent alone made, such as add2.descent")
    parser.add_argument("--up-to", type=int, default=99, help="the longest inputs, in symbols (99)")
    parser.add_argument("--out", type=File, required=True, help="where to write the proof")
    parser.add_argument("--size", type=float, default=0.045, help="the largest bound at the cut (0.045)")
    parser.add_argument("--rounds", type=int, default=6, help="at most so many of step 5 (6)")
    asked = parser.parse_args()
    weights, kept_at = load(asked.model), asked.out.with_name(asked.out.name + ".partial.npz")
    if not isinstance(weights, Weights):
        raise InputError(f"expected a learnt model, found the machine {asked.model}")
    net = Net(weights)
    say(f"nodes {net.nodes}, {len(net.paths)} paths, the first is the cut")
    kept: dict[str, Any] = dict(np.load(kept_at)) if kept_at.exists() else {}
    if kept and str(kept["model"]) != net.model.sha256:
        raise InputError(f"{kept_at} is about other weights; remove it, or give another --out")

    def keep(**parts: Any) -> None:
        kept.update(parts, model=net.model.sha256)
        np.savez(kept_at, **kept)

    rows = found_rows(net, kept, keep)
    if "shape" not in kept:
        back = Sets(net, rows, 1, 1e-3).round(np.full(net.d, asked.size / 20))
        keep(shape=np.maximum(back / back.max(), 0.05))
        say(f"shape of the cut's set: {np.array2string(kept['shape'], precision=2)}")
    sets, goal = Sets(net, rows, asked.up_to + 1), f"{asked.up_to} {asked.size}"
    first = kept["first"] if str(kept.get("goal")) == goal else kept["shape"] * asked.size
    for turn in range(asked.rounds):
        back = sets.round(first)
        say(f"round {turn + 1}: {float((back / first).max()):.3f} of what was assumed at the cut comes back")
        if (back <= first).all():
            break
        first = np.maximum(first, back * 1.05)
        keep(goal=goal, first=first)
    else:
        say(f"no sets were found in {asked.rounds} rounds; a shorter --up-to may have some")
        return 1
    learnt = {"sha256": net.model.sha256, "hidden": packed(net.hidden), "measure": sets.as_measure()}
    proof = certificate(
        net.machine, net.reference, net.language, start_of(weights), net.pairing, net.closure, learnt,
        None, net.known["answer"],
    )  # fmt: skip
    shown = check(to_bytes(proof), weights_bytes(weights))
    save_proof(proof, asked.out)
    say(f"{asked.out}: {sentence(shown)}")
    return 0 if (shown["length"] or 0) >= asked.up_to else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except np.linalg.LinAlgError:
        say("errors grow without end; a shorter --up-to may have sets")
        sys.exit(1)
    except (InputError, Rejected) as reason:
        print(f"sweep_sets.py: {reason}", file=sys.stderr)
        sys.exit(2 if isinstance(reason, InputError) else 1)
