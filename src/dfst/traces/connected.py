"""What examples connect: how a state is entered, and the symbols that are read next.

Where a trace shows a rule and then a symbol, it connects the two. A rule and a symbol that follow each other
in other runs and are not connected, not by detours either, leave it open whether the state is the same.
Merging assumes that it is; gradient descent alone does not (docs/concepts/teaching-sets.md).

Legend: R places of rules, the start last; Σ symbols.
"""

import numpy as np
from numpy.typing import NDArray

from dfst.machines.agent import Agent


def unconnected(agent: Agent, shown: NDArray[np.bool_], possible: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """(R, Σ) each symbol that may be read after a rule, of those that the examples do not connect with it.

    shown, possible: (R, Σ) which symbols are read right after each rule
    """
    targets = np.append(agent.next.ravel(), 0)
    found = possible.copy()
    for state in range(len(agent.states)):
        entries = targets == state
        alike = shown[entries].T @ shown[entries]  # two symbols that one rule was seen to go on with
        while (wider := alike | alike @ alike).sum() > alike.sum():
            alike = wider
        found[entries] &= ~(shown[entries] @ alike)
    return found
