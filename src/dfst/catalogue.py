"""Everything there is to run, with what is known about it."""

from __future__ import annotations

from dfst.agents.registry import expert, expert_names
from dfst.formats.published import PUBLISHED, published
from dfst.subjects import shipped, shipped_models


def catalogue() -> list[dict[str, object]]:
    """One row a subject: shipped models, experts, published machines."""
    rows: list[dict[str, object]] = []
    for name in shipped_models():
        weights = shipped(name)
        meaning = weights.task.family.meaning if weights.task else ""
        rows.append(
            {
                "subject": name,
                "kind": "learnt model",
                "size": weights.shape.d,
                "does": meaning,
                "known": weights.training.get("measured", ""),
            }
        )
    for name in expert_names():
        agent = expert(name)
        meaning = agent.task.family.meaning if agent.task else ""
        rows.append(
            {
                "subject": f"expert:{name}",
                "kind": "expert",
                "size": len(agent.states),
                "does": meaning,
                "known": f"{agent.rule_count} rules; any radix 2 to 36",
            }
        )
    for name, entry in PUBLISHED.items():
        agent = published(name)
        rows.append(
            {
                "subject": name,
                "kind": "published machine",
                "size": len(agent.states),
                "does": entry.source,
                "known": entry.result,
            }
        )
    return rows
