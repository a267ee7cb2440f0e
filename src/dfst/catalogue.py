"""Everything there is to run, with what is known about it."""

from __future__ import annotations

from dfst.agents.agent import Agent
from dfst.agents.registry import expert, expert_names
from dfst.counted import counted
from dfst.formats.published import PUBLISHED, published
from dfst.model.weights import Weights
from dfst.subjects import descent_models, shipped, shipped_models


def catalogue() -> list[dict[str, object]]:
    """A row for each subject: shipped models, what descent alone made, experts, published machines."""
    rows = []
    for name in shipped_models():
        model = shipped(name)
        rows.append(_row(name, "learnt model", model.shape.d, _does(model), model.training.get("measured")))
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


def _row(subject: str, kind: str, size: int, does: str, known: str | None) -> dict[str, object]:
    return {"subject": subject, "kind": kind, "size": size, "does": does, "known": known or ""}


def _does(unit: Agent | Weights) -> str:
    return unit.task.meaning if unit.task else ""
