"""Names people type for agents: `expert("add10")`, a published machine, one in a file or in one line."""

from collections.abc import Callable, Mapping
from functools import lru_cache
from os.path import isdir, isfile
from pathlib import Path
from typing import Any

from dfst.errors import InputError, UnknownName
from dfst.experts import arithmetic, division, euclid, plane, regular, root, strings
from dfst.machines.agent import Agent
from dfst.machines.rulebook import RuleBook
from dfst.plugins import is_python_file
from dfst.tasks.numbers import FAMILIES, NumberTask
from dfst.tasks.registry import NAMED, find_task, is_task
from dfst.tasks.word_tasks import GROUPS

Builder = Callable[[RuleBook, Any], None]  # writes the rules for a task down
BUILDERS: Mapping[str, Builder] = {
    name: getattr(module, name)
    for module, names in (
        (arithmetic, "add mult sub compare increment sort"),
        (division, "div mod"),
        (euclid, "gcd"),
        (root, "sqrt"),
        (regular, "modular"),
        (strings, "reverse duplicate odds_first modular_brackets solve"),
        (plane, "life"),
    )
    for name in names.split()
} | {
    "sum": arithmetic.total,
    **dict.fromkeys(GROUPS, regular.arrange),
    **dict.fromkeys(("longmult2", "longmult10"), plane.longmult),
}
TABLES = Path(__file__).with_name("tables")  # NAME.txt: an expert that no builder has to make
LISTED_RADICES = (2, 10)  # the radices that listings show; every radix from 2 to 36 can be asked for


@lru_cache(maxsize=64)
def expert(name: str) -> Agent:
    """The hand-built agent for a task, numbers at any radix: `expert("add10")`, `expert("parity")`."""
    task = find_task(name)
    rules = RuleBook(task.alphabet)
    built = BUILDERS.get(task.family.name if isinstance(task, NumberTask) else name)
    if built is None:
        rules.rows(_table(name))
    else:
        built(rules, task)
    return rules.agent(task.name, task)


def _table(name: str) -> str:
    """A table as `RuleBook.rows` reads it. In its file # begins a comment, and NAME := SYMBOLS says what
    {NAME} stands for."""
    lines = (TABLES / f"{name}.txt").read_text("utf-8").splitlines()
    told = [line for line in lines if not line.startswith("#")]
    named = dict(line.split(" := ") for line in told if " := " in line)
    return "\n".join(line for line in told if " := " not in line).format_map(named)


def expert_names() -> list[str]:
    """The experts that listings show."""
    return [*(f"{family}{radix}" for family in FAMILIES for radix in LISTED_RADICES), *NAMED]


def is_expert(agent: Agent) -> bool:
    """Whether it is our own agent of its task; a task of a user's own has another."""
    task = agent.task
    return task is not None and is_task(task.name) and agent.same_table(expert(task.name))


def find_agent(text: str) -> Agent:
    """The grid agent that `text` names: an expert, a published machine or a machine file."""
    return expert(text) if is_task(text) else find_machine(text, "task", expert_names())


def find_machine(text: str, kind: str, names: list[str]) -> Agent:
    """The published machine, or the one in a file or in the text itself; `names`: what else there is."""
    # Loaded when asked for: most names are no foreign machines.
    from dfst.machines.formats import looks_like_machine, parse_machine, read_machine
    from dfst.machines.formats.published import PUBLISHED, published

    if text in PUBLISHED:
        return published(text)
    if is_python_file(text):
        raise InputError(
            f"{text} is in a Python file, which this does not run; first write it as a machine: "
            f"dfst extract {text} -o machine.json"
        )
    if isfile(text):
        return read_machine(text)
    if looks_like_machine(text):
        return parse_machine(text)
    if isdir(text):
        raise InputError(
            f"{text} is a folder, expected a task or a machine; a run goes on with dfst learn --resume {text}"
        )
    if Path(text).suffix:
        raise InputError(f"cannot read {text}: no such file; give a machine file, a weights file or a name")
    if is_task(text):
        find_task(text)
        raise InputError(f"no learnt {text} is shipped; use expert:{text}, or learn it: dfst learn {text}")
    raise UnknownName(kind, text, [*names, *PUBLISHED], listed="dfst list")
