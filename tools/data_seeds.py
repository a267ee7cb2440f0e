"""Judge a task's training sets before any training: what each data seed leaves open.

    python tools/data_seeds.py add2 add10 mult2              data seeds 0 to 99, counted
    python tools/data_seeds.py add10 --seeds 0-4 100 --each  a row for each of them

Two counts of docs/research/teachers.md come from here: on how many data seeds the report warns of nothing,
and on how many a cycle of states fits some loop as well. Only the training sets are looked at.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import replace

from dfst.errors import InputError
from dfst.experts import expert
from dfst.machines import Agent
from dfst.problems.task import usual_sampling
from dfst.states.teachability import Teachability, teachability
from dfst.traces.sample import sample_traces


def judged(agent: Agent, data_seeds: list[int]) -> Iterator[tuple[int, Teachability]]:
    """(data seed, what its training set teaches)"""
    for data_seed in data_seeds:
        sampling = replace(usual_sampling(agent), data_seed=data_seed)
        yield data_seed, teachability(agent, sample_traces(agent, sampling))


def _row(data_seed: int, found: Teachability) -> str:
    loops = ", ".join(f"{loop.name} of {loop.cycle}" for loop in found.cycles)
    return f"| {data_seed} | {loops or 'none'} |"


def _span(word: str) -> range:
    """`100`, or `0-4` for 0, 1, 2, 3, 4"""
    first, _, last = word.partition("-")
    return range(int(first), int(last or first) + 1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("task", nargs="+")
    parser.add_argument("--seeds", nargs="+", type=_span, default=[range(100)], help="data seeds, as 0-4 100")
    parser.add_argument("--each", action="store_true", help="a row for each data seed")
    asked = parser.parse_args()
    data_seeds = [seed for span in asked.seeds for seed in span]
    try:
        agents = [expert(task) for task in asked.task]
    except InputError as error:
        parser.exit(2, f"{parser.prog}: {error}\n")
    for agent in agents:
        silent = cycles = 0
        for data_seed, found in judged(agent, data_seeds):
            silent += not found.warnings()
            cycles += bool(found.cycles)
            if asked.each:
                print(_row(data_seed, found))
        print(
            f"{agent.name}: of {len(data_seeds)} data seeds {silent} without a warning, "
            f"{cycles} with a loop that a cycle fits as well"
        )


if __name__ == "__main__":
    main()
