"""Tasks: what is to be computed, stated without any machine that computes it."""

from dfst.tasks.registry import find_task, is_task
from dfst.tasks.task import Layout, Task

__all__ = ["Layout", "Task", "find_task", "is_task"]
