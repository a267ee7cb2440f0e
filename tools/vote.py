"""How well the vote tells right seeds from wrong ones, on runs whose every seed was asked for a proof.

    dfst learn TASK --seeds 16 --every-seed --out RUN
    python tools/vote.py RUN…

A row for each run. *In order*: of all pairs of a seed that is proved and one that is not, in how many the
proved one comes first, by fewest learnt states and by the vote; ties count half. *Of 3*, *of 5*: of the sets
of so many seeds that hold both kinds, in how many the chosen one is proved, as it was chosen before there was
a vote (the largest group with the same parameters, the fewest learnt states, the smallest loss), and now; at
most 500 sets, drawn. docs/recipes.md has its table from here. Nothing is trained or proved here.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Sequence
from itertools import combinations, product
from math import inf

import numpy as np

from dfst.errors import InputError
from dfst.learning.choose import Outcome, finish_seeds, ranked
from dfst.learning.learn import resume_plan
from dfst.learning.runfolder import RunFolder
from dfst.traces.traceset import TraceSet

SIZES = (3, 5)
MOST_SETS = 500


def row(run: str) -> list[str]:
    """What a run says."""
    folder, plan = RunFolder(run), resume_plan(run)
    state = folder.read_checkpoint()
    if state is None or not folder.report_file.is_file():
        raise InputError(
            f"{run}: expected a run that is done, found none; `dfst learn --every-seed` makes one"
        )
    seeds = {seed["seed"]: seed for seed in json.loads(folder.report_file.read_text())["candidates"]}
    traces, losses = plan.traces(), [seeds[seed]["loss"] or inf for seed in plan.seeds]
    found = finish_seeds(plan, traces, state, losses, lambda text: None)
    polished = by_vote([outcome for outcome in found if outcome.polished], traces)
    proved = {seed for seed, said in seeds.items() if said["strength"] == "proved"}
    right = [outcome.seed in proved for outcome in polished]
    return [
        run,
        f"{sum(right)} of {len(polished)}",
        in_order([outcome.states or 0 for outcome in polished], right),
        in_order([outcome.disagreement or 0 for outcome in polished], right),
        *(cell for size in SIZES for cell in chosen(polished, traces, proved, size)),
    ]


def in_order(figures: Sequence[float], right: Sequence[bool]) -> str:
    """The share of pairs of a right seed and a wrong one in which the right one has the smaller figure."""
    of = {kind: [f for f, r in zip(figures, right, strict=True) if r == kind] for kind in (True, False)}
    pairs = list(product(of[True], of[False]))
    before = sum(one < other for one, other in pairs) + sum(one == other for one, other in pairs) / 2
    return f"{before / len(pairs):.0%}" if pairs else "–"


def chosen(polished: Sequence[Outcome], traces: TraceSet, proved: set[int], size: int) -> list[str]:
    """In how many sets of so many seeds the chosen one is proved, before the vote and by it."""
    sets = [few for few in combinations(polished, size) if 0 < sum(o.seed in proved for o in few) < size]
    drawn = np.random.default_rng(0).permutation(len(sets))[:MOST_SETS]
    before = sum(best_before(sets[i]).seed in proved for i in drawn)
    now = sum(by_vote(sets[i], traces)[0].seed in proved for i in drawn)
    return [f"{before} of {len(drawn)}", f"{now} of {len(drawn)}"]


def best_before(outcomes: Sequence[Outcome]) -> Outcome:
    twins = Counter(outcome.weights.flat().tobytes() for outcome in outcomes)
    return max(outcomes, key=lambda o: (twins[o.weights.flat().tobytes()], -(o.states or 0), -o.loss))


def by_vote(outcomes: Sequence[Outcome], traces: TraceSet) -> list[Outcome]:
    return ranked(outcomes, traces, lambda text: None)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("run", nargs="+", help="a run folder")
    runs = parser.parse_args().run
    titles = ["run", "proved", "in order: fewest states", "in order: vote"]
    titles += [f"of {size}: {how}" for size in SIZES for how in ("before", "vote")]
    try:
        rows = [row(run) for run in runs]
    except InputError as error:
        parser.exit(2, f"{parser.prog}: {error}\n")
    for cells in (titles, ["---"] * len(titles), *rows):
        print(f"| {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
