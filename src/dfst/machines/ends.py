"""How runs end: in states without rules, some of which accept the input or reject it.

Where a machine names the states it halts in, each rule that halts leads to one of its *ends*. Formats that do
not mark acceptance tell it by the names of states, and one convention serves them all.
"""

import re
from dataclasses import dataclass
from itertools import pairwise

HALT, MISSING = -1, -2  # in place of a next state: the run ends; there is no rule

ACCEPTING = frozenset({"accept", "accepts", "accepted", "accepting", "acc"})
REJECTING = frozenset({"reject", "rejects", "rejected", "rejecting", "rej"})
DENYING = frozenset({"not", "non", "never"})
"""`no` right before a word for accepting denies it as well: `no-accept`, but not `reject-no-b`."""
WHOLE = {"yes": True, "no": False}
"""Words that count only where they are the whole name: a state called `no carry` rejects nothing."""


@dataclass(frozen=True)
class End:
    """A state without rules, in which a run halts."""

    name: str
    accepts: bool | None = None
    """Whether to end here is to accept the input, or to reject it; None: the machine does not say."""


def accepts_by_name(name: str) -> bool | None:
    """What the name of a state says, such as `accept`, `halt-accept`, `yes`, or `reject`, `no`; else None."""
    words = [_bare(word) for word in re.findall(r"[a-z]+", name.lower())]
    if words[:1] == ["halt"]:
        del words[0]
    meant = {True: ACCEPTING & set(words), False: REJECTING & set(words)}
    if len(words) == 1 and words[0] in WHOLE:
        return WHOLE[words[0]]
    denied = any(word == "no" and after in ACCEPTING for word, after in pairwise(words))
    if denied or DENYING & set(words) or bool(meant[True]) == bool(meant[False]):
        return None
    return bool(meant[True])


def _bare(word: str) -> str:
    """A word without the letter or the `halt` that names of states are led by: `qaccept`, `haltaccept`."""
    for lead in ("halt", "q", "h", "s"):
        if word.startswith(lead) and word[len(lead) :] in ACCEPTING | REJECTING | WHOLE.keys():
            return word[len(lead) :]
    return word
