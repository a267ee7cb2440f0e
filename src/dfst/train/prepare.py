"""Before the first step: the training set, what it teaches, the hidden size, and the folder that holds it."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from numpy.typing import ArrayLike

from dfst.counted import counted
from dfst.errors import InputError
from dfst.memory import require_memory
from dfst.model.weights import Shape, symbols_of_model
from dfst.problems import Problem
from dfst.states.fewest import fewest_states_of_traces
from dfst.states.teachability import Teachability, size_warnings, teachability
from dfst.traces.traceset import TraceSet, load_traces, save_traces
from dfst.train.config import RunConfig, read_config, recording_hash
from dfst.train.progress import Progress, Tell
from dfst.train.recipe import Recipe
from dfst.train.runfolder import RunFolder
from dfst.train.state import TrainingState, initial_state
from dfst.train.train import logged

COPIES = 16
"""Arrays as large as the parameters: Adam's moments, gradients by shard, packed weights, a checkpoint."""
PER_SEED = 10_000  # bytes that a seed takes besides: its weights, learnt states and figures as objects
LONG = 10_000  # steps of traces whose states take a while to count
ROOM = 4
"""Dimensions for each state that the traces need at least, where nobody can count all: recordings of tasks
have up to 3.6 times as many states, and dimensions to spare do no harm."""
PER_STEP = 16  # further numbers that a step of a trace takes, besides its hidden states and scores
Start = ArrayLike | Callable[[Shape], ArrayLike | None] | None
"""(s, P) parameters to start from, or what gives them for a shape; none: the paper's"""
Fewest = tuple[int, int | None]  # (lower, upper) bounds of the fewest states that explain the training set


@dataclass(frozen=True)
class Prepared:
    """A run that can begin, or go on."""

    config: RunConfig  # with a hidden size that is a number
    folder: RunFolder
    device: Literal["cpu", "cuda"]
    traces: TraceSet
    lesson: Teachability | None  # what the traces teach of the reference; None where there is none
    state: TrainingState
    earlier: list[Progress]  # logging points of earlier parts of the run
    merged_states: int | None
    """At how many learnt states merging stops; None: at as many as there are dimensions"""
    warnings: tuple[str, ...]  # what the training set does not teach, and where the hidden size does not fit


def prepare(
    asked: RunConfig, traces: TraceSet, folder: RunFolder, device: Literal["cpu", "cuda"], tell: Tell,
    resume: bool, start: Start,
) -> Prepared:  # fmt: skip
    """Size the model and make the folder, or read both where the run goes on; the arguments are `learn`'s."""
    problem, recipe = asked.problem, asked.recipe
    resumed = _resumed(problem, traces, folder) if resume else None
    if not resumed and folder.exists():
        raise InputError(
            f"{folder.path} already holds a run; "
            f"continue it with --resume {folder.path} or give another --out"
        )
    lesson = teachability(problem.reference, traces, problem.candidates()) if problem.reference else None
    fewest: Fewest = (1, None)  # errors ask for states of their own
    if not lesson and traces.tokens > LONG:
        tell(f"counting the states that explain {counted(traces.tokens, 'step')} …")
    if lesson or not problem.may_err:
        fewest = (lesson.fewest or fewest) if lesson else fewest_states_of_traces(traces)
    told = f"; {lesson.sentence()}" if lesson else ""
    tell(f"{counted(len(traces), 'example')}, {counted(traces.tokens, 'step')}{told}")
    if lesson and lesson.teaching:
        tell(f"{problem.training_set().chosen}; {lesson.teaching.sentence()}")
    if resumed:
        saved, state = resumed
        config = replace(saved, sizes=asked.sizes or saved.sizes)
    else:
        config = replace(asked, recipe=_sized(problem, recipe, traces, fewest, tell))
        state = _begun(config, traces, folder, start)
    # a hidden size that nobody chose by hand needs no advice
    size = recipe.hidden_size
    warnings = lesson.warnings(size) if lesson else ()
    if not lesson and size and fewest[1]:
        warnings = tuple(size_warnings((fewest[0], fewest[1]), size))
    if not recipe.polish:  # with one, a proof may make them moot
        for warning in warnings:
            tell(f"warning: {warning}")
    earlier = logged(folder, config.recipe, state.iteration) if resumed else []
    return Prepared(config, folder, device, traces, lesson, state, earlier, fewest[1], warnings)


def training_set(problem: Problem, recipe: Recipe) -> TraceSet:
    """The training set, which can be learnt from."""
    symbols_of_model(problem.name, problem.alphabet, problem.blank)
    traces = problem.training_set().traces
    if traces.tokens == 0:
        raise InputError(f"the traces of {problem.name} are empty; give inputs on which it takes steps")
    if recipe.hidden_size is not None:
        _check_memory(recipe.for_size(recipe.hidden_size), traces)
    return traces


def _check_memory(recipe: Recipe, traces: TraceSet) -> None:
    """Refuse a training that this machine has no memory for: a slip of the hand must not fill the machine."""
    assert recipe.hidden_size is not None
    shape = Shape(len(traces.alphabet), len(traces.motions), recipe.hidden_size)
    steps = min(recipe.batch_size, len(traces)) * int(traces.lengths.max())
    of_step = 2 * shape.d + shape.symbols + shape.motions + PER_STEP
    require_memory(
        recipe.dtype.itemsize * (recipe.seeds * COPIES * shape.size + steps * of_step)
        + recipe.seeds * PER_SEED,
        f"training {counted(recipe.seeds, 'seed')} with a hidden size of {shape.d:,}",
        "ask for fewer seeds, a smaller hidden size or shorter examples",
    )


def _sized(
    problem: Problem, recipe: Recipe, traces: TraceSet, fewest: Fewest, tell: Tell
) -> Recipe:  # fmt: skip
    """The recipe with a hidden size: as given; the published one; one for each state and some to spare; where
    nobody can count the states, several for each that is needed at least."""
    size = recipe.hidden_size or problem.hidden_size(fewest[1])
    if size is None:
        size = ROOM * fewest[0]
        tell(
            f"no small machine was found that explains them, and {counted(fewest[0], 'state')} are needed at "
            f"least: hidden size {size}, {ROOM} times as large; --hidden-size N sets another"
        )
    recipe = replace(recipe, hidden_size=size).for_size(size)
    _check_memory(recipe, traces)
    return recipe


def _begun(config: RunConfig, traces: TraceSet, folder: RunFolder, start: Start) -> TrainingState:
    """A fresh state, in a folder that now holds the configuration and the training set."""
    recipe, shape = config.recipe, config.shape(traces)
    start = start(shape) if callable(start) else start
    state = initial_state(shape, recipe.seed_numbers, recipe.dtype, start)
    if start is not None:
        folder.write_checkpoint(state)  # whoever resumes does not know the start
    config.problem.save(folder.path)
    save_traces(traces, folder.traces_file)
    recording = recording_hash(folder.path)
    folder.write_config(config.as_json(traces, recording, own_start=start is not None))
    return state


def _resumed(problem: Problem, traces: TraceSet, folder: RunFolder) -> tuple[RunConfig, TrainingState]:
    """The configuration and the state that the folder of this run holds."""
    saved = read_config(folder.path, problem)
    shape, seeds = saved.shape(traces), saved.recipe.seed_numbers
    if folder.read_config()["data"]["sha256"] != traces.fingerprint:
        raise InputError(f"{folder.path} was trained on other traces than this version records; start anew")
    fresh = initial_state(shape, seeds, saved.recipe.dtype)
    found = folder.read_checkpoint(fresh, saved.recipe.for_size(shape.d).steps)
    if found is None and folder.read_config()["own_start"]:
        raise InputError(f"{folder.path} began from weights that only its checkpoint held; start anew")
    try:
        kept = folder.traces_file.exists() and load_traces(folder.traces_file).fingerprint
    except InputError as error:
        folder.tell(f"warning: {error}; it is written again")
        kept = None
    if kept != traces.fingerprint:  # it is known anyhow
        save_traces(traces, folder.traces_file)
    return saved, found or fresh
