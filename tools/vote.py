"""How well the vote tells right seeds from wrong ones, on runs whose every seed was asked for a proof.

    dfst learn TASK --seeds 16 --every-seed --out RUN
    python tools/vote.py RUN…

A row for each run: how many of the polished seeds are proved, how many refuted; then, of the sets of 3, 5 and
8 of these seeds that hold some which are proved and some which are not, in how many a proved one is chosen,
without the vote and by it. At most 300 sets of each size, drawn. Nothing is trained or proved here, and
nothing but the traces votes. docs/recipes.md has its table from here.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from dfst.errors import InputError
from dfst.learning.learn import resume_plan
from dfst.learning.runfolder import RunFolder
from dfst.learning.vote import disagreements, joint_states
from dfst.model.weights import load_weights
from dfst.states.polish import Polished, polish

SIZES = (3, 5, 8)
MOST_SETS = 300


@dataclass(frozen=True)
class Seed:
    polished: Polished
    loss: float
    strength: str


def read(run: str) -> tuple[list[Seed], NDArray[np.int32]]:
    """The seeds of a run that can be polished, and their joint states."""
    folder, plan = RunFolder(run), resume_plan(run)
    if not folder.report_file.is_file():
        raise InputError(f"{run}: expected a run that is done, found no report; go on with --resume {run}")
    traces, seeds = plan.traces(), []
    for said in json.loads(folder.report_file.read_text())["candidates"]:
        found = next(polish(load_weights(folder.seed_file(said["seed"])), traces, None, plan.states), None)
        if found is not None:
            seeds.append(Seed(found, said["loss"], said["strength"]))
    return seeds, joint_states([seed.polished.graph for seed in seeds], traces)


def row(run: str) -> list[str]:
    """What a run says."""
    seeds, joint = read(run)
    strengths = Counter(seed.strength for seed in seeds)
    return [
        run,
        f"{strengths['proved']}, {strengths['refuted']} of {len(seeds)}",
        *(cell for size in SIZES for cell in chosen(seeds, joint, size)),
    ]


def chosen(seeds: Sequence[Seed], joint: NDArray[np.int32], size: int) -> list[str]:
    """In how many sets of so many seeds a proved one is chosen, without the vote and by it."""
    proved = [seed.strength == "proved" for seed in seeds]
    sets = [few for few in combinations(range(len(seeds)), size) if 0 < sum(proved[i] for i in few) < size]
    drawn = np.random.default_rng(0).permutation(len(sets))[:MOST_SETS]
    without = by_vote = 0
    for few in (sets[i] for i in drawn):
        found = Counter(seeds[i].polished.theta.tobytes() for i in few)
        rank = {
            i: (found[seeds[i].polished.theta.tobytes()], -seeds[i].polished.states, -seeds[i].loss)
            for i in few
        }
        # What these seeds alone tell apart is what is left of the joint states of all.
        apart = dict(zip(few, disagreements(np.unique(joint[:, few], axis=0)), strict=True))
        without += proved[max(few, key=lambda i: rank[i])]
        by_vote += proved[max(few, key=lambda i: (-apart[i], *rank[i]))]
    return [f"{count / len(drawn):.0%}" if len(drawn) else "–" for count in (without, by_vote)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("run", nargs="+", help="a run folder")
    runs = parser.parse_args().run
    titles = ["run", "proved, refuted"]
    titles += [f"of {size}: {how}" for size in SIZES for how in ("without", "vote")]
    try:
        rows = [row(run) for run in runs]
    except InputError as error:
        parser.exit(2, f"{parser.prog}: {error}\n")
    for cells in (titles, ["---"] * len(titles), *rows):
        print(f"| {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
