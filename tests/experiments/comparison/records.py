"""Results made up for tests."""

from __future__ import annotations

from dataclasses import replace

from dfst.experiments.comparison.results import Result, Rung


def rung(digits: int, right: int, asked: int = 25, hard: int = 0, plg: bool | None = None) -> Rung:
    all_right = right == asked
    random_right = all_right if plg is None else plg
    step = None if all_right else 7
    return Rung(digits, asked, right, random_right, all_right, hard, step)


RESULT = Result(
    learner="gru",
    task="add2",
    seed=0,
    samples=20,
    parameters=975,
    iterations=1000,
    seconds=2.5,
    device="cpu",
    loss=1e-4,
    plg=6,
    rlg=5,
    longest=1000,
    stopped_by="failure",
    ladder=(rung(1, 25), rung(5, 25), rung(8, 5, hard=3)),
    hard_failures=("carry chain, 8 digits, step 9",),
    settings={"rate": 0.01},
    machine="a machine",
    command="dfst compare",
)


def seeds(learner: str, task: str, *rlgs: int, **changes: object) -> list[Result]:
    """A result for each RLG."""
    return [
        replace(RESULT, learner=learner, task=task, seed=i, rlg=rlg, plg=rlg + 1, **changes)  # type: ignore[arg-type]
        for i, rlg in enumerate(rlgs)
    ]
