"""Proving: the strongest statement about a subject and a reference that can be reached.

    machines   refuted by a short input, or proved; pair by pair of states first, which asks nothing of inputs
    a DFST     refuted, or its graph of learnt states is completed where the proof asks for it, and proved,
               bounded or proved on a condition; otherwise tested, with what stayed open

Pairs the exploration never met but the abstraction cannot exclude are asked of the weights themselves. A
polished model is silent there: then only a finer abstraction can help. Whatever is said in the end but
refuted and tested is what the checker says of the proof.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache, partial
from itertools import chain, islice
from typing import Any

import numpy as np

from dfst.counted import counted
from dfst.experts.registry import is_expert
from dfst.machines.agent import MISSING, Agent
from dfst.model.weights import Weights
from dfst.model.weights import to_bytes as weights_to_bytes
from dfst.proof.answers import explained_answer
from dfst.proof.boards import Split, by_last_rule
from dfst.proof.certificate import certificate, learnt_states, on_boards, to_bytes
from dfst.proof.checker import by_state, check
from dfst.proof.closure import Closure, open_path
from dfst.proof.ends import explained
from dfst.proof.forgetting import Forgetting, forgetting
from dfst.proof.inputs import EveryInput, Inputs, TaskInputs
from dfst.proof.language import InputLanguage
from dfst.proof.levels import AFTER_A_PROOF, closures, never_lacks_a_rule
from dfst.proof.match import Pairing, pair_up
from dfst.proof.measure import Measure, best_measure
from dfst.proof.question import Question, question, start_of
from dfst.proof.reading import PATIENT, Rejected
from dfst.proof.refute import refute, refute_by_sweeps
from dfst.proof.room import one_way, slow
from dfst.proof.verdict import Verdict
from dfst.states.explore import Explorer, TooManyStates
from dfst.states.extract import Extraction, Refused, extract, extract_bits
from dfst.states.graph import StateGraph

MAX_CONFIGURATIONS = 1_000_000
OF_ALL_INPUTS = 30_000
"""The same for machines without a task, on every input: what does not fit soon seldom does."""
MOST_STATES = 16
"""Learnt states per dimension; a model with more is rounding or drifting, not repeating itself."""
MAX_COMPLETIONS = 200
FINER = 3  # precisions that are tried once all is proved but that the reference never lacks a rule
UNPAIRED = "some pair of states that can meet does not act alike on every symbol that may be read"
LONG_RUNS, LONG = 4, 40  # runs that measure drift, and how long their inputs may be
Edges = set[tuple[int, int]]  # (learnt state, symbol)


def prove(
    subject: Agent | Weights | Extraction, reference: Agent, pattern: str | None = None, *,
    inputs: Inputs | None = None, rng: np.random.Generator | None = None, most: int = MAX_CONFIGURATIONS,
    sweeps: int | None = None,
) -> Verdict:  # fmt: skip
    """The strongest statement about the subject acting as the reference does, on every input that matches the
    pattern, or on the inputs given, else on every input of the task; two machines without one, on every input
    there is. most: abstract configurations of a closure before it is given up. sweeps: of a model that is not
    proved, also try inputs of one symbol repeated so often."""
    rng = rng or np.random.default_rng(0)
    unit = subject.graph.weights if isinstance(subject, Extraction) else subject
    asked = question(unit, reference, pattern, inputs)
    if isinstance(subject, Agent):
        return explained(_prove_machine(asked, rng, most), subject, reference)
    verdict = _prove_weights(subject, asked, rng, most)
    if sweeps is not None and not verdict.settled and isinstance(asked.inputs, TaskInputs):
        assert isinstance(unit, Weights)
        example = refute_by_sweeps(unit, asked.reference, asked.inputs.task, sweeps)
        if example is not None:
            verdict = replace(verdict, strength="refuted", checked=example.what, counterexample=example,
                              shown=None, proof=None)  # fmt: skip
    return explained(verdict, None, reference)


def _prove_machine(asked: Question, rng: np.random.Generator, most: int) -> Verdict:
    """A table against a table."""
    subject, reference, inputs = asked.subject, asked.reference, asked.inputs
    assert isinstance(subject, Agent)
    found = Verdict(
        subject.name, reference.name, "tested", len(subject.states), "all short inputs", inputs=inputs.meaning
    )
    pairing = pair_up(subject, reference)
    closure, how = None, f"{counted(len(pairing.subject), 'pair')} of states that can meet, whatever is read"
    if not pairing.alike:
        of_all = isinstance(inputs, EveryInput)
        example = refute(subject, reference, inputs, rng=rng, max_steps=10_000 if of_all else 100_000)
        if example is not None:
            return replace(found, strength="refuted", checked=example.what, counterexample=example)
        most = min(most, OF_ALL_INPUTS) if of_all else most
        outcome = _closed(pairing, inputs.language, most)
        if not isinstance(outcome, Closure):
            assert not isinstance(outcome, set)
            return replace(found, path=outcome)
        closure, how = outcome, _covered(outcome)
    proof = certificate(
        subject, reference, inputs.language, start_of(subject), pairing, closure,
        answer=_answer(reference, inputs),
    )  # fmt: skip
    return found.accepted(check(to_bytes(proof), most_work=PATIENT), proof, reference, how)


def _prove_weights(
    subject: Weights | Extraction, asked: Question, rng: np.random.Generator, most: int
) -> Verdict:
    """A DFST against a table: first to the bit, then with errors counted."""
    weights, reference, inputs = asked.subject, asked.reference, asked.inputs
    assert isinstance(weights, Weights)
    tested = Verdict(
        weights.name, reference.name, "tested", len(weights.h0), "all short inputs and random longer ones",
        examples=weights.examples, by_expert=is_expert(reference), inputs=inputs.meaning,
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
    graph, closure, alone = extraction.graph, None, cache(partial(never_lacks_a_rule, reference, language))
    plane = reference.task is not None and reference.task.plane
    split = by_last_rule(reference) if plane and isinstance(inputs, TaskInputs) else None
    held = split.machine if isinstance(split, Split) else reference
    paired = _by_pairs(graph, held, plane)
    if paired is not None:
        graph, pairing = paired
        covered = f"{counted(len(pairing.subject), 'pair')} of states that can meet, whatever is read"
        if isinstance(split, str):
            covered += f"; what boards show is unknown: {split}"
        elif split:
            covered = f"{counted(len(pairing.subject), 'pair')} of a state and the last rule, after which "
            covered += f"boards of any size show {split.symbols:,} symbols in all"
    elif plane:
        return replace(tested, checked=f"{extraction.sentence()}; {tested.checked}; {UNPAIRED}")
    else:
        goes_on = lambda: answer is not None or alone() is not None  # noqa: E731
        graph, pairing, outcome = _complete(graph, reference, language, goes_on, most)
        if not isinstance(outcome, Closure):
            told = f"{extraction.sentence()}; {tested.checked}"
            return replace(tested, states=len(graph), checked=told, path=outcome)
        closure, covered = outcome, _covered(outcome)
    stops = closure is not None and bool(closure.visited & pairing.stops) and answer is None
    how = f"{counted(len(graph), 'learnt state')}, {counted(graph.edges, 'edge')}"

    def attempt(measure: Measure | Forgetting | None, within: Closure | None) -> Verdict:
        proof = certificate(
            graph.machine(weights.name), held, language, start_of(weights), pairing, within,
            learnt_states(graph, measure), alone() if stops else None, answer,
        )  # fmt: skip
        shown = check(to_bytes(proof), weights_to_bytes(weights), PATIENT)
        shown = on_boards(shown, reference, split) if isinstance(split, Split) else shown
        seen = _covered(within) if within is not closure and within is not None else covered
        return tested.accepted(shown, proof, reference, f"{how}, {seen}")

    try:
        if graph.radius == 0:
            return attempt(None, closure)
    except Rejected:
        pass
    forgets = None if plane else forgetting(graph)
    try:
        if forgets is not None:
            return attempt(forgets, closure)
    except Rejected:
        pass
    try:
        measure, best = best_measure(graph), None
        finer = not plane and _one_way(graph, pairing)
        for within in _finer(closure, pairing, language, most if finer else 0):
            found = attempt(measure, within)
            best = best or found
            if found.length:
                return found
        assert best is not None
        return best
    except Rejected as reason:
        return replace(tested, checked=f"{extraction.sentence()}; {tested.checked}; {reason}")


def _one_way(graph: StateGraph, pairing: Pairing) -> bool:
    """Whether a bound on steps may be one on the length of inputs."""
    rules = by_state((pairing.machine.write, pairing.machine.motion, pairing.machine.next))
    return one_way(rules, slow(np.array(pairing.subject), graph.next))


def _finer(
    closure: Closure | None, pairing: Pairing, language: InputLanguage, most: int
) -> Iterator[Closure | None]:
    """The closure, and finer ones: where it is known how much longer runs make their tape, a bound on steps
    is one on the length of inputs."""
    outcomes = closures(pairing.machine, language, min(most, AFTER_A_PROOF)) if most else ()
    finer = (found for found in outcomes if isinstance(found, Closure) and not found.open_pairs)
    return chain([closure], islice(finer, FINER + 1))


def _answer(reference: Agent, inputs: Inputs) -> dict[str, Any] | None:
    """What is known of the reference's answer; it is about every input of a task."""
    return explained_answer(reference) if isinstance(inputs, TaskInputs) else None


def _extract(weights: Weights, inputs: Inputs, rng: np.random.Generator) -> Extraction:
    """Learnt states that are equal to the bit if the model has them, otherwise with a tolerance."""
    texts, long = inputs.to_explore(rng), inputs.random(rng, LONG_RUNS, LONG)
    most = MOST_STATES * len(weights.h0)
    try:
        return extract_bits(weights, texts, max_states=most)
    except Refused:
        return extract(weights, texts, drift_inputs=long, max_states=most)


def _by_pairs(graph: StateGraph, reference: Agent, plane: bool) -> tuple[StateGraph, Pairing] | None:
    """The graph, asked for all that the reference has rules for, where both then act alike whatever they
    read: models of machines that lack no rule often do. Of a board, nothing else tells what will be read."""
    if (reference.next == MISSING).any() and not plane:
        return None
    explorer = Explorer.of(graph)
    while True:
        pairing = pair_up(graph.machine(), reference, is_model=True)
        if pairing.alike:
            return graph, pairing
        lacking = {(pairing.subject[p], int(x)) for p, x in np.argwhere(pairing.machine.next == MISSING)}
        try:
            if lacking & explorer.edges.keys() or not all(explorer.decides(*pair) for pair in lacking):
                return None
            for state, symbol in sorted(lacking):
                explorer.edge(state, symbol)
        except TooManyStates:
            return None
        graph = explorer.graph()


def _complete(
    graph: StateGraph, reference: Agent, language: InputLanguage, goes_on: Callable[[], bool], most: int
) -> tuple[StateGraph, Pairing, Closure | tuple[str, ...]]:
    """Close the graph's pairing with the reference, asking the weights for edges that are lacking."""
    explorer, undecided = Explorer.of(graph), Edges()
    for _ in range(MAX_COMPLETIONS):
        pairing = pair_up(graph.machine(), reference, is_model=True)
        outcome = _closed(pairing, language, most, explorer.edges.keys() | undecided, goes_on)
        if not isinstance(outcome, set):
            return graph, pairing, outcome
        try:
            for state, symbol in sorted(outcome):
                if explorer.decides(state, symbol):
                    explorer.edge(state, symbol)
                else:
                    undecided.add((state, symbol))
        except TooManyStates:
            break
        graph = explorer.graph()
    pairing = pair_up(graph.machine(), reference, is_model=True)
    outcome = _closed(pairing, language, most)
    assert not isinstance(outcome, set)
    return graph, pairing, outcome


def _closed(
    pairing: Pairing, language: InputLanguage, most: int, asked: Edges | None = None,
    goes_on: Callable[[], bool] = lambda: True,
) -> Closure | Edges | tuple[str, ...]:  # fmt: skip
    """A closure in which the reference never stops, else one in which it may; else edges that may be asked
    for, those asked already excepted; else the path to the pair that the finest closure left open.

    goes_on: whether the reference by itself is known to go on until it halts: the first that closes will do
    """
    best: Closure | None = None
    path, tried = tuple[str, ...](), 0
    for outcome in closures(pairing.machine, language, most):
        if isinstance(outcome, str):
            path = path or (outcome,)
        elif not outcome.open_pairs:
            if best is None or len(outcome.visited & pairing.stops) < len(best.visited & pairing.stops):
                best = outcome
        elif best is None:
            met = {(pairing.subject[p], x) for p, x in outcome.open_pairs}
            if asked is not None and met - asked:
                return met - asked
            path = open_path(pairing.machine, outcome)
        if best is not None:
            if not best.visited & pairing.stops or goes_on() or tried == FINER:
                return best
            tried += 1
    return best or path


def _covered(closure: Closure) -> str:
    low, high = closure.rows
    rows = f"{high - low + 1} rows" if high > low else "one row"
    found = counted(len(closure.parents), "abstract configuration")
    return f"{found} on {rows}, precision: {closure.precision.name}"
