"""What the page says of a subject that was given to it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dfst.subjects import shipped
from dfst.viewer.offered import Offered, describe_offered


@pytest.mark.parametrize("name", ["add2", "a5"])
def test_a_shipped_model_has_its_claim(name: str) -> None:
    assert "on every input of any length" in describe_offered(name, Offered().find(name))["claim"]
    same = Offered({name: shipped(name)})
    assert "claim" in describe_offered(name, same.find(name))


def test_another_model_of_that_name_has_none() -> None:
    """It may say of itself that it is proved."""
    ours = shipped("add2")
    assert ours.provenance.strength == "proved"
    other = replace(ours, B=-ours.B)
    assert "claim" not in describe_offered("add2", Offered({"add2": other}).find("add2"))
    assert "claim" not in describe_offered("add2", Offered({"add2": shipped("add10")}).find("add2"))
