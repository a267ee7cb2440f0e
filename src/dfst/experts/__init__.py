"""Experts: grid agents built by hand, one for each task."""

from dfst.experts.registry import expert, expert_names

__all__ = ["expert", "expert_names"]
