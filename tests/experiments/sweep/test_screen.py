"""What people see of a sweep: the picture while it runs, plain lines without a terminal, the final table."""

from __future__ import annotations

import io
from pathlib import Path

from rich.console import Console

from dfst.cli.tables import draw
from dfst.experiments.sweep.screen import NOTE, Screen, newest_step, sentence, summarise
from dfst.train.runfolder import RunFolder


def record(seed: int, **more: object) -> dict:
    usual = {
        "trial": f"add2-gru-seed-{seed}", "task": "add2", "learner": "gru", "recipe": "", "seed": seed,
        "status": "done", "exact": False, "strength": "refuted", "rlg": seed, "longest": 1000,
        "loss": 0.5, "seconds": 2.0,
    }  # fmt: skip
    return {**usual, **more}


FAILED = {
    "trial": "add2-gru-seed-9", "task": "add2", "learner": "gru", "recipe": "", "seed": 9,
    "status": "failed", "error": "it diverged",
}  # fmt: skip


def watched(folder: Path, terminal: bool) -> str:
    screen = Console(file=io.StringIO(), force_terminal=terminal, width=100, color_system=None)
    reporter = Screen(screen)
    reporter.begin(total=5, done=1)
    for seed in range(3):
        reporter.started(f"add2-gru-seed-{seed}", folder / str(seed))
    (folder / "0").mkdir()
    for step in (1000, 1500):
        RunFolder(folder / "0").append_metrics({"iteration": step, "loss": [0.25]})
    reporter.idle()
    reporter._live.refresh()
    reporter.retried("add2-gru-seed-2", "its process was ended by SIGKILL", left=1)
    reporter.finished(record(0, exact=True, strength="proved", rlg=1000))
    reporter.finished(FAILED)
    reporter.close()
    return screen.file.getvalue()


SAID = """\
· 5 trials, 1 of them over before
· add2-gru-seed-2: its process was ended by SIGKILL; it goes on from its last checkpoint, at most 1 time more
· [2/5] add2-gru-seed-0: proved, RLG 1,000, loss 5.0e-01, 2.0 s
· [3/5] add2-gru-seed-9: failed: it diverged
"""


def test_without_a_terminal_a_line_for_what_happens(tmp_path):
    assert watched(tmp_path, terminal=False) == SAID


def test_without_a_terminal_a_line_now_and_then(tmp_path, monkeypatch):
    monkeypatch.setattr("dfst.experiments.sweep.screen.PLAIN_SECONDS", -1.0)
    said = watched(tmp_path, terminal=False)
    assert "1 of 5 over, 3 running, 00:00:00, add2-gru-seed-0: step 1,500, loss 2.5e-01" in said


def test_on_a_terminal_the_running_trials_are_drawn(tmp_path):
    drawn = watched(tmp_path, terminal=True)
    for words in (*SAID.splitlines(), "step 1,500, loss 2.5e-01", "starting or queued"):
        assert words in drawn
    assert "1 of 5 over, 3 running" in drawn


def test_a_line_that_is_being_written_is_no_step_yet(tmp_path):
    assert newest_step(tmp_path) == "starting or queued"
    file = RunFolder(tmp_path).metrics_file
    file.write_bytes(b'{"iteration": 5, "loss": [null]}\n{"iteration": 10, "lo')
    assert newest_step(tmp_path) == "step 5"
    file.write_bytes(b"x" * 10_000)
    assert newest_step(tmp_path) == "starting or queued"


def test_seeds_become_rows():
    records = [record(seed) for seed in (4, 1, 2)] + [FAILED, record(0, learner="dfst", recipe="quick")]
    dfst, gru = summarise(records)
    assert (dfst["learner"], dfst["recipe"], dfst["RLG"], dfst["failed"]) == ("dfst", "quick", "0", "0")
    assert list(gru.values()) == [
        "add2", "gru", "–", "0 of 4", "0", "1", "1,000", "2 (1–4)", "5.0e-01", "2.0 s",
    ]  # fmt: skip
    assert all("failed" not in row for row in summarise([record(0)]))


def test_the_table_shows_the_median_and_the_range_in_80_columns():
    lines = [record(seed, task="increment10", recipe="quick", rlg=3 * 250**seed) for seed in (0, 1)]
    lines += [{**FAILED, "task": "increment10", "recipe": "quick"}, FAILED]
    shown = draw(summarise(lines), note=NOTE, left=3, width=80)
    assert max(map(len, shown.splitlines())) <= 80
    assert "376 (3–750)" in shown
    assert "0 of 3" in shown
    assert shown.splitlines()[2].split() == ["add2", "gru", "–", "0", "of", "1", "0", "1", "–", "–", "–", "–"]


def test_a_machine_without_digits_has_no_lengths():
    (row,) = summarise([record(0, task="m.yaml", rlg=None, longest=None, exact=True)])
    assert (row["exact"], row["RLG"], row["up to"]) == ("1 of 1", "–", "–")
    assert sentence(record(0, rlg=None)) == "add2-gru-seed-0: not exact, loss 5.0e-01, 2.0 s"
