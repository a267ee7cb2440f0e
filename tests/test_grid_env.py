"""The Gymnasium environment keeps to Gymnasium's rules, and pays for what the expert does, nothing else."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")

from gymnasium.utils.env_checker import check_env  # noqa: E402

sys.path.append(str(Path(__file__).parents[1] / "examples"))
from grid_env import ID, GridEnv, Recorder  # noqa: E402

from dfst.errors import InputError  # noqa: E402
from dfst.experts import expert  # noqa: E402
from dfst.machines.formats import parse_machine  # noqa: E402
from dfst.traces.recording import read_recording  # noqa: E402
from dfst.world.grid import MOTION_NAMES  # noqa: E402

STAYING = parse_machine("0 1 0 * 1\n1 0 1 r 0\n0 _ _ * halt", name="staying")


@pytest.mark.parametrize(
    ("subject", "inputs"),
    [
        ("expert:add2", None),
        ("compiled:add2", ["1+1", "11+1"]),
        ("bb3", [""]),
        (STAYING, ["1", "11"]),
        (expert("mult10"), lambda rng: f"{rng.integers(100)}*{rng.integers(100)}"),
    ],
)
def test_it_passes_gymnasiums_own_check(subject, inputs):
    check_env(GridEnv(subject, inputs), skip_render_check=True)


def follow(env, **options):
    """Act as the expert does; the rewards, and the last step."""
    _, info = env.reset(**options)
    rewards, ended = [], False
    while not ended:
        _, reward, terminated, truncated, info = env.step(info["expert_action"])
        rewards.append(reward)
        ended = terminated or truncated
    return rewards, terminated, truncated


def test_the_expert_is_paid_for_every_step_until_it_halts():
    env = GridEnv("expert:add10")
    rewards, terminated, truncated = follow(env, seed=0, options={"input": "999+1"})
    run = expert("add10").run("999+1")
    assert (rewards, terminated, truncated) == ([1.0] * run.steps, True, False)
    assert env.loop.outcome().answer == "1000"


def test_what_is_done_is_done_and_the_expert_reads_along():
    env = GridEnv(STAYING, ["11"])
    symbol, info = env.reset(seed=0)
    assert (symbol, info["input"], info["expert_action"].tolist()) == (
        STAYING.alphabet.index("1"),
        "11",
        [STAYING.alphabet.index("0"), MOTION_NAMES.index("N")],
    )
    # It should have written 0 and stayed; it writes 1 and stays, and the expert has no rule for that.
    symbol, reward, terminated, truncated, info = env.step((symbol, MOTION_NAMES.index("N")))
    assert (reward, terminated, truncated) == (0.0, True, False)
    assert "expert_action" not in info
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step((0, MOTION_NAMES.index("S")))
    env.reset()
    with pytest.raises(gymnasium.error.InvalidAction):
        env.step((99, 0))


def test_an_actor_that_halts_too_soon_ends_the_episode_unpaid():
    env = GridEnv("expert:add2", ["1+1"])
    symbol, _ = env.reset(seed=0)
    assert env.step((symbol, MOTION_NAMES.index("S")))[1:4] == (0.0, True, False)


def test_too_many_steps_are_no_end():
    env = GridEnv("langton", [""], max_steps=7)
    rewards, terminated, truncated = follow(env, seed=0)
    assert (rewards, terminated, truncated) == ([1.0] * 7, False, True)


def test_the_same_seed_draws_the_same_inputs():
    def drawn(seed):
        env = GridEnv("expert:add10")
        return [env.reset(seed=seed if i == 0 else None)[1]["input"] for i in range(8)]

    assert drawn(3) == drawn(3) != drawn(4)


def test_it_is_made_by_name():
    env = gymnasium.make(f"grid_env:{ID}", expert="expert:add2", inputs=["1+1"])
    assert follow(env, seed=1)[1]


@pytest.mark.parametrize(
    ("make", "line"),
    [
        (lambda: GridEnv("bb3"), "bb3 has no task to draw inputs from; give the inputs"),
        (lambda: GridEnv("bb3", ["2"]), "bb3 does not know the symbol '2'"),
        (lambda: GridEnv("add3"), "no learnt add3 is shipped"),
        (lambda: GridEnv("bb3", [""], max_steps=0), "max_steps must be at least 1, found 0"),
        (lambda: Recorder(GridEnv("bb3", [""])).save("t.jsonl"), "nothing was recorded yet"),
        (lambda: Recorder(gymnasium.make("CartPole-v1")), "a recorder takes a GridEnv, found CartPoleEnv"),
    ],
)
def test_mistakes_are_named(make, line):
    with pytest.raises(InputError, match=re.escape(line)):
        make()


def test_demonstrations_become_traces(tmp_path):
    env = Recorder(gymnasium.make(f"grid_env:{ID}", expert="expert:increment2", inputs=["1", "101"]))
    for text in ("0", "1", "11", "101"):
        follow(env, options={"input": text})
    env.reset(options={"input": "111"})
    env.step(np.array([0, MOTION_NAMES.index("L")]))
    env.save(tmp_path / "shown.jsonl")
    recording = read_recording(tmp_path / "shown.jsonl")
    assert (recording.name, recording.task.name, len(recording.traces)) == ("increment2", "increment2", 5)
    for i, text in enumerate(("0", "1", "11", "101")):
        assert recording.traces[i].same_as(expert("increment2").trace(text))
    assert (recording.traces[4].input, len(recording.traces[4])) == ("111", 1)


def test_the_example_of_the_documentation_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = (Path(__file__).parents[1] / "docs" / "how-to" / "traces.md").read_text("utf-8")
    (code,) = re.findall(r"```python\n(.*?GridEnv.*?)```", text, re.DOTALL)
    exec(compile(code, "docs/how-to/traces.md", "exec"), {})
    assert len(read_recording("demonstrations.jsonl").traces) == 20
