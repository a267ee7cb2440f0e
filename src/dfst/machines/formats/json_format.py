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
from typing import Any, get_args

from dfst.errors import InputError
from dfst.machines.agent import HALT, Agent, check_start
from dfst.machines.ends import End
from dfst.machines.formats.draft import expect, shown, table
from dfst.tasks.registry import find_task
from dfst.tasks.task import Layout
from dfst.world.grid import MOTIONS

VERSION = "dfst-machine/1"
STUCK = {True: "rejects", False: "error"}


def parse(text: str, name: str) -> Agent:
    machine = _load(text)
    version: object = machine.get("format")
    expect(version == VERSION, f'"format": {shown(VERSION)}', str(version))
    alphabet, states = (_names(machine, key) for key in ("alphabet", "states"))
    symbol_index = {s: i for i, s in enumerate(alphabet)}
    state_index = {s: i for i, s in enumerate(states)}
    blank: Any = machine.get("blank")
    expect(isinstance(blank, str) and blank in symbol_index, "a blank out of the alphabet", str(blank))
    ends: Any = machine.get("ends", {})
    meant = isinstance(ends, dict) and all(
        value is None or isinstance(value, bool) for value in ends.values()
    )
    expect(meant, "ends with true, false or null each", str(ends))
    rules: dict[tuple[int, int], tuple[int, int, int]] = {}
    leads_to: dict[tuple[int, int], End] = {}
    for number, row in enumerate(_list(machine, "rules"), 1):
        where, rule = _rule(number, row, symbol_index, state_index, ends)
        if where in rules:
            pair = f"state {shown(row[0])} reading {shown(row[1])}"
            raise InputError(f"rule {number}: a second one for {pair}; keep one")
        rules[where] = rule
        if ends and rule[2] == HALT:
            leads_to[where] = End(row[4], ends[row[4]])
    task: Any = machine.get("task")
    known = find_task(task) if isinstance(task, str) else None
    fits = task is None or (known and known.alphabet == alphabet)
    expect(fits, "a task whose alphabet is this machine's", str(task))
    layout: Any = machine.get("start", known.layout if known else "first")
    expect(layout in get_args(Layout), "start to be first, last or operator", str(layout))
    if known:
        expect(layout == known.layout, f"start to be {known.layout}, as {task} has it", layout)
    stuck: Any = machine.get("stuck", STUCK[False])
    expect(stuck in STUCK.values(), f"stuck to be {' or '.join(STUCK.values())}", str(stuck))
    called = str(machine.get("name", name))
    check_start(called, layout, known)
    agent = table(
        called, alphabet, states, symbol_index[blank], rules,
        _names(machine, "inputs") if "inputs" in machine else (), leads_to=leads_to,
        stuck_rejects=stuck == STUCK[True],
    )  # fmt: skip
    return replace(agent, layout=layout, source=str(machine.get("source", "")), task=known)


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
    value: Any = machine.get(key)
    expect(isinstance(value, list), f"a list of {key}", str(value))
    return list(value)


def _names(machine: dict[str, Any], key: str) -> tuple[str, ...]:
    for name in (names := _list(machine, key)):
        expect(isinstance(name, str), f"strings in {key}", str(name))
    return tuple(names)


def _rule(
    number: int, row: Any, symbols: dict[str, int], states: dict[str, int], ends: dict[str, bool | None],
) -> tuple[tuple[int, int], tuple[int, int, int]]:  # fmt: skip
    whole = isinstance(row, list) and len(row) == 5 and all(isinstance(v, str) for v in row[:4])
    expect(whole, "[state, read, write, motion, next state]", str(row), f"rule {number}")
    state, read, write, motion, to = row
    where = f"rule {number}, state {shown(state)} reading {shown(read)}"
    for value, known, kind in (
        (state, states, "state"),
        (read, symbols, "symbol"),
        (write, symbols, "symbol"),
    ):
        expect(value in known, f"a declared {kind}", value, where)
    expect(motion in MOTIONS, "a motion U, D, L, R or S", motion, where)
    halts = to in ends if ends and isinstance(to, str) else not ends and to is None
    led = halts or (isinstance(to, str) and to in states)
    expect(led, f"a declared state or {'an end' if ends else 'null to halt'}", str(to), where)
    target = HALT if halts else states[to]
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
