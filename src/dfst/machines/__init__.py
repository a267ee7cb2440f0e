"""Machines: tables of rules, agents that work with them, rule books, and files in the formats of others."""

from dfst.machines.agent import HALT, MISSING, Agent, Rule
from dfst.machines.rulebook import RuleBook

__all__ = ["HALT", "MISSING", "Agent", "Rule", "RuleBook"]
