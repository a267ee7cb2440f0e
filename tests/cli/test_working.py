"""What long work says while it goes on: in place on a terminal, now and then a plain line in a file."""

import pytest

from dfst.cli import output


def test_a_line_now_and_then(dfst, monkeypatch):
    monkeypatch.setattr(output, "QUIET_SECONDS", 0)
    done = dfst("evaluate", "compiled:add2", "--digits", "3")
    assert done.status == 0
    said = done.err.splitlines()
    assert said[-1].startswith("add2, 3 digits: ")
    assert all(line.startswith("add2, 3 digits: ") for line in said)


def test_nothing_of_what_is_soon_done(dfst):
    assert dfst("evaluate", "compiled:add2", "--digits", "3").err == ""


def test_names_are_shown_as_they_are(monkeypatch, capsys: pytest.CaptureFixture[str]):
    monkeypatch.setattr(output, "QUIET_SECONDS", 0)
    with output.working("reading …") as tell:
        tell("machine [red].json")
    assert capsys.readouterr().err == "machine [red].json\n"
