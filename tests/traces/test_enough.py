"""How often a rule must be shown where actions are wrong or unknown (tools/imperfect_traces.py)."""

import runpy
from pathlib import Path

import numpy as np

TOOL = runpy.run_path(str(Path(__file__).parents[2] / "tools" / "imperfect_traces.py"))


def test_clean_rules_are_shown_once_and_others_more_often() -> None:
    enough = TOOL["enough"]
    assert enough(100, 0.0, 0.0) == 1
    asked = [enough(40, 0.05, 0.3), enough(224, 0.05, 0.3), enough(224, 0.1, 0.3), enough(224, 0.1, 0.5)]
    assert asked == sorted(asked)
    assert asked[:2] == [11, 14]


def test_so_often_shown_no_rule_is_lost_in_nineteen_cases_of_twenty() -> None:
    rules, wrong, unknown = 40, 0.05, 0.3
    chances = (1 - unknown) * (1 - wrong), (1 - unknown) * wrong, unknown

    def lost(times: int) -> float:
        votes = np.random.default_rng(0).multinomial(times, chances, (2_000, rules))
        return float((votes[..., 0] <= votes[..., 1]).any(axis=1).mean())

    times = TOOL["enough"](rules, wrong, unknown)
    assert lost(times) <= 0.05 < lost(times - 2)
