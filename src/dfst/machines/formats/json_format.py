"""Our own JSON: everything an agent is, each rule on its row.

    {"format": "dfst-machine/1", "name": "…", "alphabet": ["0", "1", "λ"], "blank": "λ",
     "states": ["left", "right"], "ends": {"done": null, "no": false}, "stuck": "rejects",
     "start": "first", "task": null, "source": "", "inputs": [],
     "rules": [["left", "0", "1", "R", "right"], ["left", "λ", "1", "S", "done"], …]}

A rule is [state, read, write, motion, next state]. It halts where the next state is one of the ends, each
of which accepts (true), rejects (false) or does not say (null); where ends have no names, where it is null.
`stuck` says what it is to meet a missing rule: "rejects" or "error". The first state is where a run begins.
"""

import json
from dataclasses import replace
from typing import Any, cast, get_args

from dfst.errors import InputError
from dfst.machines.agent import HALT, Agent, check_start
from dfst.machines.ends import End
from dfst.machines.formats.draft import shown, table
from dfst.tasks.registry import find_task
from dfst.tasks.task import Layout
from dfst.world.grid import MOTIONS

VERSION = "dfst-machine/1"
STUCK = {True: "rejects", False: "error"}


def parse(text: str, name: str) -> Agent:
    machine = _load(text)
    if machine.get("format") != VERSION:
        raise InputError(f'expected "format": {shown(VERSION)}, found {shown(machine.get("format"))}')
    alphabet, states = (_names(machine, key) for key in ("alphabet", "states"))
    symbol_index = {s: i for i, s in enumerate(alphabet)}
    state_index = {s: i for i, s in enumerate(states)}
    blank = machine.get("blank")
    if not isinstance(blank, str) or blank not in symbol_index:
        raise InputError(f"expected a blank out of the alphabet, found {shown(blank)}")
    ends = _ends(machine)
    rules: dict[tuple[int, int], tuple[int, int, int]] = {}
    leads_to: dict[tuple[int, int], End] = {}
    for number, row in enumerate(_list(machine, "rules")):
        where, rule = _rule(number + 1, row, symbol_index, state_index, ends)
        if where in rules:
            q, k = where
            pair = f"state {shown(states[q])} reading {shown(alphabet[k])}"
            raise InputError(f"rule {number + 1}: a second one for {pair}; keep one")
        rules[where] = rule
        if ends and rule[2] == HALT:
            leads_to[where] = End(row[4], ends[row[4]])
    task = machine.get("task")
    if task is not None and (not isinstance(task, str) or find_task(task).alphabet != alphabet):
        raise InputError(f"expected a task whose alphabet is this machine's, found {shown(task)}")
    known = find_task(task) if task else None
    layout = machine.get("start", known.layout if known else "first")
    if not isinstance(layout, str) or layout not in get_args(Layout):
        raise InputError(f"expected start to be first, last or operator, found {shown(layout)}")
    if known and layout != known.layout:
        raise InputError(f"expected start to be {known.layout}, as {task} has it, found {shown(layout)}")
    inputs = _names(machine, "inputs") if "inputs" in machine else ()
    stuck = machine.get("stuck", STUCK[False])
    if stuck not in STUCK.values():
        raise InputError(f"expected stuck to be {' or '.join(STUCK.values())}, found {shown(stuck)}")
    called, rejects = str(machine.get("name", name)), stuck == STUCK[True]
    check_start(called, cast(Layout, layout), known)
    agent = table(
        called, alphabet, states, symbol_index[blank], rules, inputs, leads_to=leads_to,
        stuck_rejects=rejects,
    )  # fmt: skip
    source = str(machine.get("source", ""))
    return replace(agent, layout=cast(Layout, layout), source=source, task=known)


def _load(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(f"line {error.lineno}: not JSON: {error.msg}") from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"not JSON: {shown(error)}") from None
    if not isinstance(value, dict):
        raise InputError("expected an object with the keys format, alphabet, states and rules")
    return value


def _list(machine: dict[str, Any], key: str) -> list[Any]:
    value = machine.get(key)
    if not isinstance(value, list):
        raise InputError(f"expected a list of {key}, found {shown(value)}")
    return value


def _names(machine: dict[str, Any], key: str) -> tuple[str, ...]:
    names = _list(machine, key)
    other = next((n for n in names if not isinstance(n, str)), None)
    if other is not None:
        raise InputError(f"expected strings in {key}, found {shown(other)}")
    return tuple(names)


def _ends(machine: dict[str, Any]) -> dict[str, bool | None]:
    ends = machine.get("ends", {})
    meanings = (True, False, None)
    if not isinstance(ends, dict) or not all(any(m is v for m in meanings) for v in ends.values()):
        raise InputError(f"expected ends with true, false or null each, found {shown(ends)}")
    return ends


def _rule(
    number: int, row: object, symbols: dict[str, int], states: dict[str, int], ends: dict[str, bool | None],
) -> tuple[tuple[int, int], tuple[int, int, int]]:  # fmt: skip
    where = f"rule {number}"
    if not isinstance(row, list) or len(row) != 5 or not all(isinstance(v, str) for v in row[:4]):
        raise InputError(f"{where}: expected [state, read, write, motion, next state], found {shown(row)}")
    state, read, write, motion, following = row
    where += f", state {shown(state)} reading {shown(read)}"
    declared = ((state, states, "state"), (read, symbols, "symbol"), (write, symbols, "symbol"))
    for value, known, kind in declared:
        if value not in known:
            raise InputError(f"{where}: expected a declared {kind}, found {shown(value)}")
    if motion not in MOTIONS:
        raise InputError(f"{where}: expected a motion U, D, L, R or S, found {shown(motion)}")
    halts = following in ends if ends and isinstance(following, str) else not ends and following is None
    if not halts and (not isinstance(following, str) or following not in states):
        halting = "an end" if ends else "null to halt"
        raise InputError(f"{where}: expected a declared state or {halting}, found {shown(following)}")
    target = HALT if halts else states[following]
    return (states[state], symbols[read]), (symbols[write], MOTIONS.index(motion), target)


def write(agent: Agent) -> str:
    head = {
        "format": VERSION,
        "name": agent.name,
        "alphabet": agent.alphabet,
        "blank": agent.alphabet[agent.blank],
        "states": agent.states,
        **({"ends": {end.name: end.accepts for end in agent.ends}} if agent.ends else {}),
        **({"stuck": STUCK[True]} if agent.stuck_rejects else {}),
        "start": agent.layout,
        "task": agent.task.name if agent.task else None,
        "source": agent.source,
        "inputs": agent.sample_inputs,
    }
    fields = [f"  {_json(key)}: {_json(value)}" for key, value in head.items()]
    rules = [
        f"    {_json([r.state, r.symbol, r.write, r.motion, r.end if r.next is None else r.next])}"
        for r in agent.rules
    ]
    listed = "\n" + ",\n".join(rules) + "\n  " if rules else ""
    return "{\n" + ",\n".join([*fields, f'  "rules": [{listed}]']) + "\n}\n"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
