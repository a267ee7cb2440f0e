"""Which model is kept: every seed, polished where that helps, and the one that most of them agree on.

Nothing but the training set has a say: five polished seeds or more vote (`vote.py`). Of fewer, or where the
vote decides nothing, those that arrived at the same machine (their parameters are then equal to the bit) are
believed, the largest such group, of two the one with fewer learnt states, then the smaller loss. Without a
polish the loss alone decides. The chosen model is proved and evaluated afterwards, whatever comes out.

Validation is for those who ask for it. It lets longer inputs choose twice: the graphs of learnt states that
act on them as the expert does are polished, and the polished model, in float32, must do so as well; the proof
may then choose among seeds, too. Its inputs are drawn by seeds of their own, not by that of the final
figures.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Any

import numpy as np

from dfst.agents.agent import Agent
from dfst.counted import counted
from dfst.errors import DfstError
from dfst.evaluation.cases import hard_cases, random_cases, repeated_cases
from dfst.evaluation.length import LengthReport, evaluate_on
from dfst.evaluation.search import search
from dfst.learning.beside import beside
from dfst.learning.plan import Plan, weights_of
from dfst.learning.state import TrainingState
from dfst.learning.vote import FEWEST_SEEDS, disagreements, joint_states, sentence
from dfst.model.weights import Weights
from dfst.proof import Verdict, prove
from dfst.proof.inputs import RegularInputs
from dfst.proof.regular import in_alphabet_of
from dfst.proof.verdict import ITS_MACHINE
from dfst.rollout.compiled import Rollout
from dfst.states.polish import Polished, polish
from dfst.traces.sample import record_all
from dfst.traces.traceset import TraceSet
from dfst.world.grid import Limits

VALIDATION_SEED = 1
"""Draws the inputs by which models are chosen."""
WATCH_SECONDS = 0.5
WATCH_DIGITS = 200
VALIDATION_SECONDS = 2.0
VALIDATION_DIGITS = 1000
FAR_ENOUGH = 24
"""Digits at which a model must be right on random, repeated and hard inputs to be kept."""
GRAPH_DIGITS = (4, 6, 9, FAR_ENOUGH, 60)
GRAPH_SEED = 100
"""Lengths and first seed of the inputs on which graphs of learnt states are tried."""
MOST_PROOFS = 6
"""Seeds that are tried for a proof, the best first."""
PROOF_SEED = 2
"""Draws the runs on which the prover looks for learnt states."""
PROOF_OF_A_MACHINE = 30_000
"""Abstract configurations after which the proof about a machine without a task is given up."""
LONGER_INPUTS, TIMES_LONGER = 60, 4
"""How many inputs validate a machine without a task, and how much longer than the lesson's they are."""

Tell = Callable[[str], None]


@dataclass(frozen=True)
class Validation:
    """How a model did on longer inputs, within a short budget."""

    rlg: int
    """The largest length tested without failure"""
    stopped_by: str
    """failure, budget or limit"""

    @property
    def passed(self) -> bool:
        """Whether there was no failure, far enough for that to mean something."""
        return self.stopped_by != "failure" and self.rlg >= FAR_ENOUGH


@dataclass(frozen=True)
class Outcome:
    """What became of one seed."""

    seed: int
    weights: Weights
    """Polished, where that helped"""
    raw: Weights
    """As training left it"""
    loss: float
    """Training loss of the last logging point; NaN if the seed diverged"""
    polished: Polished | None = None
    validation: Validation | None = None
    """None if the recipe asks for none"""
    verdict: Verdict | None = None
    """None if the prover was not asked, or had nothing to say"""
    reports: tuple[LengthReport, ...] = ()
    """The final figures, which choose nothing; none if they were not asked for"""
    reach: int | None = None
    """Where the final figures show a failure: the largest number of digits tested without one"""
    disagreement: float | None = None
    """With the other seeds in their vote, 0 to 1; None if it had no part in one"""

    @property
    def exact(self) -> bool:
        """Whether the final figures show no failure."""
        return all(report.right for report in self.reports)

    @property
    def failed(self) -> bool:
        """Whether a longer input showed that it is wrong."""
        return self.validation is not None and self.validation.stopped_by == "failure"

    @property
    def states(self) -> int | None:
        """Learnt states of the polished model."""
        return self.polished.states if self.polished else None

    @property
    def strength(self) -> str:
        """refuted, tested, bounded or proved"""
        if self.verdict:
            return self.verdict.strength
        return "refuted" if self.failed or not self.exact else "tested"

    @property
    def worth_proving(self) -> bool:
        return self.polished is not None and (self.validation is None or self.validation.passed)

    def rank(self) -> tuple[bool, bool, int, int, float]:
        """Larger is better."""
        rlg = self.validation.rlg if self.validation else 0
        loss = np.inf if np.isnan(self.loss) else self.loss
        passed = self.validation is None or self.validation.passed
        return passed, self.worth_proving, rlg, -(self.states or 0), -loss

    def sentence(self) -> str:
        said = [f"seed {self.seed}: loss {self.loss:.1e}", "not polished"]
        if self.polished:
            far = f"to {self.polished.residual:.0e}" if self.polished.residual else "exactly"
            said[1] = f"polished {far} on {counted(self.polished.states, 'learnt state')}"
        if self.validation:
            rlg = self.validation.rlg
            said.append(
                f"no failure up to {counted(rlg, 'digit')}" if self.validation.passed else f"RLG {rlg:,}"
            )
        return ", ".join(said)

    def as_json(self) -> dict[str, Any]:
        """How it stands in report.json."""
        return {
            "seed": self.seed,
            "loss": None if np.isnan(self.loss) else self.loss,
            "rlg": self.validation.rlg if self.validation else None,
            "stopped_by": self.validation.stopped_by if self.validation else None,
            "states": self.states,
            "residual": self.polished.residual if self.polished else None,
            "disagreement": self.disagreement,
            "strength": self.strength,
            "measured": [_summary(report) for report in self.reports],
            "reach": self.reach,
        }


def _summary(report: LengthReport) -> dict[str, Any]:
    """A report in a few numbers, with the first of its failures."""
    return {
        **{name: getattr(report, name) for name in ("digits", "right", "plg", "rlg", "pairs", "steps")},
        "margin": report.margin if np.isfinite(report.margin) else None,
        "failures": len(report.failures),
        "first_failure": report.failures[0].as_json() if report.failures else None,
    }


def finish_seeds(
    plan: Plan, traces: TraceSet, state: TrainingState, losses: Sequence[float], tell: Tell
) -> list[Outcome]:
    """Every seed, polished and validated as the recipe asks. losses: the last of each seed."""
    recipe, found = plan.recipe, []
    longer = longer_inputs(plan, VALIDATION_SEED) if recipe.validate and plan.agent.task is None else []
    shown = _validation_traces(plan, longer) if recipe.validate and recipe.polish else None

    def judged(weights: Weights, seconds: float) -> Validation | None:
        return validate(weights, plan.agent, longer, seconds) if recipe.validate else None

    loss = [f"{loss:.3g}" for loss in losses]
    raw = [
        weights_of(theta, plan, traces, seed, state.iteration, loss=loss[i])
        for i, (seed, theta) in enumerate(zip(plan.seeds, state.theta, strict=True))
    ]
    polishing = [recipe.polish and bool(alive) for alive in state.alive]
    # Where longer inputs choose, within a budget of time, seeds do not compete for the cores.
    guesses = (map if recipe.validate else beside)(
        partial(_guesses, traces, shown, plan.states),
        [weights for weights, wanted in zip(raw, polishing, strict=True) if wanted],
    )
    for i, seed in enumerate(plan.seeds):
        seconds = WATCH_SECONDS if polishing[i] else VALIDATION_SECONDS
        best = Outcome(seed, raw[i], raw[i], losses[i], validation=judged(raw[i], seconds))
        for result in next(guesses) if polishing[i] else ():
            history = {"loss": loss[i], "polish": result.words}
            weights = weights_of(result.theta, plan, traces, seed, state.iteration, **history)
            outcome = Outcome(seed, weights, raw[i], losses[i], result, judged(weights, VALIDATION_SECONDS))
            best = max(best, outcome, key=Outcome.rank)
            if outcome.worth_proving:
                break
        found.append(best)
        if recipe.polish or recipe.validate:
            tell(best.sentence())
    return found


def _guesses(
    traces: TraceSet, shown: TraceSet | None, states: int | None, raw: Weights
) -> Iterable[Polished]:
    """What a polish offers, best guess first; that alone where nothing is there to choose another by."""
    found = polish(raw, traces, shown, states)
    return found if shown is not None else list(islice(found, 1))


def choose(
    plan: Plan, traces: TraceSet, outcomes: Sequence[Outcome], every_seed: bool, tell: Tell
) -> tuple[Outcome, list[Outcome]]:
    """The best seed, and all of them, with what was found out.

    With `every_seed` the prover is asked about each that was polished: how many become exact is worth knowing
    too. It has a say in the choice only where the recipe lets longer inputs choose as well.
    """
    best_first = ranked(outcomes, traces, tell)
    to_prove = best_first if every_seed else best_first[: MOST_PROOFS if plan.recipe.validate else 1]
    asked = _asked(plan, to_prove, not every_seed, tell)
    if every_seed and plan.recipe.polish:
        proved = sum(o.strength == "proved" for o in asked.values())
        tell(f"{proved} of {counted(len(asked), 'seed')} {'is' if len(asked) == 1 else 'are'} proved")
    chosen = asked[best_first[0].seed]
    if plan.recipe.validate:
        chosen = next((o for o in asked.values() if o.strength == "proved"), chosen)
    found = {outcome.seed: outcome for outcome in best_first} | asked
    return chosen, [found[outcome.seed] for outcome in outcomes]


def ranked(outcomes: Sequence[Outcome], traces: TraceSet, tell: Tell) -> list[Outcome]:
    """Best first, each with what the vote says of it."""
    outcomes = _voted(outcomes, traces, tell)
    found = Counter(_parameters(outcome) for outcome in outcomes if outcome.polished)

    def rank(outcome: Outcome) -> tuple[Any, ...]:
        passed, polished, *rest = outcome.rank()
        return passed, polished, -(outcome.disagreement or 0), found[_parameters(outcome)], *rest

    return sorted(outcomes, key=rank, reverse=True)


def _voted(outcomes: Sequence[Outcome], traces: TraceSet, tell: Tell) -> list[Outcome]:
    """The outcomes, those that were polished with what the others say of their learnt states."""
    graphs = {outcome.seed: outcome.polished.graph for outcome in outcomes if outcome.polished}
    if len(graphs) < FEWEST_SEEDS:
        return list(outcomes)
    apart = disagreements(joint_states(list(graphs.values()), traces)).tolist()
    tell(sentence(list(graphs), apart))
    far = dict(zip(graphs, apart, strict=True))
    return [replace(outcome, disagreement=far.get(outcome.seed)) for outcome in outcomes]


def _parameters(outcome: Outcome) -> bytes:
    return outcome.weights.flat().tobytes()


def _asked(plan: Plan, outcomes: Sequence[Outcome], until_proved: bool, tell: Tell) -> dict[int, Outcome]:
    """By their seeds, with what the prover says of each where that is worth asking; all, or up to the first
    that is proved. What is proved of a model is proved of every other with the same numbers."""
    worth = [outcome for outcome in outcomes if plan.expert is not None and outcome.worth_proving]
    first: dict[bytes, Outcome] = {}
    for outcome in worth:
        first.setdefault(_parameters(outcome), outcome)
    models = [outcome.weights for outcome in first.values()]
    answers = (map if until_proved else beside)(partial(_answer, plan), models)
    asked: dict[int, Outcome] = {}
    for outcome in outcomes:
        asked[outcome.seed] = outcome
        twin = first.get(_parameters(outcome))
        if outcome not in worth or twin is None:
            continue
        if twin.seed == outcome.seed:
            tell(f"proving that no input of any length can lead seed {outcome.seed} astray …")
            answer = next(answers)
            if isinstance(answer, str):
                tell(f"no proof: {answer}")
                continue
            if answer.strength != "proved":
                tell(answer.sentence())
            asked[outcome.seed] = replace(outcome, verdict=answer)
        else:
            tell(f"seed {outcome.seed} has the parameters of seed {twin.seed}, to the bit")
            asked[outcome.seed] = replace(outcome, verdict=asked[twin.seed].verdict)
        if until_proved and asked[outcome.seed].strength == "proved":
            break
    return asked


def _answer(plan: Plan, weights: Weights) -> Verdict | str:
    """What the prover says of a model, or why it can say nothing."""
    try:
        return _verdict(plan, weights)
    except DfstError as error:
        return str(error)


def _verdict(plan: Plan, weights: Weights) -> Verdict:
    """What the prover says of a model, on all inputs that are meant."""
    rng = np.random.default_rng(PROOF_SEED)
    if plan.agent.task is not None:
        return prove(weights, plan.agent, rng=rng)
    reference = in_alphabet_of(weights, plan.agent)
    inputs = RegularInputs(plan.language, reference)
    verdict = prove(weights, reference, inputs=inputs, rng=rng, most=PROOF_OF_A_MACHINE)
    return replace(verdict, against=ITS_MACHINE)


def longer_inputs(plan: Plan, seed: int) -> list[str]:
    """Inputs for a machine without a task that the training never showed."""
    rng, language = np.random.default_rng(seed), plan.language
    longest = TIMES_LONGER * max(1, *(len(text) for text in plan.inputs))
    drawn = {language.sample(rng, int(rng.integers(0, longest + 1))) for _ in range(LONGER_INPUTS)}
    return sorted(drawn - set(plan.inputs), key=lambda text: (len(text), text)) or list(plan.inputs)


def _validation_traces(plan: Plan, longer: list[str]) -> TraceSet:
    """What the expert does on longer inputs."""
    task = plan.agent.task
    if task is None:
        return record_all(plan.agent, longer, Limits(steps=TIMES_LONGER**2 * plan.max_steps))
    cases = [
        case
        for i, n in enumerate(GRAPH_DIGITS)
        for case in random_cases(task, n, GRAPH_SEED + i) + repeated_cases(task, n) + hard_cases(task, n)
    ]
    return record_all(plan.agent, list(dict.fromkeys(task.write(case.operands) for case in cases)))


def quick_rlg(weights: Weights, expert: Agent) -> int:
    """How far a model goes within half a second."""
    try:
        return search(Rollout(weights), "", expert, WATCH_SECONDS, WATCH_DIGITS, seed=VALIDATION_SEED).rlg
    except DfstError:
        return 0


def validate(weights: Weights, expert: Agent, longer: Sequence[str], seconds: float) -> Validation:
    """How far the model goes in float32 on validation inputs, and what ended the search.

    longer: the inputs, where the expert has no task to draw them from.
    """
    rollout = Rollout(weights.astype(np.float32))
    try:
        if expert.task is None:
            report = evaluate_on(rollout, weights.name, expert, longer)
            return Validation(max(report.digits, FAR_ENOUGH), "limit") if report.rlg else FAILED
        # The first length is asked whatever it takes: on busy cores a budget would choose the worse graph.
        found = search(
            rollout, weights.name, expert, seconds, VALIDATION_DIGITS, FAR_ENOUGH, seed=VALIDATION_SEED
        )
    except DfstError:
        return FAILED
    return Validation(found.rlg, found.stopped_by)


FAILED = Validation(0, "failure")
