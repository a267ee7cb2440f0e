"""Tables fit the terminal, and no figure or name is cut or split, in every command that draws one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from dfst.cli.reproduced import table
from dfst.cli.tables import draw
from dfst.evaluation.report import Measurement, Report
from dfst.paper import TASKS
from dfst.subjects import catalogue

WORDS = st.text("abc-…", min_size=1, max_size=9)
CELLS = st.lists(WORDS, min_size=1, max_size=5).map(" ".join)


@given(
    cells=st.lists(st.lists(CELLS, min_size=3, max_size=3), min_size=1, max_size=4),
    width=st.integers(12, 120),
    prose=st.sets(st.sampled_from(["name", "what it does", "steps taken"])),
    spare=st.sampled_from([(), ("steps taken",)]),
)
def test_nothing_is_cut_whatever_the_width(cells, width, prose, spare):
    rows = [dict(zip(("name", "what it does", "steps taken"), line, strict=True)) for line in cells]
    shown = draw(rows, width=width, prose=prose, spare=spare)
    whole = shown.split()
    for row in rows:
        for heading, cell in row.items():
            if heading in spare:
                continue
            assert set(cell.split()) <= set(whole)
    longest = max(len(word) for row in rows for cell in row.values() for word in cell.split())
    if width >= len("what it does") + 2 + longest:
        assert max(map(len, shown.splitlines())) <= width


def test_columns_and_headings():
    rows = [{"name": "bb5", "steps taken": "47,176,870"}, {"name": "langton", "steps taken": "–"}]
    assert draw(rows, "Machines", "a note", width=80) == (
        "Machines\n"
        "name     steps taken\n"
        "───────  ───────────\n"
        "bb5       47,176,870\n"
        "langton            –\n"
        "a note"
    )
    assert draw(rows, width=19).splitlines()[:2] == ["name          steps", "              taken"]
    assert draw(rows, width=15, spare=("steps taken",)).splitlines()[2:] == ["bb5", "langton"]
    assert draw(rows[:1], width=12).split() == ["name", "bb5", "steps", "taken", "47,176,870"]


REPORT = Report("add2", "digits", (Measurement(10_000, True, True, 25, 3_579_332_123, 1234.5, 3.7e-6),))


def sound(text: str, words: list[str]) -> None:
    """At most 80 wide, nothing left out, and every name and figure in one piece."""
    assert max(map(len, text.splitlines())) <= 80
    assert "…" not in text
    missing = [word for word in words if word not in text.split()]
    assert missing == []


def test_list(dfst, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    values = [str(value) for row in catalogue() for key, value in row.items() if key != "kind"]
    shown = dfst("list").out
    sound(shown, [word for value in values for word in value.split()])
    ends = {line.rindex("proved") for line in shown.splitlines() if line.rstrip("*").endswith("proved")}
    assert len(ends) == 1


def test_evaluate():
    sound(draw(REPORT.rows(), width=80), ["10,000", "3,579,332,123", "3.7e-06", "1234.5"])


def test_a_model_that_took_no_step_has_no_margin():
    none = Measurement(5, False, False, 25, 0, 0.1)
    assert Report("add2", "digits", (none,)).rows()[0]["smallest margin"] == "–"
    assert none.as_json()["margin"] is None


def test_reproduce(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    row = {
        "evaluation": REPORT.as_json(),
        "strength": "proved",
        "seconds": 1e3,
        "samples": 9,
        "parameters": 9,
    }
    shown = table({name: {"agent": name, **row} for name in TASKS}, "Ours")
    sound(shown, list(TASKS))
