"""Signals strike between two states; a command takes SIGTERM and SIGHUP for Ctrl-C, a second one ends it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from dfst.train.interrupts import SIGNALS, interrupts_held

COMMAND = """
import os, signal, sys, time
from dfst.train import interrupts
interrupts.obey_signals()
def send(number): os.kill(os.getpid(), number)
try:
    with interrupts.interrupts_held(), interrupts.interrupts_held():
        send({first})
        print("saving", flush=True)
        {inside}
    print("not interrupted")
except KeyboardInterrupt:
    {after}
    print("interrupted", 128 + interrupts.ignore_signals())
"""


def command(first: int, inside: str = "", after: str = "", prefix: tuple[str, ...] = ()) -> tuple[int, str]:
    text = COMMAND.format(first=int(first), inside=inside or "pass", after=after or "pass")
    done = subprocess.run([*prefix, sys.executable, "-c", text], capture_output=True, text=True, timeout=60)
    assert "Traceback" not in done.stderr
    return done.returncode, done.stdout


@pytest.mark.parametrize("number", SIGNALS)
def test_each_of_them_takes_effect_at_the_end_of_what_must_not_be_cut(number):
    assert command(number) == (0, f"saving\ninterrupted {128 + number}\n")


@pytest.mark.parametrize("where", ["inside", "after"])
def test_a_second_one_ends_it_at_once_whatever_it_is_doing(where):
    second = {where: f"send({int(signal.SIGHUP)}); time.sleep(30)"}
    assert command(signal.SIGTERM, **second) == (128 + signal.SIGHUP, "saving\n")


def test_what_nohup_ignores_stays_ignored():
    ignoring = ("sh", "-c", "trap '' HUP; exec \"$@\"", "sh")
    assert command(signal.SIGHUP, prefix=ignoring) == (0, "saving\nnot interrupted\n")


def test_in_a_program_of_somebody_else_only_their_own_handlers_are_called():
    def press_twice():
        with interrupts_held():
            for _ in range(2):
                os.kill(os.getpid(), signal.SIGINT)

    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(KeyboardInterrupt):
        press_twice()
    assert signal.getsignal(signal.SIGTERM) == before


FIRST_INSTANT = """
import os, signal, sys
class Press:
    def find_spec(self, name, path, target=None):
        if name == "{module}":
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Press())
from dfst.cli import main
main(["run", "add2", "1+1"])
"""


@pytest.mark.parametrize("module", ["dfst.cli.commands", "numpy", "dfst.cli.parse"])
def test_ctrl_c_while_modules_are_loaded_is_one_line(module):
    """Before the first of these there is next to nothing but Python itself."""
    words = [sys.executable, "-c", FIRST_INSTANT.format(module=module)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (130, "dfst: stopped\n")
