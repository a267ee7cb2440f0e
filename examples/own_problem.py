"""A task of your own about words, without editing the package: how many a's there are, modulo 3.

    dfst learn examples/own_problem.py:thirds
    dfst evaluate RUN --against examples/own_problem.py:thirds --digits 100

The task says which inputs there are and what Python answers; the rule book is the agent that works the
examples. An agent with a task is a problem: inputs are drawn, models measured at any length and proved.
"""

from __future__ import annotations

from dfst import RuleBook
from dfst.tasks.words import word_task
from dfst.world.grid import BLANK, R

task = word_task(
    "thirds",
    "the number of a's, modulo 3",
    letters="ab",
    answer=lambda word: str(word.count("a") % 3),
    example="abba",
    others="012",
)

rules = RuleBook(task.alphabet)
for n in range(3):
    rules.on(str(n), "a", R, write=BLANK, to=str((n + 1) % 3))
    rules.on(str(n), "b", R, write=BLANK)
    rules.halt(str(n), BLANK, write=str(n))

thirds = rules.agent("thirds", task)
