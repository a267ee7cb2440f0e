"""Recorded traces: written, read back, parted, and refused by line."""

from __future__ import annotations

import codecs
import contextlib
import gzip
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dfst.errors import InputError
from dfst.experts import expert
from dfst.machines.rulebook import RuleBook
from dfst.traces.recording import FORMAT, read_recording, write_recording
from dfst.traces.sample import PAPER_SAMPLING, sample_traces
from dfst.world.grid import L, S

HEADER = {"format": FORMAT, "alphabet": ["0", "1", "λ"], "blank": "λ", "start": "last"}
ONE = {"input": "01", "read": "10", "wrote": "01", "moved": "LS"}
TWO = {"input": "0", "read": "0", "wrote": "1", "moved": "S"}


def write(path, *rows):
    path.write_text(
        "".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows), "utf-8"
    )
    return path


def test_what_is_written_is_read(tmp_path):
    agent = expert("add2")
    traces = sample_traces(agent, PAPER_SAMPLING["add2"])
    write_recording(tmp_path / "t.jsonl", agent, [traces[i] for i in range(len(traces))])
    again = read_recording(tmp_path / "t.jsonl")
    assert (again.name, again.alphabet, again.blank) == (agent.name, agent.alphabet, agent.blank)
    assert (again.layout, again.task) == (agent.layout, agent.task)
    assert again.traces.fingerprint == traces.fingerprint
    assert again.traces.inputs == traces.inputs


def test_long_symbols_and_standing_still(tmp_path):
    rules = RuleBook(("_", "aa", "b"), blank="_")
    rules.on("q", "aa", S, write="b")
    rules.on("q", "b", L)
    rules.halt("q", "_", write="aa")
    agent = rules.agent("long", layout="last")
    trace = agent.trace("b aa aa")
    write_recording(tmp_path / "t.jsonl", agent, [trace])
    row = json.loads((tmp_path / "t.jsonl").read_text("utf-8").splitlines()[1])
    assert row["read"][:2] == ["aa", "b"]
    assert row["moved"][0] == "N"
    again = read_recording(tmp_path / "t.jsonl")
    assert again.traces[0].same_as(trace)
    assert "N" in again.traces.motions


def test_the_little_that_a_file_needs(tmp_path):
    found = read_recording(write(tmp_path / "mine.jsonl", HEADER, ONE, TWO))
    assert (found.name, found.layout, found.task, found.blank) == ("mine", "last", None, 2)
    assert found.traces[0].x.tolist() == [1, 0]
    assert found.traces[0].m.tolist() == [L, S]


def increments(count: int) -> list[dict[str, str]]:
    """`1`, `11`, `111`, …, each plus one."""
    return [
        {"input": "1" * n, "read": "1" * n + "λ", "wrote": "0" * n + "1", "moved": "L" * n + "S"}
        for n in range(1, count + 1)
    ]


@pytest.mark.parametrize("count", [2, 5, 6, 11, 20])
def test_a_fifth_is_held_out_with_the_longest(tmp_path, count):
    found = read_recording(write(tmp_path / "t.jsonl", HEADER, *increments(count)))
    assert count - 1 in found.held_out
    assert len(found.held_out) == -(-count // 5)
    assert sorted((*found.held_out, *found.shown)) == list(range(count))


def test_a_handful_made_by_hand_is_shown_whole(tmp_path):
    found = read_recording(write(tmp_path / "t.jsonl", HEADER | {"shown": 1}, ONE))
    assert (found.held_out, found.shown) == ((), (0,))


@pytest.mark.parametrize("taught", [{}, {"shown": 2}])
def test_what_was_shown_already_is_not_held_out(tmp_path, taught):
    """Repeated, or cut off where one that is shown goes on: such traces were called held out, and agreed."""
    long, other = ({"input": x, "read": x, "wrote": x, "moved": "L" * 9} for x in ("0" * 9, "1" * 9))
    cut = [{"input": given, "read": "0" * n, "wrote": "0" * n, "moved": "L" * n}
           for n in range(1, 9) for given in ("", "0" * 9)]  # fmt: skip
    found = read_recording(write(tmp_path / "t.jsonl", HEADER | taught, long, other, *cut, other))
    shown = {found.traces[i].x.tobytes() for i in found.shown}
    assert not any(seen.startswith(found.traces[i].x.tobytes()) for i in found.held_out for seen in shown)
    if taught:
        assert found.held_out == ()


def test_another_input_is_held_out_even_if_it_is_worked_alike(tmp_path):
    """A function that looks at one symbol works most inputs alike; that a model does so, too, is news."""
    alike = [{"input": text, "read": "0", "wrote": "1", "moved": "S"} for text in ("0", "00", "10")]
    assert read_recording(write(tmp_path / "t.jsonl", HEADER | {"shown": 1}, *alike)).held_out == (1, 2)


def test_what_is_held_out_is_shown_nowhere(tmp_path):
    found = read_recording(write(tmp_path / "t.jsonl", HEADER, *increments(7), *increments(7)))
    seen = {found.traces[i].x.tobytes() for i in found.shown}
    assert not seen & {found.traces[i].x.tobytes() for i in found.held_out}
    assert len(found.held_out) == 4


def test_a_mark_of_its_encoding_may_stand_at_its_beginning(tmp_path):
    """As Windows' editors write it."""
    file = write(tmp_path / "t.jsonl", HEADER, *increments(3))
    file.write_bytes(codecs.BOM_UTF8 + file.read_bytes())
    assert len(read_recording(file).traces) == 3


def test_one_trace_is_too_few(tmp_path):
    with pytest.raises(InputError, match=r"two different traces or more.*found 1"):
        _ = read_recording(write(tmp_path / "t.jsonl", HEADER, ONE, ONE)).held_out


@pytest.mark.parametrize(
    ("read", "wrote", "moves", "said"),
    [
        ("101", "101", "LRS", None),
        ("100", "101", "LRS", "line 2: step 2 reads 0 on a cell where step 0 wrote 1"),
        ("11", "00", "NS", "line 2: step 1 reads 1 on a cell where step 0 wrote 0"),
        ("1λλλ1", "0λλ10", "ULDRS", "line 2: step 4 reads 1 on a cell where step 0 wrote 0"),
    ],
)
def test_a_cell_holds_what_was_written_there(tmp_path, read, wrote, moves, said):
    header = {**HEADER, "motions": "UDLRSN"}
    file = write(tmp_path / "t.jsonl", header, {"input": "", "read": read, "wrote": wrote, "moved": moves})
    if said is None:
        assert len(read_recording(file).traces) == 1
    else:
        with pytest.raises(InputError, match=said):
            read_recording(file)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"input": "01"}, None),
        (
            {"input": "110"},
            "line 2: step 0 finds 1 on the cell x=0, y=0, where the input '110' has 0",
        ),
        (
            {"input": "11"},
            "line 2: step 1 finds 0 on the cell x=-1, y=0, where the input '11' has 1",
        ),
        ({"input": "1"}, "line 2: step 1 finds 0 on the cell x=-1, y=0, where the input '1' has λ"),
        ({"input": ""}, None),
        ({"input": "my first try"}, None),
    ],
)
def test_a_cell_holds_at_first_what_the_input_says(tmp_path, given, said):
    file = write(tmp_path / "t.jsonl", HEADER, ONE | given)
    if said is None:
        assert len(read_recording(file).traces) == 1
    else:
        with pytest.raises(InputError) as caught:
            read_recording(file)
        assert said in str(caught.value)


def test_the_input_of_a_task_is_laid_as_the_task_lays_it(tmp_path):
    write_recording(tmp_path / "t.jsonl", expert("add2"), [expert("add2").trace("11+1")])
    read_recording(tmp_path / "t.jsonl")
    text = (tmp_path / "t.jsonl").read_text()
    (tmp_path / "t.jsonl").write_text(text.replace('"11+1"', '"11+0"'))
    with pytest.raises(InputError, match=r"finds 1 on the cell x=1, y=0, where the input '11\+0' has 0"):
        read_recording(tmp_path / "t.jsonl")


def test_symbols_with_spaces_are_not_written(tmp_path):
    spaced = replace(expert("parity"), alphabet=("a b", "1", "λ"), task=None)
    with pytest.raises(InputError, match="a recording has no symbols with spaces, found 'a b'; rename"):
        write_recording(tmp_path / "t.jsonl", spaced, [])
    assert not (tmp_path / "t.jsonl").exists()


def test_traces_that_contradict_each_other_are_named(tmp_path):
    other = {"input": "11", "read": "11", "wrote": "00", "moved": "LL"}
    another = {"input": "11", "read": "110", "wrote": "010", "moved": "LRS"}
    with pytest.raises(InputError) as caught:
        read_recording(write(tmp_path / "t.jsonl", HEADER, TWO, other, another))
    said = str(caught.value)
    assert "lines 3 and 4 contradict each other" in said
    assert "step 1 reads 1 and does 0 L in one, 1 R in the other" in said
    assert said.endswith("; correct them, or learn with --allow-errors")


def test_contradictions_are_counted(tmp_path):
    rows = [TWO, *(TWO | {"wrote": wrote} for wrote in "0λ")]
    with pytest.raises(InputError, match=r"the other \(2 steps contradict earlier ones\); correct them, or"):
        read_recording(write(tmp_path / "t.jsonl", HEADER, *rows))
    for header, errors in ((HEADER, True), (HEADER | {"errors": True}, False)):
        found = read_recording(write(tmp_path / "t.jsonl", header, *rows), errors=errors)
        assert (found.errors, len(found.traces)) == (True, 3)


@pytest.mark.parametrize(
    ("row", "read", "wrote", "moved"),
    [
        # the plane says what was read, and what was written where the head comes back
        ({"input": "01", "read": "?0", "wrote": "01", "moved": "LS"}, "10", "01", "LS"),
        ({"input": "01", "read": "101", "wrote": "?11", "moved": "LRS"}, "101", "111", "LRS"),
        # half an action is none, and after an unknown motion nothing is known of the plane
        ({"input": "01", "read": "10", "wrote": "?1", "moved": "LS"}, "10", "?1", "?S"),
        ({"input": "01", "read": "10", "wrote": "01", "moved": "?S"}, "10", "?1", "?S"),
        # nobody knows what a machine does after a symbol that nobody knows
        ({"read": "1?0", "wrote": "011", "moved": "LLS"}, "1", "0", "L"),
    ],
)
def test_what_is_not_known(tmp_path, row, read, wrote, moved):
    found = read_recording(write(tmp_path / "t.jsonl", HEADER, row, TWO))
    write_recording(tmp_path / "again.jsonl", found, [found.traces[0]])
    again = json.loads((tmp_path / "again.jsonl").read_text("utf-8").splitlines()[1])
    assert (again["read"], again["wrote"], again["moved"]) == (read, wrote, moved)
    assert found.lost == len(row["read"]) - len(read)


def test_a_trace_whose_start_was_not_seen_is_left_out(tmp_path):
    found = read_recording(write(tmp_path / "t.jsonl", HEADER, ONE | {"input": "", "read": "?0"}, TWO, ONE))
    assert ([found.line(i) for i in range(len(found.traces))], found.lost) == ([3, 4], 2)


def test_a_question_mark_may_be_a_symbol(tmp_path):
    header = HEADER | {"alphabet": ["0", "?", "λ"]}
    row = {"input": "0?", "read": "?0", "wrote": "0?", "moved": "LS"}
    assert read_recording(write(tmp_path / "t.jsonl", header, row)).traces.known.all()


def test_a_packed_file_is_read(tmp_path):
    plain = write(tmp_path / "mine.jsonl", HEADER, ONE, TWO).read_bytes()
    (tmp_path / "mine.jsonl.gz").write_bytes(gzip.compress(plain))
    found = read_recording(tmp_path / "mine.jsonl.gz")
    assert (found.name, len(found.traces)) == ("mine", 2)
    (tmp_path / "mine.jsonl.gz").write_bytes(gzip.compress(plain)[:-9])
    with pytest.raises(InputError, match=r"cannot read .*: it is damaged, or cut off; give a trace file"):
        read_recording(tmp_path / "mine.jsonl.gz")


BAD = [
    ([], "line 1: expected a header"),
    (["nonsense"], "line 1: expected a JSON object"),
    ([ONE], "line 1: expected a header"),
    ([HEADER], "expected traces after the first line"),
    ([HEADER, "[1]"], "line 2: expected a JSON object"),
    ([HEADER, ONE, "", TWO], "line 3: expected a JSON object"),
    ([HEADER, ONE, ONE | {"read": "1x"}], "line 3: read holds 'x', expected one of 0 1 λ"),
    ([HEADER, ONE | {"wrote": [0, 1]}], "line 2: wrote holds 0"),
    ([HEADER, ONE | {"moved": "LN"} | {"moved": "LX"}], "line 2: moved holds 'X'"),
    ([HEADER, ONE | {"moved": "SL"}], "line 2: S halts and may stand in the last step only"),
    ([HEADER, ONE | {"read": "101"}], "line 2: expected as many steps each, found 3 read, 2 wrote, 2 moved"),
    ([HEADER, ONE | {"read": ""}], "line 2: read must be"),
    ([HEADER, ONE | {"input": 3}], "line 2: input must be text"),
    ([HEADER, ONE | {"move": "LS"}], "line 2: unknown field 'move': did you mean moved?"),
    ([HEADER | {"eror": True}, ONE], "line 1: unknown field 'eror': did you mean errors?"),
    ([HEADER | {"errors": "some"}, ONE], "line 1: errors must be true or false, found 'some'"),
    ([HEADER | {"format": "dfst-traces/1"}, ONE], "found 'dfst-traces/1'"),
    ([HEADER | {"blank": "_"}, ONE], "line 1: blank must be"),
    ([HEADER | {"blank": "0"}, ONE], "line 1: blank must be"),
    ([HEADER | {"alphabet": "01λ"}, ONE], "line 1: alphabet must be a list"),
    ([HEADER | {"alphabet": ["0", "0", "λ"]}, ONE], "line 1: alphabet must hold"),
    ([HEADER | {"start": "operator"}, ONE], "line 1: start must be"),
    ([HEADER | {"task": "add2", "start": "operator"}, ONE], "line 1: task add2 has the alphabet"),
    ([HEADER | {"motions": "LR"}, ONE], "line 1: motions must be"),
    ([HEADER | {"name": 3}, ONE], "line 1: name must be text"),
    ([HEADER | {"name": "../elsewhere"}, ONE], "line 1: name must be text without slashes"),
    (
        [HEADER | {"alphabet": ["0", "a b", "λ"]}, ONE],
        "line 1: alphabet must be a list of symbols without spaces",
    ),
]


@pytest.mark.parametrize(("rows", "words"), BAD, ids=[words for _, words in BAD])
def test_bad_files_are_refused_by_line(tmp_path, rows, words):
    with pytest.raises(InputError) as caught:
        read_recording(write(tmp_path / "t.jsonl", *rows))
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_what_is_no_text_is_refused(tmp_path):
    (tmp_path / "t.jsonl").write_bytes(b"\xff\xfe\x00")
    for name in ("t.jsonl", "none.jsonl"):
        with pytest.raises(InputError, match="cannot read"):
            read_recording(tmp_path / name)


def test_noise_is_refused_or_read(tmp_path):
    """Any one character of a good file changed: a recording or a refusal, nothing else."""
    good = write(tmp_path / "t.jsonl", HEADER, ONE, TWO).read_text("utf-8")
    rng = np.random.default_rng(0)
    for _ in range(300):
        at = int(rng.integers(len(good)))
        (tmp_path / "t.jsonl").write_text(
            good[:at] + chr(int(rng.integers(32, 127))) + good[at + 1 :], "utf-8"
        )
        with contextlib.suppress(InputError):
            read_recording(tmp_path / "t.jsonl")


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([HEADER, ONE | {"input": "\ud800"}], "line 2: expected text, found half a character"),
        ([HEADER | {"name": "\ud800"}, ONE], "line 1: expected text, found half a character"),
        ([HEADER | {"format": "dfst-traces/77"}, ONE], "which a later dfst wrote; update dfst"),
    ],
)
def test_half_characters_and_later_versions_are_told(tmp_path, rows, words):
    with pytest.raises(InputError, match=words):
        read_recording(write(tmp_path / "t.jsonl", *rows))


def test_the_example_of_the_documentation(tmp_path):
    page = (Path(__file__).parents[2] / "docs" / "reference" / "traces.md").read_text("utf-8")
    example = page.split("```jsonl\n")[1].split("```")[0]
    (tmp_path / "t.jsonl").write_text(example, "utf-8")
    found = read_recording(tmp_path / "t.jsonl")
    increment = expert("increment2")
    for i, text in enumerate(found.traces.inputs):
        assert found.traces[i].same_as(increment.trace(text))
