"""Everything there is to run, with what is known about it."""

from __future__ import annotations

from collections.abc import Iterable

from dfst.agents.agent import Agent
from dfst.agents.registry import expert, expert_names
from dfst.counted import counted
from dfst.formats.published import PUBLISHED, published
from dfst.model.weights import Weights
from dfst.subjects import descent_models, shipped, shipped_card, shipped_models

CONDITION = "as long as the expert has a rule"
"""Stands behind "proved" where patterns do not exclude that the expert lacks one (docs/proof.md)."""
ON_A_CARD = "as long as that has a rule"
"""The same as the checker says it, and a model's card quotes."""
MARK = "*"
"""Stands for the condition in a table, so that a row stays in its line."""


def catalogue() -> list[dict[str, object]]:
    """A row for each subject: shipped models, what descent alone made, experts, published machines."""
    rows = []
    for name in shipped_models():
        model = shipped(name)
        known = model.training["measured"] + _condition(name)
        rows.append(_row(name, "learnt model", model.shape.d, _does(model), known))
    for name in descent_models():
        model = shipped(name)
        told = model.training
        recipe = f"{told['recipe']}, {counted(int(told['iterations']), 'step')}"
        rows.append(_row(name, "descent alone", model.shape.d, recipe, told.get("measured")))
    for name in expert_names():
        agent = expert(name)
        known = counted(agent.rule_count, "rule")
        rows.append(_row(f"expert:{name}", "expert", len(agent.states), _does(agent), known))
    for name, entry in PUBLISHED.items():
        size = len(published(name).states)
        rows.append(_row(name, "published machine", size, entry.source, entry.result))
    return rows


def for_every_length(name: str) -> str:
    """What is known of a shipped model on all inputs: the strength, with the condition where there is one."""
    return shipped(name).training["strength"] + _condition(name)


def marked(known: str) -> str:
    """The same for a cell of a table with a `note`."""
    return known.replace(f" {CONDITION}", MARK)


def note(cells: Iterable[str]) -> str:
    """What stands below a table with these cells: what the mark means, if there is one."""
    return f"{MARK} {CONDITION} (docs/proof.md)" if any(cell.endswith(MARK) for cell in cells) else ""


def _condition(name: str) -> str:
    return f" {CONDITION}" if ON_A_CARD in shipped_card(name) else ""


def _row(subject: str, kind: str, size: int, does: str, known: str | None) -> dict[str, object]:
    return {"subject": subject, "kind": kind, "size": size, "does": does, "known": known or ""}


def _does(unit: Agent | Weights) -> str:
    return unit.task.meaning if unit.task else ""
