"""dfst play and plot."""

from __future__ import annotations

import json
import tempfile
import urllib.request
from pathlib import Path
from urllib.parse import quote

import pytest

from dfst.viewer.server import PlayServer


@pytest.fixture
def visit(monkeypatch):
    """Instead of serving until Ctrl-C: answer one question about a subject, then be stopped."""
    asked: list[str] = []
    answers: list[dict[str, object]] = []

    def serve_one(server: PlayServer) -> None:
        from threading import Thread

        def ask() -> None:
            address = f"{server.url}subject?name={quote(asked[0])}"
            with urllib.request.urlopen(address, timeout=60) as reply:
                answers.append(json.load(reply))

        asking = Thread(target=ask)
        asking.start()
        server.handle_request()
        asking.join()
        raise KeyboardInterrupt

    monkeypatch.setattr(PlayServer, "serve_forever", serve_one)
    return asked, answers


def test_play_shows_a_subject_by_name_and_leaves_nothing_behind(dfst, visit, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    asked, answers = visit
    asked.append("expert:add2")
    done = dfst("play", "add2", "11+1", "--against", "expert:add2", "--no-browser")
    assert (done.status, done.out) == (0, "")
    assert "#subject=add2&input=11%2B1&against=expert%3Aadd2" in done.err
    assert answers[0]["kind"] == "table"
    assert list(tmp_path.iterdir()) == []


def test_play_hands_a_file_to_the_page(dfst, visit, tmp_path):
    dfst("convert", "bb3", tmp_path / "mine.yaml")
    asked, answers = visit
    asked.append("mine.yaml")
    done = dfst("play", tmp_path / "mine.yaml", "--no-browser")
    assert done.status == 0
    assert "#subject=mine.yaml" in done.err
    assert answers[0]["states"] == ["A", "B", "C"]


def test_play_and_run_know_a_problem_of_ones_own(dfst, visit):
    file = f"{Path(__file__).parents[2]}/examples/own_problem.py:thirds"
    asked, answers = visit
    asked.append("own_problem.py:thirds")
    done = dfst("play", file, "abba", "--no-browser")
    assert (done.status, "#subject=own_problem.py%3Athirds&input=abba" in done.err) == (0, True)
    assert answers[0]["task"]["name"] == "thirds"
    assert dfst("run", file, "abba").status == 0
