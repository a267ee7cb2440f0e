"""Proving: the strongest statement about a subject and a reference that can be reached.

    prove_machine   a grid agent: refuted by a short input, or proved, or the two decided as Mealy machines
    prove_weights   a DFST: refuted, or its graph of learnt states is completed where the proof asks for it,
                    and proved or bounded; otherwise tested, with an abstract path to what stayed open

Pairs the exploration never met but the abstraction cannot exclude are asked of the weights themselves: if
the model decides there as the reference does, the edge is added and the proof goes on with it. A polished
model is silent there: then only a finer abstraction can help. What is said
of a model in the end is what the checker says of the proof.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from dfst.agents.agent import Agent
from dfst.agents.registry import expert
from dfst.agents.task import Task
from dfst.counted import counted
from dfst.errors import InputError
from dfst.model.weights import Weights
from dfst.model.weights import to_bytes as weights_to_bytes
from dfst.proof.answers.proved import proved_answer
from dfst.proof.certificate import certificate, learnt_states, to_bytes, with_answer
from dfst.proof.checker import check
from dfst.proof.closure import Closure
from dfst.proof.ends import comparable, explained, plain
from dfst.proof.inputs import EVERY_INPUT, Inputs, TaskInputs
from dfst.proof.language import InputLanguage, language_of
from dfst.proof.levels import closures
from dfst.proof.match import Pairing, pair_up
from dfst.proof.narrate import open_path
from dfst.proof.reading import Rejected
from dfst.proof.refute import refute
from dfst.proof.verdict import Verdict, assumed
from dfst.states.explore import Explorer, TooManyStates
from dfst.states.extract import Extraction, Refused, extract, extract_bits
from dfst.states.graph import StateGraph

MAX_CONFIGURATIONS = 1_000_000
MOST_STATES = 16
"""Learnt states per dimension; a model with more is rounding or drifting, not repeating itself."""
CHEAP = 5_000
"""Configurations of a closure that is made in no time."""
MAX_COMPLETIONS = 200
FINER = 3
"""Precisions that are tried once all is proved, so that it can be said without "as long as", whether they
come to an end or not. Of the shipped models five gain by it, by the second at the latest."""
LONG_RUNS, LONG = 4, 40
"""Runs that measure drift, and how long their inputs may be."""


def prove(
    subject: Agent | Weights | Extraction,
    reference: Agent,
    task: Task | None = None,
    *,
    inputs: Inputs | None = None,
    rng: np.random.Generator | None = None,
    most: int = MAX_CONFIGURATIONS,
) -> Verdict:
    """The strongest statement about the subject acting as the reference does, on every input of the task,
    or on the inputs given. most: abstract configurations of a closure before it is given up."""
    rng = rng or np.random.default_rng(0)
    task = task or reference.task
    if inputs is None and task is not None:
        inputs = TaskInputs(task)
    if isinstance(subject, Agent):
        verdict = prove_machine(*comparable(subject, reference), inputs, rng, most)
        return explained(verdict, subject, reference)
    if inputs is None:
        raise InputError(
            f"{reference.name} has no task, so there is no set of inputs to prove; give one, or a language"
        )
    verdict = prove_weights(subject, plain(reference), inputs, rng, most)
    return explained(verdict, None, reference)


def prove_machine(
    subject: Agent, reference: Agent, inputs: Inputs | None, rng: np.random.Generator, most: int
) -> Verdict:
    """A table against a table, on the inputs given, or on every input there is."""
    meaning = inputs.meaning if inputs else EVERY_INPUT
    if inputs is not None:
        example = refute(subject, reference, inputs, rng=rng)
        if example is not None:
            return Verdict(
                subject.name, reference.name, "refuted", len(subject.states), example.what, (), example
            )
    start = inputs.start if inputs else reference.layout
    if (subject.task.layout if subject.task else subject.layout) != start:
        raise InputError(
            f"{subject.name} does not start where {reference.name} does: {subject.layout!r}, not {start!r}; "
            "give it the task, or the same start"
        )
    language = inputs.language if inputs else language_of(reference)
    answer = _answer(reference, inputs)
    # Of a task more is asked: that neither ever lacks a rule. A reference with a proved answer never does.
    pairing = pair_up(subject, reference, stop_alike=answer is not None or not isinstance(inputs, TaskInputs))
    outcome = _close(pairing, language, most)
    if isinstance(outcome, Closure):
        proof = certificate(subject, reference, language, start, pairing, outcome)
        check(to_bytes(proof))
        return Verdict(
            subject.name, reference.name, "proved", len(subject.states), _covered(outcome),
            assumed(None), inputs=meaning,
            answer=answer["computes"] if answer else None, proof=with_answer(proof, answer),
        )  # fmt: skip
    return Verdict(
        subject.name, reference.name, "tested", len(subject.states), "all short inputs", path=outcome
    )


def prove_weights(
    subject: Weights | Extraction, reference: Agent, inputs: Inputs, rng: np.random.Generator, most: int
) -> Verdict:
    """A DFST against a table: first to the bit, then with errors counted."""
    weights = subject.graph.weights if isinstance(subject, Extraction) else subject
    tested = Verdict(
        weights.name, reference.name, "tested", len(weights.h0), "all short inputs and random longer ones",
        examples=weights.examples, by_expert=_is_expert(reference),
        inputs=inputs.meaning,
    )  # fmt: skip
    example = refute(weights, reference, inputs, rng=rng)
    if example is not None:
        return replace(tested, strength="refuted", checked=example.what, counterexample=example)
    language = inputs.language
    try:
        extraction = subject if isinstance(subject, Extraction) else _extract(weights, inputs, rng)
    except Refused as reason:
        return replace(tested, checked=f"{tested.checked}; {reason}")
    answer = _answer(reference, inputs)
    graph, pairing, outcome = _complete(extraction.graph, reference, language, answer is not None, most)
    seen = replace(tested, states=len(graph), checked=f"{extraction.sentence()}; {tested.checked}")
    if not isinstance(outcome, Closure):
        return replace(seen, path=outcome)
    for exact in (True, False) if graph.radius == 0 else (False,):
        try:
            proof = certificate(
                graph.machine(weights.name), reference, language, weights.layout, pairing, outcome,
                learnt_states(graph, exact),
            )  # fmt: skip
            shown = check(to_bytes(proof), weights_to_bytes(weights))
            break
        except Rejected as reason:
            refused = replace(seen, checked=f"{seen.checked}; {reason}")
    else:
        return refused
    lacked = [] if answer else shown["stops"]  # what ends with its answer never lacks a rule
    stops = tuple(f"({reference.states[q]}, {reference.alphabet[x]})" for q, x in lacked)
    others = f" and {len(stops) - 2} more" if len(stops) > 2 else ""
    left_open = f"; patterns do not exclude that it lacks {', '.join(stops[-2:])}{others}" if stops else ""
    learnt = counted(len(graph), "learnt state")
    return replace(
        seen,
        strength="proved" if shown["steps"] is None else "bounded",
        checked=f"{learnt}, {counted(graph.edges, 'edge')}, {_covered(outcome)}{left_open}",
        assumptions=assumed(shown["sums"]),
        stops=stops,
        arithmetic=shown["arithmetic"],
        steps=shown["steps"],
        answer=answer["computes"] if answer and shown["steps"] is None else None,
        proof=with_answer(proof, answer),
    )


def _answer(reference: Agent, inputs: Inputs | None) -> dict[str, Any] | None:
    """What is known of the reference's answer; it is about every input of a task."""
    return proved_answer(reference) if isinstance(inputs, TaskInputs) else None


def _is_expert(agent: Agent) -> bool:
    return agent.task is not None and agent.same_table(expert(agent.task.name))


def _extract(weights: Weights, inputs: Inputs, rng: np.random.Generator) -> Extraction:
    """Learnt states that are equal to the bit if the model has them, otherwise with a tolerance."""
    texts, long = inputs.to_explore(rng), inputs.random(rng, LONG_RUNS, LONG)
    most = MOST_STATES * len(weights.h0)
    try:
        return extract_bits(weights, texts, max_states=most)
    except Refused:
        return extract(weights, texts, drift_inputs=long, max_states=most)


def _close(pairing: Pairing, language: InputLanguage, most: int) -> Closure | tuple[str, ...]:
    """The first closure without open pairs, or the path to the pair that the finest one left open."""
    path: tuple[str, ...] = ()
    for outcome in closures(pairing.machine, language, most):
        if isinstance(outcome, str):
            path = path or (outcome,)
        elif not outcome.open_pairs:
            return outcome
        else:
            path = open_path(pairing.machine, outcome)
    return path


def _complete(
    graph: StateGraph, reference: Agent, language: InputLanguage, goes_on: bool, most: int
) -> tuple[StateGraph, Pairing, Closure | tuple[str, ...]]:
    """Close the graph's pairing with the reference, asking the weights for edges that are lacking."""
    explorer, undecided = Explorer.of(graph), set[tuple[int, int]]()
    for _ in range(MAX_COMPLETIONS):
        pairing = pair_up(graph.machine(), reference, is_model=True)
        closure, lacking = _closed_best(pairing, language, goes_on, explorer.edges.keys() | undecided, most)
        if closure is not None or not lacking:
            break
        try:
            for state, symbol in sorted(lacking):
                if explorer.decides(state, symbol):
                    explorer.edge(state, symbol)
                else:
                    undecided.add((state, symbol))
        except TooManyStates:
            break
        graph = explorer.graph()
    if closure is None:
        pairing = pair_up(graph.machine(), reference, is_model=True)
        return graph, pairing, _close(pairing, language, most)
    return graph, pairing, closure


def _closed_best(
    pairing: Pairing, language: InputLanguage, goes_on: bool, asked: set[tuple[int, int]], most: int
) -> tuple[Closure | None, set[tuple[int, int]]]:
    """A closure in which the reference never stops, else one in which it may; else edges to ask for.

    Where it is known that the reference `goes_on` until it halts, what is finer is tried only if it is cheap.
    """
    best: Closure | None = None
    tried = 0
    for outcome in closures(pairing.machine, language, most):
        if isinstance(outcome, Closure) and not outcome.open_pairs:
            if best is None or len(outcome.visited & pairing.stops) < len(best.visited & pairing.stops):
                best = outcome
            cheap = len(outcome.parents) <= CHEAP
        elif best is None:
            lacking = _lacking(outcome, pairing) - asked
            if lacking:
                return None, lacking
            continue
        else:
            cheap = isinstance(outcome, Closure)
        if not best.visited & pairing.stops or tried == FINER or (goes_on and not cheap):
            break
        tried += 1
    return best, set()


def _lacking(outcome: Closure | str, pairing: Pairing) -> set[tuple[int, int]]:
    """Edges of the subject that its open pairs ask for."""
    return {(pairing.subject[p], x) for p, x in outcome.open_pairs} if isinstance(outcome, Closure) else set()


def _covered(closure: Closure) -> str:
    low, high = closure.rows
    rows = f"{high - low + 1} rows" if high > low else "one row"
    found = counted(len(closure.parents), "abstract configuration")
    return f"{found} on {rows}, precision: {closure.precision.name}"
