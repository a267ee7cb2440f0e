"""The notebook view: what it carries, and what it says when its extra is missing."""

from __future__ import annotations

import importlib
import sys

import pytest

from dfst.errors import InputError, MissingExtra
from dfst.experts import expert
from dfst.viewer.payload import describe


def test_a_view_carries_the_run() -> None:
    pytest.importorskip("anywidget", reason="the extra `notebook` is not installed")
    from dfst.viewer.widget import View

    view = View(expert("add10"), "999+1", step=3)
    assert view.data == {"subject": describe(expert("add10")), "against": None, "input": "999+1"}
    assert view.step == 3
    assert "export default { render }" in view._esm
    with pytest.raises(InputError):
        View(expert("add10"), "12")


def test_a_missing_extra_says_which_line_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "anywidget", None)
    monkeypatch.delitem(sys.modules, "dfst.viewer.widget", raising=False)
    with pytest.raises(MissingExtra, match=r"pip install 'dfst\[notebook\]'"):
        importlib.import_module("dfst.viewer.widget")
