"""Bad input: one line that says what was expected, found and to do; exit status 2; nothing written.

The lines are compared word for word: they are part of what people use. RUN stands for a run folder that
holds an unfinished run of add2 with two seeds.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save

from dfst.agents import expert
from dfst.formats import FORMATS, write_machine
from dfst.learning.plan import make_plan
from dfst.learning.runfolder import RunFolder
from dfst.learning.state import initial_state
from dfst.model import compile_agent
from dfst.model.weights import from_bytes, to_bytes
from dfst.traces.traceset import save_traces

WORDS = [
    # names
    ("lern add2", "unknown command 'lern': did you mean learn or run?"),
    ("learn ad2", "unknown task 'ad2': did you mean add2, mod2 or gcd2?"),
    ("learn add99", "task add99: the radix must be 2 to 36, found 99; try add10"),
    (
        f"run expert:add{'9' * 5000} 1+1",
        f"task add{'9' * 21}: the radix must be 2 to 36, found 999999999; try add10",
    ),
    ("run expert:mul10 1*1", "unknown task 'mul10': did you mean mult10, sum10 or sub10?"),
    ("run ad10 1+1", "unknown subject 'ad10': did you mean add10, expert:add10 or add2?"),
    ("run langtom", "unknown subject 'langtom': did you mean langton?"),
    (
        "run qqq",
        "unknown subject 'qqq': known: add10, add2, bb2, bb2x3, bb3, bb3x3, bb4, bb5, box3x3, expert:a5, "
        "expert:add10, expert:add2, …; dfst list shows all",
    ),
    (
        "qqq",
        "unknown command 'qqq': known: bench, compare, convert, evaluate, extract, learn, list, play, plot, "
        "prove, reproduce, run, …; dfst --help shows all",
    ),
    (
        "compare --learner nonsense --task add2",
        "unknown learner 'nonsense': known: delta-product, dfst, dfst-descent, dfst-raw, dfst-spectral, "
        "diagonal, diagonal-gated, edsm, elman, gru, lstm, neural-gpu, …; dfst compare --help shows all",
    ),
    ("run hub:add2 1+1", "a model on the Hub is called OWNER/NAME, found 'add2'; try hub:OWNER/NAME"),
    (
        "evaluate expert:add2 --digits 3 --against compiled:add2",
        "--against takes an agent, found the model compiled:add2; try one such as expert:add10",
    ),
    (
        "evaluate bb5",
        "bb5 has no task, whose inputs have digits; give its inputs with --language REGEX, and "
        "--against SUBJECT",
    ),
    ("evaluate bb5 --digits 3", "bb5 has no task with digits; PLG and RLG are not defined for it"),
    # inputs
    ("run expert:add10 1+", "add10 found an empty operand in '1+'; try 100+11"),
    ("run expert:sort10", "sort10 found an empty operand in ''; try 100"),
    ("run expert:add10 11", "add10 takes one + between two numbers, found 0 in '11'; try 100+11"),
    ("run expert:add10 1+1+1", "add10 takes one + between two numbers, found 2 in '1+1+1'; try 100+11"),
    ("run expert:add2 12+1", "add2 takes digits 0 to 1, found '2' in '12+1'; try 100+11"),
    ("run expert:mult16 fg*1", "mult16 takes digits 0 to f, found 'g' in 'fg×1'; try 100×11"),
    ("trace compiled:add2 1+3", "add2 takes digits 0 to 1, found '3' in '1+3'; try 100+11"),
    ("run expert:parity 012", "parity takes the symbols 0 1, found '2' in '012'; try 0110"),
    ("run expert:a5", "a5 takes a word, found nothing; try abba"),
    ("run expert:sum10 5", "sum10 takes + between numbers, found 0 in '5'; try 100+11"),
    ("run expert:div10 5/", "div10 found an empty operand in '5/'; try 100/11"),
    ("run bb5 012", "bb5 does not know the symbol '2'; its alphabet is 0 1"),
    # numbers that are in their limits (tests/cli/test_numbers.py) and yet make no sense
    ("evaluate compiled:add2", "evaluate needs lengths: give --digits N … or --search"),
    (
        "learn add2 --samples 1",
        "the training set of add2 with p=1 and inputs of up to 3 digits starts from 8 inputs, "
        "found 1 sample; ask for at least that many",
    ),
    (
        "learn add2 --first-seed 4294967295 --seeds 3",
        "seeds must lie between 0 and 4,294,967,295, found 4,294,967,295 to 4,294,967,297",
    ),
    (
        "learn add2 --samples 1000000000",
        "1,000,000,000 samples of up to 6 symbols are more than a training set can hold; "
        "ask for fewer samples or a smaller --max-digits",
    ),
    (
        "learn add2 --max-digits 1000000000",
        "20 samples of up to 2,000,000,000 symbols are more than a training set can hold; "
        "ask for fewer samples or a smaller --max-digits",
    ),
    (
        "learn add2 --max-digits 100000",
        "the traces of add2 on 20 inputs of up to 200,001 symbols take more than 20,000,000 steps; "
        "ask for fewer or shorter inputs",
    ),
    (
        "learn bb2 --max-digits 1000000000",
        "500 samples of up to 1,000,000,000 symbols are more than a training set can hold; "
        "ask for fewer samples or a smaller --max-digits",
    ),
    # options that have another name now
    ("learn add2 --d 12", "--d is called --hidden-size now; see: dfst learn --help"),
    (
        "learn add2 --hidden-size few",
        "--hidden-size takes a whole number from 1 to 1,000,000,000, or fit, found few",
    ),
    ("learn add2 --n=20", "--n is called --samples now; see: dfst learn --help"),
    ("learn add2 --q 3", "--q is called --max-digits now; see: dfst learn --help"),
    ("learn", "learn needs a task, such as: dfst learn add2"),
    # inputs that seem to be the name of a file
    (
        "learn add2 --inputs no.txt",
        "cannot read no.txt: no such file; give inputs, or a file with one on each line",
    ),
    (
        "learn bb2 --inputs 0 no/inputs",
        "cannot read no/inputs: no such file; give inputs, or a file with one on each line",
    ),
    (
        "learn add2 --inputs empty",
        "cannot read empty: it is a folder; give inputs, or a file with one on each line",
    ),
    (
        "learn add2 --inputs 1+1 RUN/config.json",
        "--inputs takes inputs or one file, found 2 words; give RUN/config.json alone",
    ),
    ("learn div10 --inputs 1/", "div10 found an empty operand in '1/'; try 100/11"),
    # words that have no place
    ("list --jsn", "unknown option --jsn; perhaps you meant --json; see: dfst list --help"),
    ("learn add2 --zzz 3", "unknown option --zzz; see: dfst learn --help"),
    ("run add2 1+1 2", "'2' is one word too many; see: dfst run --help"),
    ("convert --zzz", "IN is missing; see: dfst convert --help"),
    # options with nothing after them
    ("learn add2 --inputs", "--inputs takes a value, found nothing; see: dfst learn --help"),
    ("learn add2 --digits --seeds 1", "--digits takes a value, found nothing; see: dfst learn --help"),
    ("reproduce --tasks", "--tasks takes a value, found nothing; see: dfst reproduce --help"),
    # options that would say nothing
    ("learn bb2 --digits 4", "--digits is for a task, whose inputs have digits; leave it out"),
    ("convert bb2 out.json --to foo", f"unknown format 'foo': known: {', '.join(sorted(FORMATS))}"),
    # files and folders
    ("run no.safetensors", "cannot read no.safetensors: No such file or directory; give a .safetensors file"),
    ("run no.yaml", "cannot read no.yaml: no such file; give a machine file, a weights file or a name"),
    ("run empty 1+1", "empty is not a run folder: it has no config.json; give the folder of a run"),
    (
        "learn --resume nowhere",
        "nowhere is not a run folder: it has no config.json; give the folder of a run",
    ),
    ("learn --resume empty", "empty is not a run folder: it has no config.json; give the folder of a run"),
    (
        "learn empty",
        "empty is a folder, expected a task or a machine; a run goes on with dfst learn --resume empty",
    ),
    (
        "prove mine.py:double",
        "mine.py:double is a Python function; dfst run, trace and learn take it, this does not",
    ),
    ("run RUN 1+1", "RUN holds no finished model yet; continue the run with: dfst learn --resume RUN"),
    (
        "learn add2 --out RUN",
        "RUN already holds a run; continue it with --resume RUN or give another --out",
    ),
    ("learn add10 --resume RUN", "RUN is a run of add2, found add10; leave the task out"),
    (
        "learn --resume RUN --rate 1",
        "--resume continues with the configuration of RUN; leave out --rate",
    ),
]


@pytest.fixture(scope="module")
def unfinished(tmp_path_factory) -> Path:
    """A run of add2 that has taken no step yet."""
    folder = RunFolder(tmp_path_factory.mktemp("unfinished") / "RUN")
    plan = make_plan(expert("add2"), seeds=2)
    traces = plan.traces()
    with folder.locked():
        folder.write_config(plan.as_json(traces))
        save_traces(traces, folder.traces_file)
        folder.write_checkpoint(initial_state(plan.shape(traces), plan.seeds, plan.recipe.dtype))
    return folder.path


@pytest.fixture
def place(tmp_path, monkeypatch, unfinished) -> Path:
    """A folder to stand in, with RUN and an empty one."""
    (tmp_path / "empty").mkdir()
    (tmp_path / "RUN").mkdir()
    for file in unfinished.iterdir():
        (tmp_path / "RUN" / file.name).write_bytes(file.read_bytes())
    monkeypatch.chdir(tmp_path)
    return tmp_path


def everything_in(folder: Path) -> dict[str, bytes | None]:
    """Every file and folder, but for the note of who holds a lock."""
    found = {str(f.relative_to(folder)): f.read_bytes() if f.is_file() else None for f in folder.rglob("*")}
    return {name: content for name, content in found.items() if not name.endswith(".lock")}


def refuses(dfst, place: Path, words: str, line: str) -> None:
    before = everything_in(place)
    done = dfst(*words.split())
    assert (done.err, done.out, done.status) == (f"dfst: {line}\n", "", 2)
    assert everything_in(place) == before


@pytest.mark.parametrize(("words", "line"), WORDS)
def test_words(dfst, place, words, line):
    refuses(dfst, place, words, line)


def test_an_unknown_preset_names_the_known_ones(dfst, place):
    before = everything_in(place)
    done = dfst("learn", "add2", "--preset", "quik")
    assert (done.out, done.status, done.err.count("\n")) == ("", 2, 1)
    assert all(word in done.err for word in ("'quik'", "--preset", "quick", "paper", "dfst learn --help"))
    assert everything_in(place) == before


GOOD = to_bytes(compile_agent(expert("add2")))


def changed(**changes: Callable[[np.ndarray], np.ndarray]) -> bytes:
    """The weights of add2 with some tensors changed and the metadata as they were."""
    model = compile_agent(expert("add2"))
    tensors = {name: getattr(model, name).copy() for name in ("A", "B", "C", "h0")}
    for name, change in changes.items():
        tensors[name] = change(tensors[name])
    data = to_bytes(model)
    header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
    return save(tensors, header["__metadata__"])


def meaning(**changes: str) -> bytes:
    """The weights of add2 with some metadata changed."""
    size = 8 + int.from_bytes(GOOD[:8], "little")
    header = json.loads(GOOD[8:size])
    header["__metadata__"] |= changes
    text = json.dumps(header, ensure_ascii=False).encode()
    return len(text).to_bytes(8, "little") + text + GOOD[size:]


def with_nan(tensor: np.ndarray) -> np.ndarray:
    tensor[1, 0, 0] = np.nan
    return tensor


NO_WEIGHTS = (
    "w.safetensors is not a weights file: expected safetensors with A, B, C, h0 (Error while deserializing:"
)
NOT_OURS = "; it was not written by dfst"
WEIGHTS = [
    (b"", f"{NO_WEIGHTS} header too small){NOT_OURS}"),
    (b"hello", f"{NO_WEIGHTS} header too small){NOT_OURS}"),
    (
        GOOD[:-5],
        f"w.safetensors is cut off: expected {len(GOOD):,} bytes, found {len(GOOD) - 5:,}; "
        "fetch or copy it again",
    ),
    (
        GOOD[:50],
        f"w.safetensors is cut off: expected {8 + int.from_bytes(GOOD[:8], 'little')} bytes, found 50; "
        "fetch or copy it again",
    ),
    (
        save({"A": np.zeros(3)}),
        "w.safetensors: expected metadata format 'dfst/1', found None; it was not written by dfst",
    ),
    (
        changed(B=lambda B: B[:, :-1]),
        "compiled:add2: tensor B must have shape (4, 4, 12) for 4 symbols and 5 motions, found (4, 3, 12)",
    ),
    (
        changed(A=lambda A: A[:, :, :-1]),
        "compiled:add2: tensor A must have shape (4, 12, 12) for 4 symbols and 5 motions, found (4, 12, 11)",
    ),
    (
        changed(C=with_nan),
        "compiled:add2: tensor C holds NaN or infinity; the training run diverged",
    ),
    (
        changed(B=lambda B: B.astype(np.float64)),
        "compiled:add2: tensor B must be float32 like h0, found float64",
    ),
    (
        changed(h0=lambda h0: h0.astype(np.int32)),
        "compiled:add2: tensor h0 must be float32 or float64, found int32",
    ),
    (
        meaning(motions="U U L R S"),
        "compiled:add2: expected motions that all differ, found 'U U L R S'",
    ),
    (
        meaning(task="", start="first", alphabet="0 0 λ +"),
        "compiled:add2: expected symbols that all differ, found '0 0 λ +'",
    ),
    (
        meaning(task=""),
        "w.safetensors starts on the operator but has no task that says which symbol that is",
    ),
]


@pytest.mark.parametrize(("content", "line"), WEIGHTS, ids=[line for _, line in WEIGHTS])
def test_weights_files(dfst, place, content, line):
    (place / "w.safetensors").write_bytes(content)
    refuses(dfst, place, "run w.safetensors 1+1", line)


@pytest.mark.parametrize(("said", "examples"), [("20", 20), ("zero", 0), ("-1", 0), ("9" * 5000, 0), ("", 0)])
def test_what_a_file_says_of_its_examples_is_a_number_or_nothing(said, examples):
    """It is part of what `dfst prove` says of a model."""
    assert from_bytes(meaning(samples=said), "w").examples == examples


def flip(**changes: object) -> str:
    """A machine that exchanges a and another symbol."""
    other = changes.pop("other", "b")
    rules = [["go", "a", other, "R", "go"], ["go", other, "a", "R", "go"], ["go", "_", "_", "S", None]]
    machine = {"format": "dfst-machine/1", "alphabet": ["a", other, "_"], "blank": "_", "states": ["go"]}
    return json.dumps({**machine, "rules": rules, **changes}, ensure_ascii=False)


@pytest.mark.parametrize("symbol", ["λ", " ", "", "a b"])
def test_symbols_that_a_model_cannot_have_are_refused_before_the_training(dfst, place, symbol):
    (place / "m.json").write_text(flip(other=symbol), "utf-8")
    line = f"m: a model knows no symbol {symbol!r}: expected no spaces, and λ only for the blank"
    refuses(dfst, place, "learn m.json", f"{line}; rename it in the machine")


@pytest.mark.parametrize(
    ("name", "content", "line"),
    [
        ("m.json", "{", "m.json: json, line 1: not JSON: Expecting property name enclosed in double quotes"),
        ("m.tm", "", "m.tm is empty; give a machine file"),
        ("m.yaml", " \n", "m.yaml is empty; give a machine file"),
        ("m.bb", "1RB", "m.bb: bbchallenge: state A reading 0: expected a symbol 0 to 0 first, found '1RB'"),
    ],
)
def test_what_is_wrong_with_a_machine_file_is_said_with_its_name(dfst, place, name, content, line):
    """Two files may be on the command line."""
    (place / name).write_text(content, "utf-8")
    refuses(dfst, place, f"prove bb2 --against {name}", line)


def test_an_unset_variable_is_no_folder(dfst, place):
    """It would be the current one."""
    before = everything_in(place)
    done = dfst("learn", "add2", "--out", "")
    assert (done.err, done.status) == (
        "dfst: --out takes a value, found nothing; see: dfst learn --help\n",
        2,
    )
    assert everything_in(place) == before


def test_a_machine_starts_where_its_task_does(dfst, place):
    write_machine(expert("add2"), "m.json")
    machine = json.loads((place / "m.json").read_text("utf-8"))
    (place / "m.json").write_text(json.dumps({**machine, "start": "first"}), "utf-8")
    line = "m.json: json: expected start to be operator, as add2 has it, found 'first'"
    refuses(dfst, place, "prove m.json", line)
    del machine["start"]
    (place / "m.json").write_text(json.dumps(machine), "utf-8")
    assert dfst("run", "m.json", "11+1").out == "100\n"


def test_whatever_a_file_calls_itself_one_line_is_said(dfst, place):
    (place / "m.json").write_text(flip(name="m\nproved: \x1b[31mall"), "utf-8")
    line = "m\ufffdproved: \ufffd[31mall has no task, so there is no expert to compare it with"
    refuses(dfst, place, "prove m.json", f"{line}; add --against SUBJECT")


def test_a_folder_with_the_name_of_a_model_is_not_in_its_way(dfst, place):
    (place / "add2").mkdir()
    assert dfst("run", "add2", "1+1").out == "10\n"
    assert dfst("prove", "add2", "--check", "nothing.json").err.startswith("dfst: cannot read nothing.json")
    (place / "bb2").mkdir()
    assert dfst("run", "bb2").out == "1111\n"


def test_the_good_weights_are_good(dfst, place):
    (place / "w.safetensors").write_bytes(GOOD)
    assert dfst("run", "w.safetensors", "1+1").out == "10\n"


def rewrite(place: Path, change: Callable[[dict], None]) -> None:
    folder = RunFolder(place / "RUN")
    config = folder.read_config()
    change(config)
    folder.write_config(config)


CONFIGS = [
    (
        lambda config: config.update(seeds=[5, 6]),
        "RUN/checkpoint.safetensors belongs to another configuration; start anew",
    ),
    (
        lambda config: config.update(hidden_size=13),
        "RUN/checkpoint.safetensors belongs to another configuration; start anew",
    ),
    (
        lambda config: config["sampling"].update(data_seed=7),
        "RUN was trained on other traces than this version records; start anew",
    ),
    (
        lambda config: config.update(format="dfst-run/9"),
        "RUN: expected a run of format 'dfst-run/2', found 'dfst-run/9'",
    ),
    (
        lambda config: config.pop("recipe"),
        "RUN holds another configuration than this version writes ('recipe'); start anew",
    ),
]


@pytest.mark.parametrize(("change", "line"), CONFIGS)
def test_run_folders_of_another_configuration(dfst, place, change, line):
    rewrite(place, change)
    refuses(dfst, place, "learn --resume RUN", line)


def test_a_checkpoint_that_is_none(dfst, place):
    (place / "RUN" / "checkpoint.safetensors").write_bytes(b"hello")
    refuses(
        dfst,
        place,
        "learn --resume RUN",
        "RUN/checkpoint.safetensors is not a checkpoint: expected safetensors with seeds, theta, first, "
        "second, good, alive (Error while deserializing: header too small); remove it to start anew",
    )


@pytest.mark.parametrize("words", ["--hidden-size 100000000", "--hidden-size 10000 --seeds 1000000000"])
def test_more_memory_than_there_is(dfst, place, words):
    before = everything_in(place)
    done = dfst("learn", "add2", *words.split())
    assert (done.out, done.status, done.err.count("\n")) == ("", 2, 1)
    assert re.search(r"needs some [\d,]+ GB of memory, this machine has [\d,]+; ask for fewer", done.err)
    assert everything_in(place) == before


def test_a_long_name_is_cut(dfst):
    done = dfst("run", "q" * 5_000)
    assert (done.status, done.out) == (2, "")
    assert re.fullmatch(rf"dfst: unknown subject '{'q' * 59}…': known: .{{,200}}\n", done.err)


@pytest.mark.parametrize(
    ("words", "advice"),
    [
        ("run langton --max-cells 1000000000000000", "lower --max-cells"),
        ("trace langton --max-steps 1000000000000000", "lower --max-steps"),
        ("trace bb2 0 1 --max-steps 1000000000000 --out t.jsonl", "lower --max-steps"),
        ("sweep --tasks add2 --jobs 1000000000", "lower --jobs"),
    ],
)
def test_work_that_may_need_more_memory_than_there_is(dfst, place, words, advice):
    before = everything_in(place)
    done = dfst(*words.split())
    assert (done.out, done.status, done.err.count("\n")) == ("", 2, 1)
    assert re.search(rf"may need [\d,]+ GB of memory, this machine has [\d,]+; {advice}\n", done.err)
    assert everything_in(place) == before


@pytest.mark.parametrize("words", ["learn --resume RUN", "learn add2 --out RUN"])
def test_two_runs_in_one_folder(dfst, place, words):
    with RunFolder("RUN").locked():
        refuses(
            dfst,
            place,
            words,
            f"RUN is in use by another run (process {os.getpid()}); wait for it or give another --out",
        )
