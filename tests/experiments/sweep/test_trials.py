"""Which trials a sweep consists of, and the words that describe one."""

from __future__ import annotations

from pathlib import Path

import pytest

from dfst.errors import InputError
from dfst.experiments.sweep.trials import (
    Sweep,
    check,
    keep,
    read_file,
    read_kept,
    seed_range,
    trial_settings,
    trials_of,
)

FULL = """
tasks: [add2, increment2]
learners: [dfst, gru]
seeds: 2
recipes:
  quick:
  hot: {preset: quick, learning_rate: 0.03, polish: no}
set: {steps: 2000}
digits: [20, 100]
"""


def written(tmp_path: Path, text: str) -> Path:
    file = tmp_path / "s.yaml"
    file.write_text(text, "utf-8")
    return file


def test_a_file_says_it_all(tmp_path):
    sweep = read_file(written(tmp_path, FULL)).complete()
    hot = {"preset": "quick", "polish": False, "learning_rate": 0.03}
    assert sweep == Sweep(
        tasks=("add2", "increment2"),
        learners=("dfst", "gru"),
        recipes={"quick": {"preset": "quick"}, "hot": hot},
        seeds=(0, 1),
        set={"steps": 2000},
        digits=(20, 100),
    )


def test_every_combination_is_one_trial(tmp_path):
    trials = trials_of(read_file(written(tmp_path, FULL)).complete())
    assert [trial.name for trial in trials] == [
        f"{task}-{how}-seed-{seed}"
        for seed in (0, 1)
        for task in ("add2", "increment2")
        for how in ("dfst-quick", "dfst-hot", "gru")
    ]
    hot = trials[1]
    plan = hot.plan()
    assert (
        list(plan.recipe.seed_numbers),
        plan.recipe.learning_rate,
        plan.recipe.steps,
        plan.recipe.polish,
    ) == (
        [0],
        0.03,
        2000,
        False,
    )
    assert trials[2].set == {"steps": 2000}


def test_options_go_before_the_file(tmp_path):
    file = read_file(written(tmp_path, FULL))
    said = Sweep(tasks=("add10",), seeds=seed_range(3), set=trial_settings(["learning_rate=0.1"]))
    sweep = said.over(file).complete()
    assert (sweep.tasks, sweep.seeds, sweep.learners) == (("add10",), (0, 1, 2), ("dfst", "gru"))
    assert sweep.set == {"steps": 2000, "learning_rate": 0.1}


def test_what_is_not_said_is_the_usual():
    sweep = Sweep(tasks=("add2",)).complete()
    assert sweep == Sweep(("add2",), ("dfst",), {"quick": {"preset": "quick"}}, (0,))


def test_a_sweep_survives_its_folder(tmp_path):
    sweep = read_file(written(tmp_path, FULL)).complete()
    keep(sweep, tmp_path)
    keep(sweep, tmp_path)
    assert read_kept(tmp_path) == sweep


def test_a_folder_of_another_sweep_is_refused(tmp_path):
    keep(Sweep(tasks=("add2",), seeds=(0, 1)).complete(), tmp_path)
    with pytest.raises(InputError) as refused:
        keep(Sweep(tasks=("add2",), seeds=(0, 1, 2)).complete(), tmp_path)
    assert str(refused.value) == (
        f"{tmp_path} holds another sweep (seeds: 0, 1; asked for 0, 1, 2); "
        f"go on with --resume {tmp_path} or give another --out"
    )


def test_a_machine_of_ones_own(tmp_path):
    machine = written(
        tmp_path, "blank: ' '\nstart state: a\ntable:\n  a: {1: R, ' ': {write: 1, R: end}}\n  end:\n"
    )
    draft = Sweep(tasks=(str(machine),), set=trial_settings(["samples=5"]))
    sweep = draft.complete()
    assert check(sweep) == []
    (trial,) = trials_of(sweep)
    assert trial.name == "s-dfst-quick-seed-0"
    with pytest.raises(InputError, match="gru learns tasks with digits, found the machine"):
        check(Sweep(learners=("gru",)).over(draft).complete())


def test_a_problem_of_ones_own(monkeypatch):
    examples = Path(__file__).parents[3] / "examples"
    monkeypatch.chdir(examples)
    sweep = Sweep(tasks=("own_problem.py:thirds", "own_board.py")).complete()
    assert sweep.tasks == (f"{examples}/own_problem.py:thirds", f"{examples}/own_board.py")
    assert [trial.name for trial in trials_of(sweep)] == [
        "thirds-dfst-quick-seed-0",
        "own_board-dfst-quick-seed-0",
    ]
    assert check(sweep) == []


def test_a_setting_goes_to_the_learners_that_know_it():
    pytest.importorskip("torch")
    draft = Sweep(
        tasks=("add2",), learners=("dfst", "gru"), set=trial_settings(["learning_rate=0.1", "steps=5"])
    )
    sweep = draft.complete()
    assert check(sweep) == ["learning_rate=0.1 is for dfst alone"]
    assert [trial.set for trial in trials_of(sweep)] == [
        {"learning_rate": 0.1, "steps": 5},
        {"steps": 5},
    ]


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("steps", "2000", 2000),
        ("learning_rate", "1e-3", 0.001),
        ("polish", "no", False),
        ("precision", "float64", "float64"),
    ],
)
def test_values_are_read_by_their_types(name, text, value):
    assert trial_settings([f"{name}={text}"]) == {name: value}


BAD_FILES = [
    ("sedes: 3\ntasks: add2", "s.yaml: unknown field 'sedes': did you mean seeds?"),
    ("tasks: add2\nseeds: many", "s.yaml, line 2: seeds: expected a whole number, found 'many'"),
    ("tasks: add2\nseeds: 0", "s.yaml: seeds must be from 1 to 100,000, found 0"),
    ("tasks: add2\npresets: quik", "s.yaml: unknown preset 'quik': did you mean quick?"),
    (
        "tasks: add2\nset: {step: 3}",
        "s.yaml: unknown setting 'step': did you mean steps?",
    ),
    ("tasks: add2\nset: {polish: 3}", "s.yaml: polish takes true or false, found '3'"),
    ("tasks: add2\nset: {precision: half}", "s.yaml: precision takes float32 or float64, found 'half'"),
    ("tasks: add2\nset: {learning_rate: fast}", "s.yaml: learning_rate takes a number, found 'fast'"),
    ("tasks: add2\nset: [3]", "s.yaml, line 2: set: expected `key: value` pairs, found a sequence"),
    (
        "tasks: add2\nrecipes: {hot: {reweight: 1}}",
        "s.yaml: unknown setting 'reweight': did you mean reweighting or weight_decay?",
    ),
    ("tasks: add2\nrecipes: {hot: {preset: qick}}", "s.yaml: unknown preset 'qick': did you mean quick?"),
    (
        "tasks: add2\nrecipes: {../x: }",
        "s.yaml, line 2: expected a recipe's name of letters, digits, . _ + -, found '../x'",
    ),
    (
        "tasks: add2\npresets: quick\nrecipes: {quick: }",
        "s.yaml, line 2: expected presets or recipes, found both; name a preset's recipe",
    ),
    ("- add2", "s.yaml: expected a document of `key: value` pairs"),
    ("tasks: 'add2", "s.yaml, line 1: not YAML: a quote is not closed"),
]


@pytest.mark.parametrize(("text", "line"), BAD_FILES)
def test_bad_files(tmp_path, monkeypatch, text, line):
    monkeypatch.chdir(tmp_path)
    written(tmp_path, text)
    with pytest.raises(InputError) as refused:
        read_file(Path("s.yaml"))
    assert str(refused.value) == line


BAD_SWEEPS = [
    (
        Sweep(("add2",), set=trial_settings(["samples=1"])),
        "the training set of add2 with p=1 and inputs of up to 3 digits starts from 8 inputs, "
        "found 1 sample; ask for at least that many",
    ),
    (
        Sweep(("add2",), set=trial_settings(["learning_rate=-1"])),
        "learning_rate must be finite and not negative, found -1.0",
    ),
    (Sweep(("add2",), digits=(0,)), "digits must be at least 1, found 0; try --digits 100"),
    (Sweep(("add2",), seeds=(-1,)), "seeds must not be negative, found -1"),
    (
        Sweep(("add2",), ("edsm",), set=trial_settings(["steps=5"])),
        "steps=5 means nothing to edsm; leave it out",
    ),
    (
        Sweep(("add2", "add10"), ("edsm",), set=trial_settings(["learning_rate=1"])),
        "learning_rate=1.0 means nothing to edsm; leave it out",
    ),
]


@pytest.mark.parametrize(("draft", "line"), BAD_SWEEPS)
def test_bad_sweeps(draft, line):
    with pytest.raises(InputError) as refused:
        check(draft.complete())
    assert str(refused.value) == line


@pytest.mark.parametrize(
    "content",
    ["", "[]", '["dfst-sweep/2"]', '{"format": "dfst-sweep/1"}', '{"format": "dfst-sweep/2", "no": 3}'],
)
def test_a_damaged_folder_is_told(tmp_path, content):
    (tmp_path / "sweep.json").write_text(content, "utf-8")
    with pytest.raises(InputError, match=r"sweep.json"):
        read_kept(tmp_path)


def test_the_example_can_be_run():
    pytest.importorskip("aalpy")
    sweep = read_file(Path(__file__).parents[3] / "examples" / "sweep.yaml").complete()
    assert check(sweep) == ["steps=10000 is for dfst alone"]
    assert len(trials_of(sweep)) == 12
