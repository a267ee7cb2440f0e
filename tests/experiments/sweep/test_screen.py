"""What people see of a sweep: the picture while it runs, plain lines without a terminal, the final table."""

from __future__ import annotations

import io

from rich.console import Console

from dfst.experiments.sweep.engine import Advanced, Died
from dfst.experiments.sweep.progress import RichWatcher
from dfst.experiments.sweep.summary import Row, summarise, summary_table


def record(seed: int, **more: object) -> dict:
    usual = {
        "trial": f"add2-gru-seed-{seed}", "task": "add2", "learner": "gru", "recipe": "", "seed": seed,
        "status": "done", "exact": False, "strength": "refuted", "rlg": seed, "loss": 0.5, "seconds": 2.0,
    }  # fmt: skip
    return {**usual, **more}


FAILED = {
    "trial": "add2-gru-seed-9", "task": "add2", "learner": "gru", "recipe": "", "seed": 9,
    "status": "failed", "error": "it diverged",
}  # fmt: skip


def watched(terminal: bool) -> str:
    screen = Console(file=io.StringIO(), force_terminal=terminal, width=100, color_system=None)
    watcher = RichWatcher(screen)
    watcher.begin(total=5, done=1)
    for seed in range(3):
        watcher.started(f"add2-gru-seed-{seed}", attempt=1)
    watcher.advanced(Advanced("add2-gru-seed-0", 1500, 3000, 0.25))
    watcher.advanced(Advanced("add2-gru-seed-1", 3000, 3000, 0.25, "proving …"))
    watcher.advanced(Advanced("somebody else", 1, 2, None))
    watcher.idle()
    if terminal:
        screen.print(watcher.picture())
    watcher.retried(Died("add2-gru-seed-2", "its process was ended by SIGKILL"), left=1)
    watcher.finished(record(0, exact=True, strength="proved", rlg=1000))
    watcher.finished(FAILED)
    watcher.close()
    return screen.file.getvalue()


SAID = """\
· 5 trials, 1 of them over before
· add2-gru-seed-2: its process was ended by SIGKILL; it goes on from its last checkpoint, at most 1 time more
· [2/5] add2-gru-seed-0: proved, RLG 1,000, loss 5.0e-01, 2.0 s of training
· [3/5] add2-gru-seed-9: failed: it diverged
"""


def test_without_a_terminal_a_line_for_what_happens():
    assert watched(terminal=False) == SAID


def test_without_a_terminal_a_line_now_and_then(monkeypatch):
    monkeypatch.setattr("dfst.experiments.sweep.progress.PLAIN_SECONDS", -1.0)
    said = watched(terminal=False)
    assert "1 of 5 over, 3 running, 00:00:00: add2-gru-seed-0 1,500/3,000" in said


def test_on_a_terminal_the_running_trials_are_drawn():
    drawn = watched(terminal=True)
    for words in (*SAID.splitlines(), "step 1,500  loss 2.5e-01", "proving …", "starting or queued"):
        assert words in drawn
    assert "3 of 5 over, 1 failed, 1 running" in drawn
    assert "somebody else" not in drawn


def test_seeds_become_rows():
    records = [record(seed) for seed in (4, 1, 2)] + [FAILED, record(0, learner="dfst", recipe="quick")]
    dfst, gru = summarise(records)
    assert (dfst.learner, dfst.recipe, dfst.rlg) == ("dfst", "quick", (0, 0, 0))
    assert gru == Row("add2", "gru", "", 4, 1, 0, 0, (1, 2, 4), 0.5, 2.0)


def test_the_table_shows_the_median_and_the_range():
    screen = Console(file=io.StringIO(), width=80)
    screen.print(summary_table([record(seed) for seed in (1, 2, 4)]))
    screen.print(summary_table([FAILED]))
    shown = screen.file.getvalue()
    whole, none = shown.split("medians over seeds")[:2]
    assert "0 of 3" in whole
    assert "2 (1–4)" in whole
    assert "failed" not in whole
    assert "failed" in none
