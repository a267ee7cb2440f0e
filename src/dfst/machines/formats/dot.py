"""Graphviz DOT of the Mealy machine behind an agent, in the shape AALpy and LearnLib read. Written only.

An input is the symbol read; an output is what an onlooker sees, `write,motion`, where N stays and goes on;
a rule that halts leads to a state without rules, a box if it rejects, and keeps the motion it makes.
"""

from dfst.machines.agent import HALT, Agent
from dfst.machines.formats.draft import expect
from dfst.machines.formats.fit import ends_of, transitions
from dfst.world.grid import MOTION_NAMES, N, S

UNQUOTABLE = '"\\/'  # readers split a label at the first slash and do not unquote


def output(agent: Agent, q: int, k: int) -> str:
    """What a rule puts out: `1,R`."""
    stays = agent.motion[q, k] == S and agent.next[q, k] != HALT
    return f"{agent.alphabet[agent.write[q, k]]},{MOTION_NAMES[N if stays else agent.motion[q, k]]}"


def write(agent: Agent) -> str:
    for symbol in agent.alphabet:
        plain = symbol.isprintable() and not symbol.isspace() and not set(symbol) & set(UNQUOTABLE)
        expect(plain, f"symbols without {' '.join(UNQUOTABLE)} and space", symbol)
    lines = [f's{q} [label="{_label(name) or q}"];' for q, name in enumerate(agent.states)]
    for number, end in enumerate(ends_of(agent), len(agent.states)):
        shape = "box" if end.accepts is False else "doublecircle"
        lines.append(f's{number} [label="{_label(end.name) or number}", shape="{shape}"];')
    lines += ['__start0 [label="", shape="none"];', "__start0 -> s0;"]
    for q, k, _, _, to in transitions(agent):
        lines.append(f's{q} -> s{to} [label="{agent.alphabet[k]}/{output(agent, q, k)}"];')
    return "digraph machine {\n" + "".join(f"{line}\n" for line in lines) + "}\n"


def _label(name: str) -> str:
    """A state's name without what would end the label or look like an edge."""
    clean = "".join(c if c.isprintable() and c not in '"\\' else "_" for c in name)
    return clean.replace("->", "→").strip(" {}")
