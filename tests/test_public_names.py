"""What `import dfst` offers: these names, all of them there, found without importing torch."""

from __future__ import annotations

import subprocess
import sys

import pytest

import dfst

NAMES = [
    "Agent",
    "ControlUnit",
    "DfstError",
    "InputError",
    "Limits",
    "Problem",
    "RuleBook",
    "Run",
    "Trace",
    "Weights",
    "check_unit",
    "compile",
    "dataset",
    "evaluate",
    "expert",
    "extract",
    "learn",
    "load",
    "plot",
    "polish",
    "problem",
    "prove",
    "read",
    "recurrence",
    "teachability",
    "teacher",
]


def test_the_names_are_these():
    assert dfst.__all__ == NAMES
    assert [name for name in dir(dfst) if not name.startswith("__")] == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_every_name_is_there(name):
    found = getattr(dfst, name)
    assert found.__name__ == name
    assert found.__doc__


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'lern'"):
        _ = dfst.lern


def test_all_but_training_work_without_torch():
    code = (
        "import sys; sys.modules['torch'] = None\n"
        "import dfst\n"
        "model = dfst.compile(dfst.expert('add10'))\n"
        "print(model.run('999+1').answer, *(bool(getattr(dfst, name)) for name in dfst.__all__))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert done.stdout.split() == ["1000", *["True"] * len(NAMES)]
