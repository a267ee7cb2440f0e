"""The terminal view: the same steps, lines without a terminal, a picture with one."""

from __future__ import annotations

import io
import os
import pty
import select
import subprocess
import sys
import time

import numpy as np
import pytest
from rich.console import Console
from viewer_subjects import dense, langton

from dfst.errors import InputError, MissingRule
from dfst.experts import expert
from dfst.machines import RuleBook
from dfst.model import compile_agent
from dfst.viewer import terminal
from dfst.viewer.terminal import (
    CHANGED,
    HEAD,
    SHADES,
    STONE,
    WatchedLoop,
    board_text,
    hidden_bars,
    picture,
    watch,
)
from dfst.world.grid import Limits, R


def quiet() -> Console:
    return Console(file=io.StringIO(), width=100)


def said(console: Console) -> str:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


SUBJECTS = {
    "add10": (expert("add10"), "967+58", 1_000),
    "sort10": (expert("sort10"), "31415", 1_000),
    "langton": (langton(), "", 300),
    "model, float32": (dense(compile_agent(expert("add10")), 1), "967+58", 1_000),
    "model, float64": (dense(compile_agent(expert("mult2"), dtype=np.float64), 2), "11×101", 1_000),
}


@pytest.mark.parametrize("name", SUBJECTS)
def test_a_loop_takes_the_steps_of_the_trace(name: str) -> None:
    subject, text, steps = SUBJECTS[name]
    limits = Limits(steps=steps)
    trace = subject.trace(text, limits)
    loop, actions = WatchedLoop(subject, text, limits), []
    while loop.advance() is not None:
        assert loop.last is not None
        actions.append((loop.last.read, loop.last.written, loop.last.motion))
    assert actions == list(zip(trace.x.tolist(), trace.s.tolist(), trace.m.tolist(), strict=True))
    run = subject.run(text, limits)
    assert (loop.halted, loop.cell, list(loop.grid.nonblank())) == (run.halted, run.head, run.cells)


@pytest.mark.parametrize("name", SUBJECTS)
def test_watching_gives_the_outcome_of_running(name: str) -> None:
    subject, text, steps = SUBJECTS[name]
    limits = Limits(steps=steps)
    seen = watch(subject, text, limits, console=quiet())
    run = subject.run(text, limits)
    assert (seen.answer, seen.steps, seen.halted) == (run.answer, run.steps, run.halted)


def test_without_a_terminal_there_is_one_plain_line_a_step() -> None:
    console = quiet()
    watch(expert("add10"), "9+1", console=console)
    heading, *lines = said(console).splitlines()
    assert heading.split() == ["step", "read", "written", "motion"]
    assert len(lines) == expert("add10").run("9+1").steps
    assert lines[0].split() == ["0", "+", "+", "L"]
    assert "\x1b" not in said(console)


def test_a_long_run_says_that_the_rest_is_not_shown(monkeypatch) -> None:
    monkeypatch.setattr(terminal, "MOST_LINES", 20)
    console = quiet()
    watch(langton(), "", Limits(steps=500), console=console)
    lines = said(console).splitlines()
    assert len(lines) == 22
    assert "the rest is not shown" in lines[-1]


def test_the_board_shows_the_grid_and_the_head() -> None:
    loop = WatchedLoop(expert("add10"), "12+34")
    plain = board_text(loop, [], 60).plain.splitlines()
    assert [row.replace(" ", "") for row in plain if row.strip()] == ["12+34"]
    spans = [span for span in board_text(loop, [], 60).spans if span.style == HEAD]
    assert len(spans) == 1
    assert board_text(loop, [], 60).plain[spans[0].start] == "+"


def test_a_board_has_walls_shades_where_it_was_visited_and_in_the_end_what_changed() -> None:
    loop = WatchedLoop(expert("maze"), "S.#/#../..G")
    loop.finish()
    text = board_text(loop, [], 60)
    assert [row.replace(" ", "") for row in text.plain.splitlines() if row.strip()] == ["So██", "██o.", ".oG"]
    styles = [str(span.style) for span in text.spans]
    assert styles.count(CHANGED) == 3
    assert styles.count(STONE) == 2
    assert len({*styles} & {*SHADES}) > 1


def test_a_run_on_a_board_is_to_last_ten_seconds(monkeypatch) -> None:
    asked: list[float] = []
    monkeypatch.setattr(terminal, "_watch_live", lambda loop, speed, console: bool(asked.append(speed)))
    agent, console = expert("maze"), Console(file=io.StringIO(), force_terminal=True)
    watch(agent, "S.#/#../..G", console=console)
    watch(expert("add10"), "1+1", console=console)
    watch(agent, "S.G", speed=3, console=console)
    assert asked == [agent.run("S.#/#../..G").steps / 10, 8, 3]


def test_the_view_never_shrinks_while_everything_fits() -> None:
    loop, sizes = WatchedLoop(expert("add10"), "967+58"), []
    while loop.advance():
        rows = board_text(loop, [], 80).plain.splitlines()
        sizes.append(len(rows))
    assert sizes == sorted(sizes)


@pytest.mark.parametrize("columns", [8, 20, 41])
def test_a_wide_grid_is_shown_around_the_head(columns: int) -> None:
    loop = WatchedLoop(expert("add10"), "1" * 200 + "+" + "2" * 200)
    rows = board_text(loop, [], columns).plain.splitlines()
    assert any("+" in row for row in rows)
    assert all(len(row) <= max(8, columns) for row in rows)


def test_a_picture_of_a_model_has_bars_for_its_hidden_state() -> None:
    loop = WatchedLoop(dense(compile_agent(expert("add2")), 0), "1+1")
    loop.advance()
    assert len(hidden_bars(loop, 80)) == 12
    console = quiet()
    console.print(picture(loop, [], (80, 24), 8, paused=True))
    assert "paused" in said(console)
    assert "margins" in said(console)


@pytest.mark.parametrize("size", [(80, 24), (60, 12), (132, 50)])
@pytest.mark.parametrize("subject", [langton(), compile_agent(expert("add2"))], ids=["langton", "model"])
def test_status_and_keys_are_never_below_the_last_line(subject, size: tuple[int, int]) -> None:
    """Of a picture that is too high, a terminal shows the top only."""
    loop = WatchedLoop(subject, "" if subject.task is None else "101+11")
    for _ in range(3_000 if subject.task is None else 40):
        loop.advance()
    console = Console(file=io.StringIO(), width=size[0])
    console.print(picture(loop, [], size, 8, paused=False))
    lines = said(console).splitlines()
    assert len(lines) < size[1]
    assert lines[-1].startswith("8 steps/s   space pause")
    assert lines[-2].startswith("step ")


def test_bad_input_is_refused_before_anything_is_drawn() -> None:
    console = quiet()
    with pytest.raises(InputError):
        watch(expert("add10"), "12", console=console)
    assert said(console) == ""


def test_a_missing_rule_is_told_as_by_a_run() -> None:
    rules = RuleBook(("0", "1"), blank="0")
    rules.on("go", "0", R)
    agent = rules.agent("half")
    with pytest.raises(MissingRule, match="state 'go' reading '1'"):
        watch(agent, "001", console=quiet())


SCRIPT = """
from dfst.experts import expert
from dfst.viewer.terminal import watch
run = watch(expert("add10"), "58+967", speed={speed})
print("ANSWER", run.answer, flush=True)
"""


@pytest.mark.parametrize(("speed", "keys"), [(32_768, b""), (1, b" q"), (1, b"+++q")])
def test_in_a_terminal_keys_work_and_the_answer_comes_alone(speed: int, keys: bytes) -> None:
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT.format(speed=speed)],
        stdin=theirs, stderr=theirs, stdout=subprocess.PIPE, env={**os.environ, "TERM": "xterm-256color"},
    )  # fmt: skip
    os.close(theirs)
    drawn, sent, until = b"", False, time.monotonic() + 60
    while process.poll() is None and time.monotonic() < until:
        if select.select([ours], [], [], 0.1)[0]:
            try:
                drawn += os.read(ours, 65_536)
            except OSError:
                break
        if keys and not sent and b"ready" in drawn:
            for key in keys:
                os.write(ours, bytes([key]))
                time.sleep(0.15)
            sent = True
    answer = process.communicate(timeout=30)[0]
    os.close(ours)
    assert answer == b"ANSWER 1025\n"
    assert b"add10" in drawn
    assert b"\x1b[" in drawn
