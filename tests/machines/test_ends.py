"""Where runs end, and whether that accepts: alike in the readable loop and in compiled code."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from random_agent import LINE, random_agent

from dfst.errors import InputError, MissingRule
from dfst.machines.agent import HALT
from dfst.machines.compiled import run as run_compiled
from dfst.machines.ends import End, accepts_by_name
from dfst.machines.rejections import with_rejections
from dfst.world.check import check_unit
from dfst.world.grid import Limits
from dfst.world.unit import ClosedLoop, hold_against

ENDS = (End("yes", True), End("no", False), End("done"))


def machine(seed, **options):
    """A random machine whose halting rules lead to one of three ends each."""
    rng = np.random.default_rng(seed)
    agent = random_agent(rng, 3, 3, LINE, missing=0.15, halting=0.2)
    end = rng.integers(0, len(ENDS), agent.next.shape).astype(np.int32)
    return replace(agent, ends=ENDS, end=end, **options)


@pytest.mark.parametrize("rejects", [False, True])
def test_every_loop_ends_alike(rejects):
    seen = set()
    for seed in range(60):
        agent = machine(seed, stuck_rejects=rejects)
        for text in ("", "1", "21", "1221"):
            ended = []
            for run in (
                lambda a=agent, t=text: ClosedLoop(a, t, Limits(steps=300)).finish(),
                lambda a=agent, t=text: run_compiled(a, t, Limits(steps=300)),
            ):
                try:
                    found = run()
                    ended.append((found.ending, found.accepted, found.stuck, found.steps, found.halted))
                except MissingRule as error:
                    ended.append(str(error))
            assert ended[0] == ended[1]
            seen.add(ended[0] if isinstance(ended[0], str) else ended[0][0].split(":")[0])
    assert {"accepted in state yes", "rejected in state no", "halted in state done"} <= seen
    assert any(ending.startswith("rejected") and "in state" not in ending for ending in seen) is rejects


def test_a_trace_of_a_rejected_run_shows_what_it_did_until_then():
    agent = next(
        m
        for seed in range(100)
        if (m := machine(seed, stuck_rejects=True)).run("121").stuck and m.run("121").steps > 1
    )
    run = agent.run("121")
    assert len(agent.trace("121")) == run.steps
    check_unit(agent, ["", "1", "121"], steps=300)
    held = hold_against(agent, agent, "121")
    assert (held.difference, held.stuck, held.accepted) == (None, run.stuck, False)
    with pytest.raises(MissingRule):
        replace(agent, stuck_rejects=False).run("121")


def test_where_rejection_is_shown_what_is_stuck_halts_two_steps_later_and_a_state_that_rejects_one():
    for seed in range(30):
        agent = machine(seed, stuck_rejects=True)
        shown = with_rejections(agent)
        for text in ("", "12", "211"):
            run, more = (unit.run(text, Limits(steps=300)) for unit in (agent, shown))
            assert more.accepted is run.accepted
            later = 2 if run.stuck else 1 if run.halted and run.accepted is False else 0
            assert (more.halted, more.steps) == (run.halted or bool(run.stuck), run.steps + later)


def test_ends_are_checked():
    agent = replace(machine(0), next=np.full((3, 3), HALT, dtype=np.int32))
    for changes, message in (
        ({"ends": (End("q0"), *ENDS[1:])}, "the end 'q0' is declared twice"),
        ({"ends": (ENDS[0], ENDS[0])}, "the end 'yes' is declared twice"),
        ({"ends": ENDS[:1]}, "outside the 1 declared"),
        ({"ends": ()}, "go together"),
        ({"end": np.zeros((1, 1), dtype=np.int32)}, "must have shape"),
    ):
        with pytest.raises(InputError, match=message):
            replace(agent, **changes)


def test_rules_name_their_ends():
    agent = machine(0)
    q, k = np.argwhere(agent.next == HALT)[0].tolist()
    assert str(agent.rule(q, k)).endswith(f", {agent.end_of(q, k).name}")


@pytest.mark.parametrize(
    ("name", "accepts"),
    [
        *((name, True) for name in ("accept", "Accept", "qAccept", "q_accept", "halt-accept", "acc", "yes")),
        *((name, True) for name in ("haltaccept", "q3-accept", "accepted", "halt-accept2")),
        *((name, True) for name in ("halt-yes", "halt_accept")),
        *((name, False) for name in ("reject", "qreject", "halt-reject", "rej", "no", "REJECTED")),
        *((name, False) for name in ("halt-no", "halt-no-reject", "reject-no-b", "no-b-reject")),
        *((name, None) for name in ("no-accept", "halt-no-accept", "q_no_accept")),
        *((name, None) for name in ("halt", "done", "H", "no carry", "yes and no", "not accepted", "", "q7")),
        *((name, None) for name in ("accept or reject", "acceptance", "inaccept", "norm")),
    ],
)
def test_what_the_name_of_a_state_says(name, accepts):
    assert accepts_by_name(name) is accepts
