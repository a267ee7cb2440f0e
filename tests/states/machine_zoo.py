"""Random machines and models for the tests of extraction and proof."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from dfst.machines import HALT, MISSING, Agent
from dfst.model import Weights, compile_agent
from dfst.world.grid import D, L, R, S, U
from dfst.world.unit import ClosedLoop


def random_machine(rng: np.random.Generator, states: int, symbols: int, missing: float = 0.1) -> Agent:
    """A machine whose states alternate between two rows, so that it never leaves them."""
    shape = (2 * states, symbols)
    motion = rng.choice([L, R, L, R, U], size=shape).astype(np.uint8)
    target = rng.integers(0, states, size=shape)
    # States below `states` walk on row 0, the others on row 1; a vertical motion changes between them.
    upper = np.arange(2 * states)[:, None] >= states
    vertical = motion == U
    motion = np.where(vertical & upper, D, motion).astype(np.uint8)
    following = (target + states * (upper ^ vertical)).astype(np.int32)
    fate = rng.random(shape)
    following[fate < missing] = MISSING
    following[(fate >= missing) & (fate < missing + 0.05)] = HALT
    motion[following == HALT] = S
    write = rng.integers(0, symbols, size=shape).astype(np.uint8)
    names = tuple(f"s{i}" for i in range(2 * states))
    return Agent("random", tuple("λabcdef"[:symbols]), names, write, motion, following, blank=0)


def complete_machine(rng: np.random.Generator, states: int, symbols: int) -> Agent:
    """Every rule given, all motions, few outputs, so that equivalent states are not rare."""
    shape = (states, symbols)
    following = rng.integers(0, states, size=shape).astype(np.int32)
    motion = rng.choice([L, R], size=shape, p=[0.9, 0.1]).astype(np.uint8)
    write = (rng.random(shape) < 0.1).astype(np.uint8)
    return Agent(
        "complete",
        tuple("λabc"[:symbols]),
        tuple(f"s{i}" for i in range(states)),
        write,
        motion,
        following,
        0,
    )


def rebased(weights: Weights, rng: np.random.Generator, spread: float = 3.0) -> Weights:
    """The same model in other coordinates: hidden states are no longer one-hot, nothing else changes."""
    d = len(weights.h0)
    u, v = (np.linalg.qr(rng.normal(size=(d, d)))[0] for _ in range(2))
    t = u @ np.diag(np.geomspace(1, spread, d)) @ v
    back = np.linalg.inv(t)
    a, b, c, h0 = (part.astype(np.float64) for part in (weights.A, weights.B, weights.C, weights.h0))
    return replace(weights, A=t @ a @ back, B=b @ back, C=c @ back, h0=t @ h0)


def split(agent: Agent, inputs: list[str], remember: Callable[[str, int, str], str]) -> Agent:
    """The agent with states split by what they remember, as learnt states are, with only rules met.

    remember: what is known after a step, of what was known before, the symbol read and the state it leads to
    """
    number: dict[tuple[int, str], int] = {(0, ""): 0}
    rules: dict[tuple[int, int], tuple[int, int, int]] = {}
    for text in inputs:
        memory = ""
        loop, state = ClosedLoop(agent, text), 0
        while (action := loop.advance()) is not None:
            here, read = number[state, memory], action.read
            target = int(agent.next[state, read])
            if target != HALT:
                memory = remember(memory, read, agent.states[target])
            after = target if target == HALT else number.setdefault((target, memory), len(number))
            rules[here, read] = (action.written, int(agent.motion[state, read]), after)
            state = target
    shape = (len(number), len(agent.alphabet))
    write, motion = np.zeros(shape, dtype=np.uint8), np.full(shape, S, dtype=np.uint8)
    following = np.full(shape, MISSING, dtype=np.int32)
    for (q, x), (w, m, f) in rules.items():
        write[q, x], motion[q, x], following[q, x] = w, m, f
    names = tuple(f"{agent.states[q]}|{past}" for q, past in number)
    return replace(agent, states=names, write=write, motion=motion, next=following)


def with_memory(agent: Agent, inputs: list[str], length: int) -> Agent:
    """The agent with states split by the last symbols read."""
    return split(agent, inputs, lambda memory, read, _: (memory + agent.alphabet[read])[-length:])


def knowing_its_first(agent: Agent, inputs: list[str], state: str) -> Agent:
    """The agent with states that know whether it has been in this one before."""
    return split(agent, inputs, lambda memory, _, target: "been" if target == state else memory)


def model_with_memory(agent: Agent, inputs: list[str], length: int, rng: np.random.Generator) -> Weights:
    """A model with more learnt states than the agent has, in coordinates that hide them."""
    return rebased(compile_agent(with_memory(agent, inputs, length)), rng)


def with_room(weights, seed):
    """The same with two dimensions more, in which errors shrink and from which they come back."""
    rng, (symbols, d) = np.random.default_rng(seed), weights.A.shape[:2]
    A = np.zeros((symbols, d + 2, d + 2))
    A[:, :d, :d], A[:, :d, d:] = weights.A, 1e-4 * rng.normal(size=(symbols, d, 2))
    A[:, d:, :d], A[:, d:, d:] = 1e-5 * rng.normal(size=(symbols, 2, d)), [[0.5, 0.3], [-0.3, 0.5]]
    B, C = (np.pad(part, ((0, 0), (0, 0), (0, 2))) for part in (weights.B, weights.C))
    return replace(weights, A=A.astype(B.dtype), B=B, C=C, h0=np.pad(weights.h0, (0, 2)))
