"""How well the vote tells right seeds from wrong ones, on runs whose every seed was asked for a proof.

    dfst learn TASK --seeds 16 --every-seed --out RUN
    python tools/vote.py RUN…

A row for each run: how many of the polished seeds are proved, how many refuted; then, of the sets of 3, 5 and
8 of these seeds that hold some which are proved and some which are not, in how many a proved one is chosen,
without the vote and by it, at most 300 sets of each size, drawn; last, what is chosen from all. Nothing is
trained or proved here, and nothing but the traces votes. docs/research/recipes.md has its table from here.
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
from dfst.model.weights import load_weights
from dfst.proof.verdict import SETTLED
from dfst.states.fewest import fewest_states_of_traces
from dfst.states.polish import Polished, polish
from dfst.traces.traceset import load_traces
from dfst.train.choose import disagreements, joint_states
from dfst.train.config import read_config
from dfst.train.runfolder import RunFolder

SIZES = (3, 5, 8)
MOST_SETS = 300


@dataclass(frozen=True)
class Seed:
    polished: Polished
    loss: float
    strength: str


def read(run: str) -> tuple[list[Seed], NDArray[np.int32]]:
    """The seeds of a run that can be polished, and their joint states."""
    folder, plan = RunFolder(run), read_config(run)
    if not folder.report_file.is_file():
        raise InputError(f"{run}: expected a run that is done, found no report; go on with --resume {run}")
    traces, seeds = load_traces(folder.traces_file), []  # an expert may have changed since
    for said in json.loads(folder.report_file.read_text())["candidates"]:
        if said["loss"] is None:  # it diverged
            continue
        states = plan.problem.merged_states(fewest_states_of_traces(traces, plan.problem.reference)[1])
        found = polish(load_weights(folder.seed_file(said["seed"])), traces, states)
        if found is not None:
            seeds.append(Seed(found, said["loss"], said["strength"]))
    if len(seeds) < 2:
        raise InputError(f"{run}: expected two seeds or more that can be polished, found {len(seeds)}")
    return seeds, joint_states([seed.polished.graph for seed in seeds], traces)


def row(run: str) -> list[str]:
    """What a run says."""
    seeds, joint = read(run)
    strengths = Counter(seed.strength for seed in seeds)
    return [
        run,
        f"{strengths['proved']}, {strengths['refuted']} of {len(seeds)}",
        *(cell for size in SIZES for cell in proved_of(seeds, joint, size)),
        *(seeds[i].strength for i in chosen(range(len(seeds)), seeds, joint)),
    ]


def proved_of(seeds: Sequence[Seed], joint: NDArray[np.int32], size: int) -> list[str]:
    """In how many sets of so many seeds a proved one is chosen, without the vote and by it."""
    proved = np.array([seed.strength in SETTLED for seed in seeds])
    sets = [few for few in combinations(range(len(seeds)), size) if 0 < proved[list(few)].sum() < size]
    drawn = np.random.default_rng(0).permutation(len(sets))[:MOST_SETS]
    if not len(drawn):
        return ["–", "–"]
    found = np.array([chosen(sets[i], seeds, joint) for i in drawn])
    return [f"{share:.0%}" for share in proved[found].mean(axis=0)]


def chosen(few: Sequence[int], seeds: Sequence[Seed], joint: NDArray[np.int32]) -> tuple[int, int]:
    """Which of these seeds is chosen without the vote, and by it."""
    found = Counter(seeds[i].polished.theta.tobytes() for i in few)
    # What these seeds alone tell apart is what is left of the joint states of all.
    apart = dict(zip(few, disagreements(np.unique(joint[:, few], axis=0)), strict=True))

    def without(i: int) -> tuple[float, ...]:
        polished = seeds[i].polished
        return found[polished.theta.tobytes()], -polished.states, -seeds[i].loss

    return max(few, key=without), max(few, key=lambda i: (-apart[i], *without(i)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("run", nargs="+", help="a run folder")
    runs = parser.parse_args().run
    titles = ["run", "proved, refuted"]
    titles += [f"{size}: {how}" for size in (*SIZES, "all") for how in ("without", "vote")]
    try:
        rows = [row(run) for run in runs]
    except InputError as error:
        parser.exit(2, f"{parser.prog}: {error}\n")
    for cells in (titles, ["---"] * len(titles), *rows):
        print(f"| {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
