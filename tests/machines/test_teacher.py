"""Functions with a pen: what an onlooker sees of them, and what is said of those that go wrong."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

import dfst
from dfst.machines import teacher as module
from dfst.machines.teacher import MOST_READS, Stalled, Watchdog
from dfst.plugins import is_python_file
from dfst.subjects import resolve, resolve_typed
from dfst.viewer.offered import Offered
from dfst.world.unit import ControlUnit

DOUBLE = """
import dfst

@dfst.teacher("01", blank=" ")
def double(pen):
    while pen.read() != " ":
        pen.move("R")
    pen.write("0")

def plain(pen):
    pen.move("R")
"""


@dfst.teacher("01", blank=" ")
def increment(pen):
    while pen.read() != " ":
        pen.move("R")
    pen.move("L")
    while pen.read() == "1":
        pen.write("0")
        pen.move("L")
    pen.write("1")


@dfst.teacher(["aa", "b"], blank="_", start="last")
def around(pen):
    """Once around the cell above, in the plane."""
    pen.write("b" if pen.read() == "aa" else "_")
    for motion in "ULDN":
        pen.move(motion)


def test_a_step_is_read_write_move():
    assert [line.split() for line in increment.trace("01").lines()] == [
        ["step", "read", "written", "motion"],
        ["0", "0", "0", "R"],
        ["1", "1", "1", "R"],
        ["2", "λ", "λ", "L"],
        ["3", "1", "0", "L"],
        ["4", "0", "1", "S"],
    ]
    assert increment.run("1011").answer == "1100"


def test_longer_names_the_plane_and_the_last_cell():
    trace = around.trace("b aa")
    assert [trace.alphabet[s] for s in trace.s] == ["b", "λ", "λ", "b", "b"]
    assert around.run("b aa").head == (-1, 0)


def test_it_is_a_control_unit_like_any_other():
    assert isinstance(increment, ControlUnit)
    dfst.check_unit(increment, ["0", "1", "1011", "111"])
    dfst.check_unit(around, ["aa", "b"])


def test_a_function_that_goes_on_runs_out_of_steps():
    @dfst.teacher("1")
    def endless(pen):
        while True:
            try:
                pen.move("R")
            except Exception:  # not even this holds it up
                continue

    run = endless.run("", dfst.Limits(steps=7))
    assert (run.halted, run.steps) == (False, 7)


def test_a_function_that_catches_the_end_once_is_left():
    @dfst.teacher("1")
    def returning(pen):
        try:
            while True:
                pen.move("R")
        except BaseException:
            return

    run = returning.run("", dfst.Limits(steps=7))
    assert (run.halted, run.steps) == (False, 7)


def twice(pen):
    pen.write("0")
    pen.write("1")


def outside(pen):
    pen.move("R")
    pen.write("2")


def sideways(pen):
    pen.move("left")


def waiting(pen):
    while pen.read() == "1":
        pass


def broken(pen):
    return 1 // 0


def leaving(pen):
    sys.exit(0)


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (twice, "twice wrote '0' and then '1' without a move between; move after a write (on '1', step 0)"),
        (outside, "outside wrote '2', expected one of 0 1 or the blank ' ' (on '1', step 1)"),
        (
            sideways,
            "sideways moved 'left', expected U, D, L, R, or N to stay; to halt, return (on '1', step 0)",
        ),
        (
            waiting,
            f"waiting read the same cell {MOST_READS:,} times without a move; move, or return to halt "
            "(on '1', step 0)",
        ),
        (
            broken,
            "broken failed on '1', step 0: ZeroDivisionError: integer division or modulo by zero; "
            "fix the function",
        ),
        (leaving, "leaving ended the program on '1', step 0; to halt, return"),
    ],
)
def test_what_goes_wrong_is_one_line(function, said):
    with pytest.raises(dfst.InputError) as error:
        dfst.teacher("01")(function).run("1")
    assert str(error.value) == said


def test_a_function_that_a_call_does_not_run_is_no_teacher():
    """It would be taken for one that halts at once."""

    def lazy(pen):
        yield pen.read()

    async def later(pen):
        pen.read()

    for function in (lazy, later):
        with pytest.raises(dfst.InputError, match=f"{function.__name__} has yield or async, so a call does"):
            dfst.teacher("01")(function)


def test_so_has_one_that_returns_a_generator():
    """Found when it is called; it had been learnt as one that halts at once, exit status 0."""

    @dfst.teacher("01")
    def lazy(pen):
        return (pen.move("R") for _ in range(3))

    with pytest.raises(
        dfst.InputError, match="lazy returned what yield or async made, which has not run; make it"
    ):
        lazy.run("01")


@pytest.mark.parametrize("symbols", ["", "00", [" "], ["a b"], "λ", [1]])
def test_symbols_that_cannot_be(symbols):
    with pytest.raises(dfst.InputError):
        dfst.teacher(symbols)
    with pytest.raises(dfst.InputError, match="first or the last"):
        dfst.teacher("01", start="operator")


@pytest.mark.parametrize("blank", ["xx", "", None])
def test_a_blank_that_cannot_be(blank):
    with pytest.raises(dfst.InputError, match="must be a text, no longer than its longest symbol, found"):
        dfst.teacher("ab", blank=blank)
    assert dfst.teacher(["aa", "b"], blank="__")(lambda pen: None).space == "__"


def test_files(tmp_path: Path):
    file = tmp_path / "mine.py"
    file.write_text(DOUBLE, "utf-8")
    assert resolve_typed(f"{file}:double").run("11").answer == "110"
    assert resolve_typed(str(file)).name == "double"
    (tmp_path / "empty.py").write_text("x = 1\n", "utf-8")
    (tmp_path / "torn.py").write_text("def\n", "utf-8")
    (tmp_path / "odd.py").write_text("import dfst\n@dfst.teacher('00')\ndef f(pen): pass\n", "utf-8")
    (tmp_path / "over.py").write_text("raise SystemExit\n", "utf-8")
    for name, said in {
        f"{file}:plain": r"plain is no problem; put @dfst.teacher\('01'\) above a function",
        f"{file}:dubble": "mine.py: unknown problem 'dubble': did you mean double?",
        f"{tmp_path}/none.py:double": "cannot read .*none.py: no such file; give FILE.py:NAME",
        f"{tmp_path}/empty.py": "empty.py has no problem",
        f"{tmp_path}/torn.py:double": "torn.py cannot be run: SyntaxError",
        f"{tmp_path}/odd.py": "odd.py: a teacher needs 1 to 254 different symbols, found '00'$",
        f"{tmp_path}/over.py": "over.py ended the program; put what is not for dfst under if __name__",
    }.items():
        with pytest.raises(dfst.InputError, match=said):
            resolve_typed(name)


def test_nobody_but_the_person_who_typed_it_runs_a_file(tmp_path: Path, monkeypatch):
    file = tmp_path / "mine.py"
    file.write_text("raise KeyboardInterrupt('was run')\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    for name in ("mine.py", "mine.py:double", "./mine.py:double"):
        assert is_python_file(name)
        with pytest.raises(dfst.InputError):
            Offered().find(name)
        with pytest.raises(dfst.InputError):
            resolve(name)


def test_a_function_that_does_nothing_for_ever_is_left(monkeypatch):
    monkeypatch.setattr(module, "_WATCHDOG", Watchdog(0.2))

    @dfst.teacher("1")
    def stalled(pen):
        pen.move("R")
        while True:
            pass

    for _ in range(2):
        with pytest.raises(dfst.InputError, match=r"stalled did not move for 20 s on '', step 1; fix"):
            stalled.run("")


def test_a_function_cannot_end_the_program():
    @dfst.teacher("1")
    def leaving(pen):
        sys.exit(0)

    with pytest.raises(dfst.InputError, match="leaving ended the program on '', step 0; to halt, return"):
        leaving.run("")


def test_a_function_may_raise_whatever_it_likes():
    @dfst.teacher("1")
    def raising(pen):
        raise BaseException("no")

    with pytest.raises(dfst.InputError, match="raising failed on '', step 0: BaseException: no"):
        raising.run("")


def test_a_watchdog_that_is_not_needed_stays_silent():
    dog = Watchdog(0.05)
    for _ in range(200):
        with dog:
            dog.alive()
    time.sleep(0.1)
    with pytest.raises(Stalled), dog:
        _for_ever()


def _for_ever():
    while True:
        time.sleep(0.001)
