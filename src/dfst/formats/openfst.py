"""AT&T text for OpenFst, written only: lines `source target input output`, a final state alone on its line.

    fstcompile --isymbols=in.syms --osymbols=out.syms machine.fst

`symbol_tables` gives the two tables. The blank is a symbol like any other; epsilon, number 0, is not used.
The final state is the one that halting rules lead to; a machine that never halts has every state final,
or OpenFst would trim it to nothing.
"""

from __future__ import annotations

from collections.abc import Iterable

from dfst.agents.agent import HALT, MISSING, Agent
from dfst.formats.dot import output
from dfst.formats.draft import shown
from dfst.formats.fit import misfit, require_rules_in_every_state

FORMAT = "openfst"
EPSILON = "<eps>"


def write(agent: Agent) -> str:
    for symbol in agent.alphabet:
        if not symbol or symbol == EPSILON or any(c.isspace() or not c.isprintable() for c in symbol):
            raise misfit(agent, FORMAT, f"expected symbols without spaces, found {shown(symbol)}")
    require_rules_in_every_state(agent, FORMAT)
    halt = len(agent.states)
    lines = []
    for q in range(len(agent.states)):
        for k, symbol in enumerate(agent.alphabet):
            following = int(agent.next[q, k])
            if following != MISSING:
                to = halt if following == HALT else following
                lines.append(f"{q}\t{to}\t{symbol}\t{output(agent, q, k)}")
    finals = [halt] if (agent.next == HALT).any() else range(halt)
    return "\n".join([*lines, *(str(q) for q in finals)]) + "\n"


def symbol_tables(agent: Agent) -> tuple[str, str]:
    """The input and the output symbols, as fstcompile takes them."""
    outputs = dict.fromkeys(
        output(agent, q, k)
        for q in range(len(agent.states))
        for k in range(len(agent.alphabet))
        if agent.next[q, k] != MISSING
    )
    return _table(agent.alphabet), _table(outputs)


def _table(symbols: Iterable[str]) -> str:
    return "".join(f"{symbol}\t{number}\n" for number, symbol in enumerate((EPSILON, *symbols)))
