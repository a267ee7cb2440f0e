"""Learning in the browser against learning in Python: the same numbers, the same losses, the same machine."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from random_agent import random_agent

from dfst.experts import expert
from dfst.machines import Agent
from dfst.machines.formats import read_machine
from dfst.model.weights import Shape
from dfst.states.fewest import fewest_states_of_traces
from dfst.traces.recording import parse_recording
from dfst.traces.telling_apart import told_slowly
from dfst.train.engine_cpu import CpuEngine
from dfst.train.order import batch
from dfst.train.recipe import Recipe, find_recipe
from dfst.train.state import initial_state
from dfst.world.grid import Limits
from dfst.world.unit import ControlUnit

AskNode = Callable[[str, Any], Any]
NEGATE = Path(__file__).parents[2] / "examples" / "negate.yaml"


def trace_file(unit: ControlUnit, inputs: Iterable[str]) -> str:
    """A trace file as the page writes it."""
    head = {"format": "dfst-traces/2", "name": unit.name, "alphabet": unit.alphabet, "blank": "λ"}
    lines = [head | {"motions": "UDLRSN"}]
    for text in inputs:
        trace = unit.trace(text, Limits(steps=200))
        read, wrote = ([unit.alphabet[i] for i in column] for column in (trace.x, trace.s))
        moved = "".join("UDLRSN"[m] for m in trace.m)
        lines.append({"read": read, "wrote": wrote, "moved": moved})
    return "".join(f"{json.dumps(line)}\n" for line in lines)


def lines(file: str) -> list[str]:
    return file.splitlines()[1:]


def as_agent(table: dict[str, Any]) -> Agent:
    """A machine as the page draws it."""
    shape = (len(table["states"]), len(table["alphabet"]))
    return Agent(
        "learnt",
        tuple(table["alphabet"]),
        tuple(table["states"]),
        np.array(table["write"], dtype=np.uint8).reshape(shape),
        np.array([4 if m is None else m for m in table["motion"]], dtype=np.uint8).reshape(shape),
        np.array(table["next"], dtype=np.int32).reshape(shape),
        table["blank"],
    )


ADDITIONS = [f"{a:b}+{b:b}" for a in range(8) for b in range(5)]


def test_random_numbers_are_those_of_numpy(ask_node: AskNode) -> None:
    seeds = [0, 1, 2, 12345, 2**32 - 1]
    (found,) = ask_node("learner.mjs", [{"action": "random", "seeds": seeds, "count": 50}])
    assert found == [np.random.default_rng(seed).random(50).tolist() for seed in seeds]


@pytest.mark.parametrize(("n", "size"), [(3, 32), (33, 32), (100, 7), (1000, 32), (40, 32)])
def test_batches_are_the_same(ask_node: AskNode, n: int, size: int) -> None:
    steps = [0, 1, 2, 17, 999, 8000]
    question = {"action": "batches", "seed": 5, "steps": steps, "n": n, "size": size}
    (found,) = ask_node("learner.mjs", [question])
    assert found == [batch(5, step, n, size).tolist() for step in steps]


@pytest.mark.parametrize("reweighting", [0.0, 0.5])
def test_losses_are_the_same_but_for_rounding(ask_node: AskNode, reweighting: float) -> None:
    """Forty traces, of which a step sees eight: order, gradients, clipping, decay and Adam.

    Later on rounding grows from step to step, as it does between any two orders of summation.
    """
    file, d = trace_file(expert("add2"), ADDITIONS), 6
    recipe = Recipe(
        "quick", 200, 0.01, batch_size=8, gradient_clip=0.3, weight_decay=0.05, reweighting=reweighting,
        precision="float64",
    )  # fmt: skip
    fields = ("steps", "learning_rate", "batch_size", "gradient_clip", "weight_decay", "weight_decay_until")
    asked = {name: getattr(recipe, name) for name in (*fields, "reweighting", "beta1", "beta2", "epsilon")}
    question = {"action": "losses", "file": file, "d": d, "seed": 3, "recipe": asked, "steps": 30}
    (found,) = ask_node("learner.mjs", [question])
    traces = parse_recording(BytesIO(file.encode()), "it", "it").traces
    shape = Shape(len(traces.alphabet), len(traces.motions), d)
    state, engine = initial_state(shape, [3], np.float64), CpuEngine(shape, traces, recipe)
    losses = []
    for _ in range(30):
        engine.advance(state, 1)
        losses.append(engine.latest[0])
    assert found == pytest.approx(losses, rel=1e-8)


def test_the_recipe_is_the_one_with_a_polish(ask_node: AskNode) -> None:
    sizes = [1, 2, 5, 12, 40]
    (found,) = ask_node("learner.mjs", [{"action": "recipe", "sizes": sizes}])
    for d, theirs in zip(sizes, found, strict=True):
        recipe = find_recipe("quick").for_size(d)
        assert theirs == pytest.approx({name: getattr(recipe, name) for name in theirs}, rel=1e-12)


def test_the_smallest_machine_is_as_small(ask_node: AskNode) -> None:
    rng = np.random.default_rng(0)
    machines: list[Agent] = [random_agent(rng, 4, 3) for _ in range(8)] + [read_machine(NEGATE)]
    letters = [[s for i, s in enumerate(m.alphabet) if i != m.blank] for m in machines]
    files = [
        trace_file(m, ["".join(rng.choice(some, size=n)) for n in (0, 1, 2, 3, 5, 8)])
        for m, some in zip(machines, letters, strict=True)
    ]
    found = ask_node("learner.mjs", [{"action": "shown", "file": file} for file in files])
    for file, machine in zip(files, found, strict=True):
        traces = parse_recording(BytesIO(file.encode()), "it", "it").traces
        fewest = fewest_states_of_traces(traces)
        assert len(machine["states"]) == fewest[1]
        assert sum(machine["uses"]) == sum(len(json.loads(line).get("moved", "")) for line in lines(file))


@pytest.mark.parametrize("seed", range(4))
def test_what_is_told_apart_is_what_python_tells_apart(ask_node: AskNode, seed: int) -> None:
    rng = np.random.default_rng(seed)
    machine = random_agent(rng, 4, 3) if seed else expert("add2")
    letters = [s for i, s in enumerate(machine.alphabet) if i != machine.blank]
    inputs = ["".join(rng.choice(letters, size=n)) for n in (1, 2, 3, 3, 5)] if seed else ADDITIONS[10:18]
    file = trace_file(machine, inputs)
    (found,) = ask_node("learner.mjs", [{"action": "doubtful", "file": file, "asked": 2}])
    agent, traces = (
        as_agent(found["machine"]),
        parse_recording(BytesIO(file.encode()), "it", "it").traces,
    )
    n, symbols = agent.next.shape
    places = []
    for i, told in enumerate(found["told"]):
        read = traces.x[traces.start[i] : traces.start[i + 1]].tolist()
        x = [agent.alphabet.index(traces.alphabet[symbol]) for symbol in read]
        states = [0]
        for symbol in x[:-1]:
            states.append(int(agent.next[states[-1], symbol]))
        rules = [n * symbols, *(q * symbols + a for q, a in zip(states, x, strict=True))][: len(x)]
        wanted = {
            rule * n + p
            for t, rule in enumerate(rules)
            for p in range(n)
            if told_slowly(agent, states, x, t, p)
        }
        assert set(told) == wanted
        places.append(wanted)
    doubtful = [bool(more - places[0] - places[1]) for more in places[2:]]
    assert found["first"] is None or found["first"]["input"] == str(doubtful.index(True))
    assert (found["first"] is None) == (not any(doubtful))


def test_a_machine_is_learnt_exactly(ask_node: AskNode) -> None:
    machine = read_machine(NEGATE)
    inputs = ["0", "1", "10", "01", "110", "1001", "0011"]
    (found,) = ask_node("learner.mjs", [{"action": "learn", "file": trace_file(machine, inputs)}])
    assert found["phase"] == "done"
    assert "3 of 3 seeds found this machine" in found["said"]
    learnt = as_agent(found["machine"])
    for text in ["", "111", "101001", "0" * 50, "10" * 40]:
        assert learnt.run(text).answer == machine.run(text).answer


@pytest.mark.parametrize(
    ("examples", "words"),
    [
        ([("1", "1", "0", "S"), ("1", "1", "1", "S")], "examples 1 and 2 contradict each other"),
        ([("1" * 20_001,) * 3 + ("R" * 20_000 + "S",)], "at most 20,000 steps, found 20,001"),
    ],
)
def test_what_cannot_be_learnt_is_refused(ask_node: AskNode, examples: list[Any], words: str) -> None:
    head = {"format": "dfst-traces/2", "name": "x", "alphabet": ["0", "1", "λ"], "blank": "λ"}
    rows = [dict(zip(("input", "read", "wrote", "moved"), line, strict=True)) for line in examples]
    file = "".join(f"{json.dumps(row)}\n" for row in (head, *rows))
    (found,) = ask_node("learner.mjs", [{"action": "learn", "file": file}])
    assert words in found["refused"]


@pytest.mark.parametrize(("symbols", "steps"), [("01", 3_000), ("0", 3_000), ("0", 20_000)])
def test_a_long_example_is_looked_at_in_moments(ask_node: AskNode, symbols: str, steps: int) -> None:
    """800 steps took the page 15 s, and of 3,000 it never heard Stop."""
    head = {"format": "dfst-traces/2", "name": "x", "alphabet": ["0", "1", "λ"], "blank": "λ"}
    rng = np.random.default_rng(steps)
    read, wrote = ("".join(rng.choice(list(some), steps)) for some in (symbols, "01"))
    row = {"input": read, "read": read, "wrote": wrote, "moved": "R" * (steps - 1) + "S"}
    file = "".join(f"{json.dumps(line)}\n" for line in (head, row))
    (seconds,) = ask_node("learner.mjs", [{"action": "seconds", "file": file}])
    assert seconds < 3


def test_stop_does_not_wait_for_a_busy_worker(ask_node: AskNode) -> None:
    assert ask_node("learner.mjs", [{"action": "stopped"}]) == [{"phase": "stopped", "ended": True}]
