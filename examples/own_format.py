"""A machine format of your own, without editing the package: rules in five columns, parted by commas.

    dfst convert bb2 bb2.csv --to examples/own_format.py:csv
    dfst convert bb2.csv bb2.json --from examples/own_format.py:csv

A package that is installed and declares it as an entry point (group `dfst.formats`) needs no `--from`: the
ending of the file's name says it.
"""

from __future__ import annotations

from dfst import Agent, InputError, RuleBook
from dfst.machines.formats import Format
from dfst.world.grid import MOTION_NAMES


class Csv:
    """`blank,start`, then `state,read,write,motion,next` for each rule; one without a next state halts."""

    @staticmethod
    def parse(text: str, name: str) -> Agent:
        (blank, start), *rows = (line.split(",") for line in text.splitlines() if line.strip())
        bad = next((number for number, row in enumerate(rows, 2) if len(row) != 5), None)
        if bad is not None:
            raise InputError(f"line {bad}: expected state,read,write,motion,next")
        rules = RuleBook(dict.fromkeys([blank, *(symbol for row in rows for symbol in row[1:3])]), blank)
        rules.state(start)
        for state, read, write, motion, following in rows:
            rules.on(state, read, MOTION_NAMES.index(motion), write=write, to=following or None)
        return rules.agent(name)

    @staticmethod
    def write(agent: Agent) -> str:
        columns = ("state", "symbol", "write", "motion", "next")
        rows = [[getattr(rule, column) or "" for column in columns] for rule in agent.rules]
        return "\n".join(map(",".join, [[agent.alphabet[agent.blank], agent.states[0]], *rows]))


csv = Format("csv", "rules in five columns", (".csv",), Csv)
