"""Every task by its name."""

import copyreg
import re
from typing import Any

from dfst.errors import InputError, UnknownName
from dfst.tasks.numbers import FAMILIES, MAX_RADIX, MIN_RADIX, NumberTask, number_task
from dfst.tasks.plane import PlaneTask
from dfst.tasks.plane_tasks import PLANE_TASKS
from dfst.tasks.task import Task
from dfst.tasks.word_tasks import WORD_TASKS
from dfst.tasks.words import WordTask

NAMED: dict[str, Task] = {**WORD_TASKS, **PLANE_TASKS}  # tasks without a radix


def is_task(name: str) -> bool:
    """Whether the name is that of a task, perhaps at a radix that there is not."""
    return name in NAMED or (name.rstrip("0123456789") in FAMILIES and name[-1:].isdigit())


def find_task(name: str) -> Task:
    """The task called `name`, such as `add10`."""
    if name in NAMED:
        return NAMED[name]
    match = re.fullmatch(r"([a-z]+)(\d+)", name)
    # Python refuses to read numbers of thousands of digits; all of more than a few are out of range alike.
    family, radix = (match[1], int(match[2][:9])) if match else (name, 0)
    if family not in FAMILIES or match is None:
        raise UnknownName(
            "task",
            name,
            [*(f"{f}{r}" for f in FAMILIES for r in (2, 10)), *NAMED],
            "(any radix from 2 to 36)",
            listed="dfst list",
        )
    if not MIN_RADIX <= radix <= MAX_RADIX:
        raise InputError(
            f"task {name[:24]}: the radix must be {MIN_RADIX} to {MAX_RADIX}, found {radix}; try {family}10"
        )
    return number_task(FAMILIES[family], radix)


def _by_name(task: Task) -> Any:
    """How a task is sent to another process: what it answers is code, which is there as well."""
    known = is_task(task.name) and find_task(task.name) == task
    return (find_task, (task.name,)) if known else object.__reduce_ex__(task, 2)


for _kind in (NumberTask, WordTask, PlaneTask):
    copyreg.pickle(_kind, _by_name)
