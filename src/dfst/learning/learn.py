"""From examples to an exact model: sample, train, polish, choose, prove, evaluate.

`learn` is the one way to carry out a plan, for the command line, Python, sweeps and comparisons; its body is
the list of stages, each a function of another module. It returns all that came out. The run folder keeps the
same, and lets an interrupted run go on.
"""

from __future__ import annotations

import time
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dfst.agents.agent import Agent
from dfst.counted import all_of, counted
from dfst.errors import DfstError, InputError
from dfst.evaluation.agreement import Agreement, agreement
from dfst.evaluation.cases import check_digits
from dfst.files import write_json
from dfst.formats import write_machine
from dfst.learning.ahead import compiling_ahead
from dfst.learning.choose import choose
from dfst.learning.engines import Device, make_engine, pick_device
from dfst.learning.finish import finish_seeds
from dfst.learning.fit import Fit, fit_hidden_size
from dfst.learning.learnt import Learnt
from dfst.learning.measure import measure
from dfst.learning.memory import check_memory
from dfst.learning.outcome import Outcome
from dfst.learning.plan import RECORDING, Plan, plan_from_json, weights_of
from dfst.learning.processes import Helpers, hands
from dfst.learning.progress import Narrator, Progress, devices
from dfst.learning.recipe import find_recipe
from dfst.learning.runfolder import RunFolder
from dfst.learning.state import TrainingState, initial_state
from dfst.learning.train import logged, train
from dfst.learning.validation import quick_rlg
from dfst.model.weights import save_weights
from dfst.proof import save_proof
from dfst.states.fewest import fewest_states_of_traces
from dfst.states.follow import follow_soundly
from dfst.states.minimise import minimise
from dfst.states.teachability import Teachability, size_warnings, teachability
from dfst.traces.recording import Recording, write_recording
from dfst.traces.traceset import TraceSet, save_traces

AGAINST_GROWTH = "try more seeds or steps, or more weight on growth (--settle-on growth, --settle)"


def learn(
    plan: Plan,
    out: str | Path,
    device: Device = "auto",
    digits: tuple[int, ...] | None = None,
    narrator: Narrator | None = None,
    *,
    resume: bool = False,
    every_seed: bool = False,
    stop_after: float = inf,
    start: ArrayLike | None = None,
) -> Learnt:
    """Carry out a plan.

    digits:     lengths of the final evaluation, in place of the paper's
    resume:     the folder holds this plan, and the run goes on where it was
    every_seed: prove every seed, not only the chosen one; without a polish, measure every seed
    stop_after: seconds after which a training that is not done is saved and ends with OutOfTime
    start:      (s, P) parameters to start from, in place of the paper's
    """
    began = time.monotonic()
    narrator = narrator or Narrator()
    folder = RunFolder(out)
    for n in digits or ():
        check_digits(n)
    used = pick_device(device)
    traces = _sample(plan)
    with folder.locked(), compiling_ahead(), Helpers() as helpers:
        resumed = _resumed(plan, traces, folder) if resume else None
        earlier = logged(folder, plan.recipe, resumed.iteration) if resumed else []
        if not resume and folder.exists():
            raise InputError(
                f"{folder.path} already holds a run; "
                f"continue it with --resume {folder.path} or give another --out"
            )
        lesson = teachability(plan.expert, traces) if plan.expert else None
        told = lesson.sentence() if lesson else _held_out(plan)
        narrator.stage(f"{counted(len(traces), 'example')}, {counted(traces.tokens, 'step')}; {told}")
        fit = _fit(plan, traces, lesson, used, narrator) if plan.fit == "wanted" and start is None else None
        if fit:
            plan = replace(plan, hidden_size=fit.size, fit="done")
        warnings = _warnings(plan, traces, lesson)
        for warning in warnings:
            narrator.stage(f"warning: {warning}")
        state = resumed or _begin(plan, traces, folder, start, fit)
        if used == "cuda" and plan.recipe.polish:
            helpers.start(hands(len(plan.seeds)) - 1, needed=(finish_seeds, choose))
        left = stop_after - (time.monotonic() - began)
        curve = _train(plan, traces, state, folder, used, narrator, left)
        losses = curve[-1].losses.tolist() if curve else [np.nan] * len(plan.seeds)
        outcomes = finish_seeds(plan, traces, state, losses, narrator.stage, helpers)
        chosen, outcomes = choose(plan, traces, outcomes, every_seed, narrator.stage, helpers)
        if chosen.growth and chosen.growth.harmful:
            growing = f"seed {chosen.seed} may not go far: {chosen.growth.sentence()}; {AGAINST_GROWTH}"
            narrator.stage(f"warning: {growing}")
            warnings = (*warnings, growing)
        if plan.expert:
            asked = outcomes if every_seed and not plan.recipe.polish else [chosen]
            found = {o.seed: o for o in measure(plan, asked, digits, used, narrator.stage)}
            chosen, outcomes = found[chosen.seed], [found.get(o.seed, o) for o in outcomes]
        held_out, shown, machine = _hold_against(plan, chosen, traces)
        seconds = time.monotonic() - began + (earlier[-1].seconds if earlier else 0.0)
        learnt = Learnt(
            plan, folder.path, devices(curve) or used, traces, lesson, curve, outcomes, chosen, seconds,
            warnings, held_out, shown, machine,
        )  # fmt: skip
        _keep(learnt, folder)
    return learnt


def resume_plan(path: str | Path) -> Plan:
    """The plan of a run folder."""
    return plan_from_json(RunFolder(path).read_config(), str(path))


def _sample(plan: Plan) -> TraceSet:
    """The training set, which can be learnt from."""
    traces = plan.traces()
    if traces.tokens == 0:
        raise InputError(f"the traces of {plan.subject.name} are empty; give inputs on which it takes steps")
    longest, recipe = int(traces.lengths.max()), plan.recipe
    usual = find_recipe(recipe.preset, plan.subject.name).settle_over
    if recipe.settle and recipe.settle_over > longest and recipe.settle_over != usual:
        raise InputError(
            f"settle_over {recipe.settle_over} asks for so many symbols in a row, and the longest trace of "
            f"{plan.subject.name} has {counted(longest, 'step')}; lower it or give longer examples"
        )
    steps = min(recipe.batch, len(traces)) * longest
    check_memory(plan.shape(traces), len(plan.seeds), recipe, steps)
    return traces


def _fit(
    plan: Plan,
    traces: TraceSet,
    lesson: Teachability | None,
    device: Literal["cpu", "cuda"],
    narrator: Narrator,
) -> Fit:
    """The hidden size that fits; with a polish, which writes a dimension for each state, no smaller one."""
    bounds = lesson.fewest if lesson else (fewest_states_of_traces(traces)[0], plan.hidden_size)
    found = fit_hidden_size(
        traces, bounds or (1, plan.hidden_size), device, narrator.stage, share=not plan.recipe.polish
    )
    narrator.stage(found.sentence())
    return found


def _warnings(plan: Plan, traces: TraceSet, lesson: Teachability | None) -> tuple[str, ...]:
    """What the traces do not teach; a hidden size that was found to fit needs no other advice."""
    size = None if plan.fit == "done" else plan.states or plan.hidden_size
    if lesson:
        return lesson.warnings(size, brief=True)
    lower, upper = (1, None) if size is None else fewest_states_of_traces(traces)
    return tuple(size_warnings((lower, upper), size)) if size and upper else ()


def _begin(
    plan: Plan, traces: TraceSet, folder: RunFolder, start: ArrayLike | None, fit: Fit | None
) -> TrainingState:
    """A fresh state, in a folder that now holds the plan and the training set."""
    state = initial_state(plan.shape(traces), plan.seeds, plan.recipe.dtype, start)
    if start is not None:
        folder.write_checkpoint(state)  # whoever resumes does not know the start
    if isinstance(plan.subject, Recording):
        recorded = plan.subject.traces
        every = [recorded[i] for i in range(len(recorded))]
        write_recording(folder.path / RECORDING, plan.subject, every, plan.subject.taught)
    folder.write_config({**plan.as_json(traces), "fit": fit.as_json() if fit else None})
    save_traces(traces, folder.traces_file)
    return state


def _resumed(plan: Plan, traces: TraceSet, folder: RunFolder) -> TrainingState:
    """The state that the folder of this plan holds."""
    shape = plan.shape(traces)
    recorded = folder.read_config()["data"]["sha256"]
    if recorded != traces.fingerprint:
        raise InputError(f"{folder.path} was trained on other traces than this version records; start anew")
    saved = folder.read_checkpoint()
    if saved is not None and (saved.shape != shape or tuple(saved.seeds) != plan.seeds):
        raise InputError(f"{folder.checkpoint_file} belongs to another configuration; start anew")
    return saved or initial_state(shape, plan.seeds, plan.recipe.dtype)


def _train(
    plan: Plan,
    traces: TraceSet,
    state: TrainingState,
    folder: RunFolder,
    device: Literal["cpu", "cuda"],
    narrator: Narrator,
    seconds: float,
) -> list[Progress]:
    """Train every seed in place; the curve."""
    if state.iteration >= plan.recipe.iterations:
        narrator.stage(f"trained already, {counted(state.iteration, 'step')}")
        return logged(folder, plan.recipe, state.iteration)
    engine = make_engine(device, state.shape, traces, plan.recipe)

    def rlg(theta: NDArray[Any]) -> list[int]:
        return [quick_rlg(weights_of(t, plan, traces, 0, 0), plan.agent) for t in theta]

    narrator.training_begins(plan)
    try:
        watched = rlg if plan.expert and plan.expert.task else None
        curve = train(state, engine, plan.recipe, folder, narrator.progress, watched, seconds)
    finally:
        narrator.training_ends()
    if not state.alive.any():
        first = "lower --rate or --clip" if plan.recipe.clip else "clip the gradient (--clip 1), lower --rate"
        raise DfstError(
            f"{all_of(len(state.seeds), 'seed')} diverged; the last good weights are in {folder.path}: "
            f"{first}, or use the quick preset"
        )
    return curve


def _held_out(plan: Plan) -> str:
    assert isinstance(plan.subject, Recording)
    more = len(plan.subject.held_out)
    return f"{more} more {'is' if more == 1 else 'are'} held out" if more else "none is held out"


def _hold_against(
    plan: Plan, chosen: Outcome, traces: TraceSet
) -> tuple[Agreement | None, Agreement | None, Agent | None]:
    """What recorded traces say of the chosen model, those not shown and those shown; its machine."""
    if not isinstance(plan.subject, Recording):
        return None, None, None
    recording, weights = plan.subject, chosen.weights.astype(np.float32)
    graph = follow_soundly(weights, traces)
    machine = minimise(graph.machine()) if graph else None
    held_out, shown = (
        agreement(weights, recording.traces.subset(some)) if some else None
        for some in (recording.held_out, recording.shown)
    )
    return held_out, shown, machine


def _keep(learnt: Learnt, folder: RunFolder) -> None:
    """Put all that came out into the folder."""
    for outcome in learnt.outcomes:
        save_weights(outcome.raw, folder.seed_file(outcome.seed))
    if learnt.verdict and learnt.verdict.proof is not None and learnt.strength != "refuted":
        save_proof(learnt.verdict.proof, folder.proof_file)
    if learnt.machine is not None:
        write_machine(learnt.machine, folder.machine_file)
    save_weights(learnt.weights, folder.model_file)
    write_json(folder.report_file, learnt.as_json())
