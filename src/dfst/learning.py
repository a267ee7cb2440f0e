"""From a problem to an exact model: sample, size, train, polish, choose, prove, evaluate.

`learn` is the one way to carry out a training, for the command line, Python, sweeps and comparisons; its body
is the list of stages, each a function of another module. It returns all that came out. The run folder keeps
the same, and lets an interrupted run go on.
"""

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dfst.counted import all_of, counted
from dfst.errors import DfstError, InputError
from dfst.evaluation.evaluate import evaluate, search
from dfst.machines.agent import Agent
from dfst.machines.formats import write_machine
from dfst.model.rollout.compiled import Rollout
from dfst.model.weights import Shape, save_weights
from dfst.problems import Problem
from dfst.problems.problem import Case
from dfst.proof import save_proof
from dfst.proof.verdict import SETTLED
from dfst.states.follow import follow_soundly
from dfst.states.graph import settled
from dfst.states.merging import minimise
from dfst.traces.traceset import TraceSet, load_traces
from dfst.train.choose import prove_seeds, ranked
from dfst.train.config import Corrections, RunConfig, read_config
from dfst.train.engines import make_engine, pick_device
from dfst.train.finish import Polisher, finish_seeds, weights_of
from dfst.train.jury import disbelieve
from dfst.train.learnt import Learnt, Outcome
from dfst.train.measure import measure_seeds
from dfst.train.precompile import precompiling
from dfst.train.prepare import Prepared, Start, prepare, training_set
from dfst.train.progress import Narrator, Progress, Tell
from dfst.train.runfolder import RunFolder
from dfst.train.train import logged, train
from dfst.train.workers import Workers, worker_count

WATCH_STEPS, WATCH_SIZE, WATCH_SEED = 3_000_000, 200, 1
"""How far a model in training goes is watched for so many actions, up to this size, on inputs of their own
seed: half a second."""
TRIED = 1_000  # of the shortest inputs, for one to correct a model by
ROUNDS = "rounds"  # the folder of the rounds of a run, but for the last
AGAINST_GROWTH = "try more seeds or more steps"


def learn(
    config: RunConfig,
    out: str | Path,
    narrator: Narrator | None = None,
    *,
    resume: bool = False,
    stop_after: float = inf,
    start: Start = None,
) -> Learnt:
    """Learn a problem by a recipe, and say what is known of the model; all is kept in the folder `out`.

    resume:     the folder holds this problem and recipe, and the run goes on where it was
    stop_after: seconds after which a training that is not done is saved and ends with OutOfTime
    start:      (s, P) parameters to start from, in place of the paper's, or what gives them for a shape
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
            corrections=run.config.corrections.added if run.config.corrections else (),
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
    start: Start = None,
) -> Learnt:
    """Learn, and as long as the model is known to err, at most so often, add an input on which it does.

    Every round goes on from the weights of the one before; the last one lies in the folder, those before it
    under `rounds`. A run that is resumed knows how many there may be.
    """
    narrator, folder = narrator or Narrator(), Path(out)
    config, place = _correctable(config, rounds), folder
    first = len(config.corrections.added) if config.corrections else 0
    if resume and config.corrections:
        config, place = _last_round(config, folder, first)
    learnt = learn(config, place, narrator, resume=resume, stop_after=stop_after, start=start)
    while (some := config.corrections) and some.left and (wrong := mistake(learnt)) is not None:
        config = _with_example(config, some, wrong)
        place = folder / ROUNDS / str(len(some.added) + 1)
        start = onward(learnt, narrator.stage)
        learnt = learn(config, place, narrator, stop_after=stop_after, start=start)
    if some:
        narrator.stage(_why_it_ended(learnt, some))
    if place != folder:
        learnt = moved(learnt, folder, first)
        RunFolder(folder).write_report(learnt.as_json())
    return learnt


def _correctable(config: RunConfig, rounds: int) -> RunConfig:
    """The configuration with so many corrections to come, or with those of the run that goes on."""
    if rounds < 0:
        raise InputError(f"corrections must not be negative, found {rounds}; try 5, or leave it out")
    if rounds and not config.problem.extensible:
        raise InputError(
            f"corrections asks for further examples, and those of {config.problem.name} are all there are; "
            "leave it out"
        )
    some = Corrections(rounds, config.recipe) if rounds else config.corrections
    return replace(config, recipe=some.recipe, corrections=some) if some else config


def _last_round(config: RunConfig, folder: Path, first: int) -> tuple[RunConfig, Path]:
    """The round that an interrupted run was in, and where it lies. first: the number of that in the folder"""
    begun = [int(place.name) for place in (folder / ROUNDS).glob("[0-9]*") if RunFolder(place).exists()]
    place, known = folder, config.problem if config.problem.extensible else None
    if (number := max(begun, default=first)) > first:
        place = folder / ROUNDS / str(number)
        added = RunFolder(place).read_config()["corrections"]["added"]
        known = known.with_examples(added[first:]) if known else None  # a recording lies there
    found = read_config(place, known)
    return replace(
        config, problem=found.problem, corrections=found.corrections, sizes=config.sizes or found.sizes
    ), place


def _with_example(config: RunConfig, some: Corrections, text: str) -> RunConfig:
    """The configuration of the next round: its hidden size is found anew, unless one was given."""
    added = replace(some, added=(*some.added, text))
    return replace(config, problem=config.problem.with_examples([text]), corrections=added)


def mistake(learnt: Learnt) -> str | None:
    """An input on which the model is known to err, and which can become an example: the prover's, or else the
    first of the shortest inputs. What it is measured on at the end has no say."""
    problem, verdict, shown = learnt.problem, learnt.verdict, set(learnt.traces.inputs)
    if not problem.extensible:
        return None
    if verdict and (wrong := verdict.counterexample) and wrong.input not in shown:
        return wrong.input
    new = (text for text in problem.shortest(TRIED) if text not in shown)
    asked = [Case("short", text, trace=None if problem.reference else problem.answer(text)) for text in new]
    failures = evaluate(Rollout(learnt.weights), problem, given=asked).failures if asked else []
    return min((failure.input for failure in failures), key=len, default=None)


def onward(learnt: Learnt, tell: Tell) -> Callable[[Shape], NDArray[Any] | None]:
    """The weights that a training left, to start from where a model of their shape is wanted: a new example
    may make the first N of all motions, or need one more state."""

    def start(shape: Shape) -> NDArray[Any] | None:
        if shape == learnt.chosen.raw.shape:
            return learnt.parameters
        tell("the examples ask for a model of another shape, so training begins anew")
        return None

    return start


def _why_it_ended(learnt: Learnt, some: Corrections) -> str:
    """Why nothing more is corrected."""
    spent = f"{len(some.added):,} of {counted(some.most, 'correction')} spent"
    if learnt.strength in SETTLED:
        return f"{spent}: {learnt.strength}"
    if learnt.strength != "refuted":
        return f"{spent}: the model is not known to err"
    if (wrong := mistake(learnt)) is not None:
        return f"{spent}: the model still errs, as on {wrong!r}; allow more corrections, or train more seeds"
    if not learnt.problem.extensible:  # of a function, a run folder holds what it answered
        return f"{spent}: nobody can be asked for further examples; start anew"
    return f"{spent}: nothing is known to correct by; train longer, or more seeds"


def moved(learnt: Learnt, folder: Path, first: int = 0) -> Learnt:
    """The last of several rounds as the run of their folder; what lies there becomes the round `first`."""
    if files := [file for file in folder.iterdir() if file.name != ROUNDS]:
        place = folder / ROUNDS / str(first)
        place.mkdir()
        for file in files:
            file.rename(place / file.name)
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
    if chosen.strength == "refuted" and (way_on := run.config.problem.way_on):
        warnings = (*warnings, way_on)
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
