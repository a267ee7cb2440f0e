"""Counterexamples that become examples: what is added, what a round goes on from, how it resumes."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from math import inf
from pathlib import Path

import numpy as np
import pytest

from dfst import learning
from dfst.errors import InputError, OutOfTime
from dfst.experts import expert
from dfst.learning import _why_it_ended, learn, learn_corrected, mistake, onward
from dfst.machines.formats import read_machine
from dfst.model import compile_agent
from dfst.model.weights import Shape
from dfst.problems import problem_from_json
from dfst.problems.recording import recorded_problem
from dfst.traces.recording import Recording
from dfst.train.config import RunConfig, read_config
from dfst.train.learnt import Learnt
from dfst.train.progress import Narrator
from dfst.train.runfolder import RunFolder
from dfst.train.settings import configure

EQUAL = """
input: aabb
blank: ' '
start state: each
table:
  each:
    a: {write: x, R: find}
    x: R
    ' ': {R: accept}
  find:
    [a, x]: R
    b: {write: x, L: back}
  back:
    [a, x]: L
    ' ': {R: each}
  accept:
"""


def still(**inputs: object) -> tuple[RunConfig, np.ndarray]:
    """A training that moves nothing, from a start that is exact: the polish keeps what the examples show."""
    agent = expert("sort2")
    settings = {"learning_rate": 1e-12, "weight_decay": 0.0, "precision": "float64", "seeds": 1}
    plan = configure(agent, steps=20, hidden_size=len(agent.states), **settings, **inputs)
    return replace(plan, device="cpu", sizes=(5,)), compile_agent(agent, dtype=np.float64).flat()[None]


@pytest.fixture(scope="module")
def corrected(tmp_path_factory: pytest.TempPathFactory) -> Learnt:
    plan, start = still(inputs=("0", "1"))
    folder = tmp_path_factory.mktemp("run") / "run"
    return learn_corrected(plan, folder, rounds=3, start=start)


@pytest.fixture(scope="module")
def hasty(tmp_path_factory: pytest.TempPathFactory) -> tuple[Learnt, list[str]]:
    """Without a polish the prover is not asked, so it refutes nothing."""
    folder, said = tmp_path_factory.mktemp("hasty"), list[str]()
    (folder / "equal.yaml").write_text(EQUAL, "utf-8")
    plan = configure(
        read_machine(folder / "equal.yaml"), language="a*b*", inputs="ab", steps=20, seeds=1, polish=False
    )
    plan = replace(plan, device="cpu")
    return learn_corrected(plan, folder / "run", Narrator(said.append), rounds=4), said


def test_the_first_short_input_on_which_it_errs_is_learnt_where_the_prover_finds_nothing(hasty):
    learnt, said = hasty
    assert learnt.verdict is None
    assert len(learnt.corrections) == 4
    assert learnt.traces.inputs == ("ab", *learnt.corrections)
    assert max(map(len, learnt.corrections)) <= 3
    assert said[-1] == (
        f"4 of 4 corrections spent: the model still errs, as on {mistake(learnt)!r}; "
        "allow more corrections, or train more seeds"
    )


def test_every_round_has_a_model_of_the_size_that_its_examples_need(hasty):
    """A rejection brings the first N, and more rules more states."""
    learnt, said = hasty
    configs = [read_config(learnt.folder / "rounds" / str(n)) for n in range(4)] + [
        read_config(learnt.folder)
    ]
    shapes = [config.shape(config.problem.training_set().traces) for config in configs]
    assert {shape.motions for shape in shapes} == {5, 6}
    assert len({shape.d for shape in shapes}) > 1
    changes = sum(one != other for one, other in pairwise(shapes))
    anew = "the examples ask for a model of another shape, so training begins anew"
    assert said.count(anew) == changes > 0
    assert [config.corrections.recipe.hidden_size for config in configs] == [None] * 5


def test_weights_of_the_same_shape_are_gone_on_from(hasty):
    learnt, said = hasty[0], list[str]()
    start = onward(learnt, said.append)
    shape = learnt.chosen.raw.shape
    assert np.array_equal(start(shape), learnt.parameters)
    assert not said
    assert start(Shape(shape.symbols, shape.motions, shape.d + 1)) is None
    assert len(said) == 1


def test_a_finished_run_that_is_resumed_keeps_its_corrections(corrected: Learnt):
    before = RunFolder(corrected.folder).read_report()
    assert before["corrections"] == list(corrected.corrections)
    files = sorted(corrected.folder.rglob("*"))
    again = learn_corrected(read_config(corrected.folder), corrected.folder, rounds=0, resume=True)
    after = RunFolder(corrected.folder).read_report()
    assert again.corrections == corrected.corrections
    assert [after[name] for name in ("examples", "corrections", "statement")] == [
        before[name] for name in ("examples", "corrections", "statement")
    ]
    assert sorted(corrected.folder.rglob("*")) == files


@pytest.mark.parametrize("last", [1, 3])
def test_an_interrupted_run_goes_on_with_the_corrections_that_are_left(
    corrected: Learnt, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, last: int
):
    plan, start = still(inputs=("0", "1"))
    begun = []

    def cut_off(*about, stop_after, **options):
        begun.append(about)
        return learn(*about, stop_after=-1 if len(begun) == last else inf, **options)

    with monkeypatch.context() as patch:
        patch.setattr(learning, "learn", cut_off)
        with pytest.raises(OutOfTime):
            learn_corrected(plan, tmp_path / "run", rounds=3, start=start)
    learnt = learn_corrected(read_config(tmp_path / "run"), tmp_path / "run", rounds=0, resume=True)
    assert learnt.corrections == corrected.corrections
    assert learnt.traces.inputs == corrected.traces.inputs
    assert learnt.weights.fingerprint() == corrected.weights.fingerprint()
    assert sorted(place.name for place in (tmp_path / "run" / "rounds").iterdir()) == ["0", "1", "2"]
    assert read_config(tmp_path / "run").sizes == (5,)


def test_the_report_says_how_the_first_examples_were_chosen(tmp_path: Path):
    plan = replace(configure("parity", examples="fewest", steps=1, seeds=1), device="cpu", sizes=(5,))
    learnt = learn_corrected(plan, tmp_path / "run", rounds=1)
    first = plan.problem.training_set()
    count, [added] = len(first.traces), learnt.corrections
    said = f"{count + 1} examples, chosen to tell everything apart once; added after a refutation: {added}"
    assert learnt.examples == said
    read = read_config(tmp_path / "run").problem
    assert read.training_set().chosen == first.chosen == "chosen to tell everything apart once"
    assert read.training_set().traces.inputs == (*first.traces.inputs, added)


def test_a_machine_knows_how_its_examples_were_chosen():
    machine = read_machine(Path(__file__).parents[2] / "examples" / "negate.yaml")
    problem = configure(machine, examples="fewest").problem
    more = problem.with_examples(["11111"])
    shown = problem.training_set()
    assert more.training_set().chosen == shown.chosen
    assert more.training_set().traces.inputs == (*shown.traces.inputs, "11111")
    read = problem_from_json(more.as_json(), Path())
    assert read.training_set().chosen == shown.chosen


def test_too_few_corrections_are_refused(tmp_path: Path):
    with pytest.raises(
        InputError, match=r"^corrections must not be negative, found -1; try 5, or leave it out$"
    ):
        learn_corrected(configure("parity"), tmp_path / "run", rounds=-1)
    assert not (tmp_path / "run").exists()


def test_recorded_traces_cannot_be_corrected(tmp_path: Path):
    shown = configure("parity").problem.training_set().traces
    recorded = recorded_problem(Recording("log", shown.alphabet, 2, "first", None, shown))
    said = r"^corrections asks for further examples, and those of log are all there are; leave it out$"
    with pytest.raises(InputError, match=said):
        learn_corrected(configure(recorded), tmp_path / "run", rounds=2)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("examples", "way"),
    [
        ("fewest", ", or choose more with --set told_apart=2"),
        (8, ", or choose more, such as --examples 16"),
        ("determined", ""),
    ],
)
def test_who_errs_on_few_examples_is_told_the_way_on(examples, way, tmp_path: Path):
    plan = configure("parity", examples=examples, steps=1, seeds=1)
    learnt = learn(replace(plan, device="cpu", sizes=(5,)), tmp_path / "run")
    assert not learnt.exact
    said = f"few examples leave room to err: add counterexamples with --set corrections=5{way}"
    assert learnt.warnings[-1] == said


def test_of_a_recorded_run_nobody_can_be_asked(corrected: Learnt):
    shown = corrected.traces
    recorded = recorded_problem(Recording("log", shown.alphabet, 0, "first", None, shown))
    refuted = replace(corrected, problem=recorded, chosen=replace(corrected.chosen, verdict=None))
    assert refuted.strength == "refuted"
    assert mistake(corrected) is not None
    assert mistake(refuted) is None
    said = _why_it_ended(refuted, read_config(corrected.folder).corrections)
    assert said == "3 of 3 corrections spent: nobody can be asked for further examples; start anew"
