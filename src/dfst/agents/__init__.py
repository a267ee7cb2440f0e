"""Grid agents: the table type, the experts, and how they run."""

from dfst.agents.agent import HALT, MISSING, Agent, Rule
from dfst.agents.registry import expert, expert_names
from dfst.agents.rulebook import RuleBook
from dfst.agents.task import Task, find_task

__all__ = ["HALT", "MISSING", "Agent", "Rule", "RuleBook", "Task", "expert", "expert_names", "find_task"]
