"""From a problem to an exact model: sample, size, train, polish, choose, prove, evaluate.

`learn` is the one way to carry out a training, for the command line, Python, sweeps and comparisons; its body
is the list of stages, each a function of another module. It returns all that came out. The run folder keeps
the same, and lets an interrupted run go on.
"""

import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dfst.counted import all_of, counted
from dfst.errors import DfstError
from dfst.evaluation.evaluate import search
from dfst.machines.agent import Agent
from dfst.machines.formats import write_machine
from dfst.model.rollout.compiled import Rollout
from dfst.model.weights import save_weights
from dfst.problems import Problem
from dfst.proof import save_proof
from dfst.proof.verdict import SETTLED
from dfst.states.follow import follow_soundly
from dfst.states.graph import settled
from dfst.states.merging import minimise
from dfst.traces.traceset import TraceSet, load_traces
from dfst.train.choose import prove_seeds, ranked
from dfst.train.config import RunConfig
from dfst.train.engines import make_engine, pick_device
from dfst.train.finish import Polisher, finish_seeds, weights_of
from dfst.train.jury import disbelieve
from dfst.train.learnt import Learnt, Outcome
from dfst.train.measure import measure_seeds
from dfst.train.precompile import precompiling
from dfst.train.prepare import Prepared, prepare, training_set
from dfst.train.progress import Narrator, Progress
from dfst.train.runfolder import RunFolder
from dfst.train.train import logged, train
from dfst.train.workers import Workers, worker_count

WATCH_STEPS, WATCH_SIZE, WATCH_SEED = 3_000_000, 200, 1
"""How far a model in training goes is watched for so many actions, up to this size, on inputs of their own
seed: half a second."""
ROUNDS = "rounds"  # the folder of the rounds of a run, but for the last
AGAINST_GROWTH = "try more seeds or more steps"


def learn(
    config: RunConfig,
    out: str | Path,
    narrator: Narrator | None = None,
    *,
    resume: bool = False,
    stop_after: float = inf,
    start: ArrayLike | None = None,
) -> Learnt:
    """Learn a problem by a recipe, and say what is known of the model; all is kept in the folder `out`.

    resume:     the folder holds this problem and recipe, and the run goes on where it was
    stop_after: seconds after which a training that is not done is saved and ends with OutOfTime
    start:      (s, P) parameters to start from, in place of the paper's
    """
    began = time.monotonic()
    narrator = narrator or Narrator()
    problem, recipe, tell = config.problem, config.recipe, narrator.stage
    folder, device = RunFolder(out, tell), pick_device(config.device)
    problem.check_sizes(config.sizes)
    traces = training_set(problem, recipe)
    with folder.locked(), precompiling(), Workers() as workers:
        if problem.may_err and resume:
            traces = load_traces(folder.traces_file)
        elif problem.may_err:
            traces, size = disbelieve(traces, device, tell)
            recipe = replace(recipe, hidden_size=recipe.hidden_size or size)
        asked = replace(config, recipe=recipe, loggers=narrator.loggers)
        run = prepare(asked, traces, folder, device, tell, resume, start)
        if device == "cuda" and recipe.polish:
            workers.start(worker_count(recipe.seeds) - 1, needed=(finish_seeds, prove_seeds))
        polisher = Polisher(run, workers)
        curve = _trained(run, narrator, polisher, stop_after - (time.monotonic() - began))
        outcomes = finish_seeds(run, tell, polisher)
        best_first = ranked(outcomes, traces, tell)
        which = best_first if config.every_seed else best_first[:1]
        proved = prove_seeds(problem, which, tell, workers, recipe.stability > 0)
        final = proved if config.every_seed and not recipe.polish else proved[:1]
        measured = measure_seeds(problem, final, run.config.sizes, device, tell)
        learnt = Learnt(
            problem=problem,
            recipe=run.config.recipe,
            folder=folder.path,
            device=run.state.device or device,
            traces=traces,
            lesson=run.lesson,
            curve=curve,
            outcomes=in_order((*best_first, *proved, *measured)),
            chosen=measured[0],
            seconds=time.monotonic() - began + (run.earlier[-1].seconds if run.earlier else 0.0),
            warnings=_still_open(measured[0], run),
            machine=None if problem.reference else machine_of(measured[0], traces),
        )
        keep(learnt, folder)
    return learnt


def learn_corrected(
    config: RunConfig,
    out: str | Path,
    narrator: Narrator | None = None,
    *,
    rounds: int,
    resume: bool = False,
    stop_after: float = inf,
    start: ArrayLike | None = None,
) -> Learnt:
    """Learn, and as long as the prover refutes the model, at most so often, learn its counterexample too.

    Every round goes on from the weights of the one before; the last one lies in the folder, those before it
    under `rounds`.
    """
    learnt = learn(config, out, narrator, resume=resume, stop_after=stop_after, start=start)
    corrections: list[str] = []
    while len(corrections) < rounds and learnt.verdict and (wrong := learnt.verdict.counterexample):
        shown = learnt.problem.training_set().traces.inputs
        if wrong.input in shown:
            break
        corrections.append(wrong.input)
        problem = learnt.problem.with_settings(inputs=(*shown, wrong.input))
        config = replace(config, problem=problem, recipe=learnt.recipe)
        place = Path(out) / ROUNDS / str(len(corrections))
        begun = RunFolder(place).exists()
        learnt = learn(config, place, narrator, resume=begun, stop_after=stop_after, start=learnt.parameters)
    if corrections:
        learnt = moved(replace(learnt, corrections=tuple(corrections)), Path(out))
        RunFolder(out).write_report(learnt.as_json())
    return learnt


def moved(learnt: Learnt, folder: Path) -> Learnt:
    """The last of several rounds as the run of their folder; what lies there becomes the first of them."""
    if first := [file for file in folder.iterdir() if file.name != ROUNDS]:
        (folder / ROUNDS / "0").mkdir()
        for file in first:
            file.rename(folder / ROUNDS / "0" / file.name)
    for file in learnt.folder.iterdir():
        file.rename(folder / file.name)
    learnt.folder.rmdir()
    return replace(learnt, folder=folder)


def _trained(run: Prepared, narrator: Narrator, polisher: Polisher, seconds: float) -> list[Progress]:
    """Train every seed in place; the curve."""
    problem, recipe, traces, state = run.config.problem, run.config.recipe, run.traces, run.state
    if state.iteration >= recipe.steps:
        narrator.stage(f"trained already, {counted(state.iteration, 'step')}")
        return logged(run.folder, recipe, state.iteration)
    engine = make_engine(run.device, state.shape, traces, recipe)

    def reach(theta: NDArray[Any]) -> Iterator[int]:
        models = (weights_of(t, problem, traces.motions, state.shape.d) for t in theta)
        return (_reach(Rollout(model), problem) for model in models)

    narrator.training_begins(problem, recipe)
    measure, look = reach if problem.sizes else None, None if problem.may_err else polisher.look
    try:
        curve = train(state, engine, recipe, run.folder, narrator.progress, measure, seconds, look)
    finally:
        narrator.training_ends()
    if state.iteration < recipe.steps and state.alive.all():
        narrator.stage(
            f"all seeds have {counted(int(state.looks.max()), 'learnt state')}, as at the look before: "
            f"done after {state.iteration:,} of {recipe.steps:,} steps"
        )
    if not state.alive.any():
        clip = "" if recipe.gradient_clip else "clip the gradient (--set gradient_clip=1), "
        raise DfstError(
            f"{all_of(len(state.seeds), 'seed')} diverged; the last good weights are in {run.folder.path}: "
            f"{clip}lower learning_rate, or use the quick preset"
        )
    return curve


def _reach(model: Rollout, problem: Problem) -> int:
    """How far a model goes within so many actions."""
    try:
        return search(model, problem, limit=WATCH_SIZE, seed=WATCH_SEED, steps=WATCH_STEPS).reach or 0
    except DfstError:
        return 0


def in_order(outcomes: Iterable[Outcome]) -> list[Outcome]:
    """One outcome for each seed, in the order of their numbers: the last, which has most found out."""
    found = {outcome.seed: outcome for outcome in outcomes}
    return [found[seed] for seed in sorted(found)]


def _still_open(chosen: Outcome, run: Prepared) -> tuple[str, ...]:
    """The warnings that stand at the end: a proof makes them moot. Where it errs, whether that was thin."""
    warnings, lesson = run.warnings, run.lesson
    if chosen.strength in SETTLED and chosen.exact:
        return ()
    if lesson and lesson.teaching and chosen.verdict and (wrong := chosen.verdict.counterexample):
        warnings = (*warnings, lesson.teaching.blamed(wrong.input, run.config.recipe.polish))
    if chosen.growth and chosen.growth.harmful:
        growing = f"seed {chosen.seed} may not go far: {chosen.growth.sentence()}; {AGAINST_GROWTH}"
        return (*warnings, growing)
    return warnings


def machine_of(chosen: Outcome, traces: TraceSet) -> Agent | None:
    """The machine that a model became, as far as its traces show it."""
    if chosen.polished:
        return minimise(chosen.polished.graph.machine())
    graph = follow_soundly(chosen.weights.astype(np.float32), traces)
    return minimise(settled(graph, traces).machine()) if graph else None


def keep(learnt: Learnt, folder: RunFolder) -> None:
    """Put all that came out into the folder."""
    for outcome in learnt.outcomes:
        save_weights(outcome.raw, folder.seed_file(outcome.seed))
    if learnt.verdict and learnt.verdict.proof is not None and learnt.strength != "refuted":
        save_proof(learnt.verdict.proof, folder.proof_file)
    if learnt.machine is not None:
        write_machine(learnt.machine, folder.machine_file)
    save_weights(learnt.weights, folder.model_file)
    folder.write_report(learnt.as_json())
