"""Everything there is to run, with what is known about it."""

from collections.abc import Iterable

from dfst.counted import counted
from dfst.experts.registry import expert, expert_names
from dfst.machines.agent import Agent
from dfst.machines.formats.published import PUBLISHED, published
from dfst.model.weights import Weights
from dfst.subjects import descent_models, shipped, shipped_models

CONDITIONAL = "conditional"
"""What is said of a shipped model on all inputs where it is not excluded that its expert lacks a rule."""


def catalogue() -> list[dict[str, object]]:
    """A row for each subject: shipped models, what descent alone made, experts, published machines."""
    rows = []
    for name in shipped_models():
        model = shipped(name)
        rows.append(_row(name, "learnt model", model.shape.d, _does(model), model.provenance.measured))
    for name in descent_models():
        model = shipped(name)
        told = model.provenance
        recipe = f"{told.recipe}, {counted(told.iterations or 0, 'step')}"
        rows.append(_row(name, "descent alone", model.shape.d, recipe, told.measured))
    for name in expert_names():
        agent = expert(name)
        known = counted(agent.rule_count, "rule")
        rows.append(_row(f"expert:{name}", "expert", len(agent.states), _does(agent), known))
    for name, entry in PUBLISHED.items():
        size = len(published(name).states)
        rows.append(_row(name, "published machine", size, entry.source, entry.result))
    return rows


def note(cells: Iterable[str]) -> str:
    """What stands below a table with these cells: what `conditional` means, if one says so."""
    told = f"{CONDITIONAL}: as long as the expert has a rule (docs/concepts/proof.md)"
    return told if any(CONDITIONAL in cell for cell in cells) else ""


def _row(subject: str, kind: str, size: int, does: str, known: str | None) -> dict[str, object]:
    return {"subject": subject, "kind": kind, "size": size, "does": does, "known": known or ""}


def _does(unit: Agent | Weights) -> str:
    return unit.task.meaning if unit.task else ""
