"""AT&T text for OpenFst, written only: lines `source target input output`, a final state alone on its line.

    fstcompile --isymbols=in.syms --osymbols=out.syms machine.fst

`symbol_tables` gives the two tables. The blank is a symbol like any other; epsilon, number 0, is not used.
The final states are those that halting rules lead to, but for ends that reject; a machine that never halts
has every state final, or OpenFst would trim it to nothing.
"""

from __future__ import annotations

from collections.abc import Iterable

from dfst.errors import InputError
from dfst.machines.agent import Agent
from dfst.machines.formats.dot import output
from dfst.machines.formats.draft import shown
from dfst.machines.formats.fit import ends_of, require_rules_in_every_state, transitions

EPSILON = "<eps>"


def write(agent: Agent) -> str:
    for symbol in agent.alphabet:
        if not symbol or symbol == EPSILON or any(c.isspace() or not c.isprintable() for c in symbol):
            raise InputError(f"expected symbols without spaces, found {shown(symbol)}")
    require_rules_in_every_state(agent)
    halt = len(agent.states)
    lines = [
        f"{q}\t{to}\t{agent.alphabet[k]}\t{output(agent, q, k)}" for q, k, _, _, to in transitions(agent)
    ]
    ends = ends_of(agent)
    finals = [halt + i for i, end in enumerate(ends) if end.accepts is not False] if ends else range(halt)
    return "\n".join([*lines, *(str(q) for q in finals)]) + "\n"


def symbol_tables(agent: Agent) -> tuple[str, str]:
    """The input and the output symbols, as fstcompile takes them."""
    outputs = dict.fromkeys(output(agent, q, k) for q, k, *_ in transitions(agent))
    return _table(agent.alphabet), _table(outputs)


def _table(symbols: Iterable[str]) -> str:
    return "".join(f"{symbol}\t{number}\n" for number, symbol in enumerate((EPSILON, *symbols)))
