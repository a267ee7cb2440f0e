"""Words on the command line that make no sense: one line, exit status 2, nothing written.

The lines are compared word for word: they are part of what people use. RUN stands for a run folder that
holds an unfinished run of add2 with two seeds.
"""

from __future__ import annotations

import re

import pytest
from refusing import everything_in, refuses

from dfst.machines.formats import FORMATS

WORDS = [
    # names
    ("lern add2", "unknown command 'lern': did you mean learn?"),
    ("learn ad2", "unknown task 'ad2': did you mean add2?"),
    ("learn add99", "task add99: the radix must be 2 to 36, found 99; try add10"),
    (
        f"run expert:add{'9' * 5000} 1+1",
        f"task add{'9' * 21}: the radix must be 2 to 36, found 999999999; try add10",
    ),
    ("run expert:mul10 1*1", "unknown task 'mul10': did you mean mult10, longmult10 or sum10?"),
    ("run ad10 1+1", "unknown subject 'ad10': did you mean add10?"),
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
        "unknown learner 'nonsense': known: dfst, dfst-descent, dfst-raw, edsm, edsm-told, gru, lstm, sat, "
        "transformer",
    ),
    ("run hub:add2 1+1", "a model on the Hub is called OWNER/NAME, found 'add2'; try hub:OWNER/NAME"),
    (
        "evaluate expert:add2 --digits 3 --against compiled:add2",
        "a reference must be an agent, found the model compiled:add2; try one such as expert:add10",
    ),
    (
        "evaluate bb5",
        "bb5 has no task, so there is no expert to compare it with; "
        "name a reference (at the command line: --against SUBJECT)",
    ),
    (
        "evaluate bb5 --against bb5 --language 1* --digits 3",
        "bb5 has no inputs of a size; leave out --digits",
    ),
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
        "learn add2 --set samples=1",
        "the training set of add2 with p=1 and inputs of up to 3 digits starts from 8 inputs, "
        "found 1 sample; ask for at least that many",
    ),
    (
        "learn add2 --set first_seed=4294967295 --seeds 3",
        "seeds must lie between 0 and 4,294,967,295, found 4,294,967,295 to 4,294,967,297",
    ),
    (
        "learn add2 --set samples=1000000000",
        "1,000,000,000 samples of up to 6 symbols are more than a training set can hold; "
        "ask for fewer samples or a smaller max_digits",
    ),
    (
        "learn add2 --set max_digits=1000000000",
        "20 samples of up to 2,000,000,000 symbols are more than a training set can hold; "
        "ask for fewer samples or a smaller max_digits",
    ),
    (
        "learn add2 --set max_digits=100000",
        "the traces of add2 on 20 inputs of up to 200,001 symbols take more than 20,000,000 steps; "
        "ask for fewer or shorter inputs",
    ),
    (
        "learn bb2 --set max_digits=1000000000",
        "300 samples of up to 1,000,000,000 symbols are more than a training set can hold; "
        "ask for fewer samples or a smaller max_digits",
    ),
    # options that have another name now
    ("learn add2 --d 12", "--d is called --hidden-size now; see: dfst learn --help"),
    (
        "learn add2 --hidden-size few",
        "--hidden-size takes a whole number from 1 to 1,000,000,000, found 'few'; see: dfst learn --help",
    ),
    ("learn add2 --n=20", "--n is called --set samples=… now; see: dfst learn --help"),
    ("learn add2 --q 3", "--q is called --set max_digits=… now; see: dfst learn --help"),
    ("learn", "learn needs a problem, such as: dfst learn add2"),
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
    # boards, whose rows a / parts
    (
        "learn maze --inputs S.G/..",
        "maze: every row must be as long as the first, 3 symbols; row 2 has 2, so it ends at column 3",
    ),
    (
        "learn flood --inputs *. *./.x",
        "input 2: flood does not know the symbol 'x' in row 2, column 2; its symbols are # . *; "
        "try ####./#*.#./####.",
    ),
    (
        "trace expert:maze --teaches S.G/..",
        "maze: every row must be as long as the first, 3 symbols; row 2 has 2, so it ends at column 3",
    ),
    ("learn div10 --inputs 1/", "div10 found an empty operand in '1/'; try 100/11"),
    # words that have no place
    ("list --nope", "unknown option --nope; see: dfst list --help"),
    (
        "learn add2 --fewest --examples 5",
        "--fewest and --examples set the same; leave out one of them; see: dfst learn --help",
    ),
    (
        "learn parity --fewest --inputs 0 1",
        "--inputs gives the examples, and none is chosen; leave out --fewest",
    ),
    (
        "trace add2 1+1 --out t.foo",
        "cannot tell the format of t.foo; end its name in one of .jsonl, .safetensors",
    ),
    (
        "prove add2 --check nosuch",
        "cannot read nosuch: no such file; give the file that dfst prove --out wrote for it",
    ),
    ("list --jsn", "unknown option --jsn; perhaps you meant --json; see: dfst list --help"),
    ("learn add2 --zzz 3", "unknown option --zzz; see: dfst learn --help"),
    ("learn add2 --seeds 1 --seeds 2", "--seeds takes one value, found it twice; see: dfst learn --help"),
    ("list --json=false", "--json takes no value, found 'false'; see: dfst list --help"),
    ("run add2 1+1 2", "'2' is one word too many; see: dfst run --help"),
    ("convert --zzz", "unknown option --zzz; see: dfst convert --help"),
    (
        "convert",
        "IN is missing: A machine file, a published machine (bb5), expert:add10, or a machine in one line; "
        "see: dfst convert --help",
    ),
    # options with nothing after them
    ("learn add2 --inputs", "--inputs takes a value, found nothing; see: dfst learn --help"),
    (
        "learn add2 --digits --seeds 1",
        "--digits takes a whole number from 1 to 1,000,000, found nothing; see: dfst learn --help",
    ),
    ("reproduce --tasks", "--tasks takes a value, found nothing; see: dfst reproduce --help"),
    # options that would say nothing
    ("learn bb2 --digits 4", "bb2 has no inputs of a size; leave out --digits"),
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
        "evaluate mine.py:double",
        "mine.py:double is in a Python file, which this does not run; first write it as a machine: "
        "dfst extract mine.py:double -o machine.json",
    ),
    ("run RUN 1+1", "RUN holds no finished model yet; continue the run with: dfst learn --resume RUN"),
    (
        "learn add2 --out RUN",
        "RUN already holds a run; continue it with --resume RUN or give another --out",
    ),
    ("learn add10 --resume RUN", "RUN is a run of add2, found add10; leave the problem out"),
    (
        "learn --resume RUN --set learning_rate=1",
        "--resume continues with the configuration of RUN; leave out --set",
    ),
]


@pytest.mark.parametrize(("words", "line"), WORDS)
def test_words(dfst, place, words, line):
    refuses(dfst, place, words, line)


def test_an_unknown_preset_names_the_known_ones(dfst, place):
    before = everything_in(place)
    done = dfst("learn", "add2", "--preset", "quik")
    assert (done.out, done.status, done.err.count("\n")) == ("", 2, 1)
    assert all(word in done.err for word in ("'quik'", "--preset", "quick", "paper", "dfst learn --help"))
    assert everything_in(place) == before


def test_a_long_name_is_cut(dfst):
    done = dfst("run", "q" * 5_000)
    assert (done.status, done.out) == (2, "")
    assert re.fullmatch(rf"dfst: unknown subject '{'q' * 59}…': known: .{{,200}}\n", done.err)


def test_an_unset_variable_is_no_folder(dfst, place):
    """It would be the current one."""
    before = everything_in(place)
    done = dfst("learn", "add2", "--out", "")
    assert (done.err, done.status) == (
        "dfst: --out takes a value, found nothing; see: dfst learn --help\n",
        2,
    )
    assert everything_in(place) == before


@pytest.mark.parametrize("words", ["--hidden-size 100000000", "--hidden-size 10000 --seeds 1000000000"])
def test_more_memory_than_there_is(dfst, place, words):
    before = everything_in(place)
    done = dfst("learn", "add2", *words.split())
    assert (done.out, done.status, done.err.count("\n")) == ("", 2, 1)
    assert re.search(r"may need [\d,]+ GB of memory, this machine has [\d,]+; ask for fewer", done.err)
    assert everything_in(place) == before


def test_memory_is_counted_for_what_each_seed_takes_however_small(dfst, place, monkeypatch):
    monkeypatch.setattr("dfst.memory.physical_memory", lambda: 15_000_000_000)
    done = dfst("learn", "parity", "--seeds", "1000000", "--steps", "10", "--out", "run")
    assert (done.out, done.status) == ("", 2)
    assert "may need 19 GB of memory, this machine has 15; ask for fewer seeds" in done.err
    assert not everything_in(place / "run")


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
