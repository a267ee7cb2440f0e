"""The trusted part of a proof that a machine never halts: checks a proof file, and believes nothing in it.

This file imports the standard library only, so it can be read, and run, by itself:

    python never_halts_checker.py proof.json

The file names a machine on one row (rules[state][symbol] = [write, step, next], or null where it halts),
its blank, and a way to see its tape with finite eyes. The checker follows the machine from the blank tape
through *all* it may do when seen that way, until nothing new appears. Whatever the real run does is among
it; so if no halt is among it, the machine never halts. Two ways to see (docs/never-halts.md argues why
each step covers the real one):

    words     the tape as words of `length` cells; equal neighbours are counted, exactly below `threshold`,
              as "that many or more" from there. The head stands between two words and crosses one at a time.
    windows   of the cells on each side of the head, the nearest `size - 1`; beyond these, only which
              sequences of `size` cells ever lay on that side
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

Rules = list[list[Any]]  # [state][symbol]: [write, step to the right (-1, 0, 1), next state], or None
Word = tuple[int, ...]

MOST, MOST_INSIDE = 1_000_000, 10_000
"""Configurations, and steps inside one word: a proof that needs more is refused."""


class Rejected(Exception):
    """The proof does not hold; the message says why."""


class TooMany(Rejected):
    """Not finished within the limit; nothing is known."""


def demand(condition: bool, message: str) -> None:
    if not condition:
        raise Rejected(message)


def check(proof_bytes: bytes) -> dict[str, Any]:
    """What the proof shows, or `Rejected`."""
    try:
        proof = json.loads(proof_bytes)
        demand(proof["format"] == "dfst-never-halts/1", "not a proof file of format dfst-never-halts/1")
        rules, blank, method = proof["rules"], proof["blank"], proof["method"]
        check_rules(rules, blank)
        configurations = close(rules, blank, method, MOST)
        demand(configurations == proof["configurations"], f"it has {configurations} configurations")
    except Rejected:
        raise
    except Exception as error:  # whatever a damaged file can cause
        raise Rejected(f"the file is damaged: {type(error).__name__}: {error}") from error
    shown = {"subject": proof["subject"], "rules": rules, "blank": blank}
    return {**shown, "method": method, "configurations": configurations}


def check_rules(rules: Rules, blank: int) -> None:
    symbols = len(rules[0])
    demand(_is_number(blank, 0, symbols - 1), "the blank is no symbol")
    demand(all(len(row) == symbols for row in rules), "a state has too few or too many rules")
    for rule in (rule for row in rules for rule in row if rule is not None):
        bounds = ((0, symbols - 1), (-1, 1), (0, len(rules) - 1))
        good = all(_is_number(value, *ends) for value, ends in zip(rule, bounds, strict=True))
        demand(good, f"{rule} is no rule")


def _is_number(value: Any, low: int, high: int) -> bool:
    return type(value) is int and low <= value <= high


def close(rules: Rules, blank: int, method: dict[str, Any], limit: int) -> int:
    """How many configurations the machine may meet, seen by this method; `Rejected` if one of them halts."""
    sizes = {name: value for name, value in method.items() if name != "name"}
    demand(all(_is_number(value, 1, 64) for value in sizes.values()), "a size is not from 1 to 64")
    demand(method["name"] in ("words", "windows"), "no such method")
    return (close_words if method["name"] == "words" else close_windows)(rules, blank, limit, **sizes)


def close_words(rules: Rules, blank: int, limit: int, length: int, threshold: int) -> int:
    """The tape as two stacks of repeated words, the nearest on top, blank for ever below."""
    empty, blank_word = 0, (blank,) * length
    # A stack is a number: 0, or what lies below it with a word that is repeated on top.
    stacks: list[tuple[Word, int, int]] = [(blank_word, threshold, 0)]
    number: dict[tuple[Word, int, int], int] = {stacks[0]: 0}

    def stack(word: Word, times: int, below: int) -> int:
        entry = (word, times, below)
        if entry not in number:
            number[entry] = len(stacks)
            stacks.append(entry)
        return number[entry]

    def push(onto: int, word: Word) -> int:
        top, times, below = stacks[onto]
        if word != top:
            return stack(word, 1, onto)
        return onto if times == threshold else stack(word, times + 1, below)

    def pop(source: int) -> list[int]:
        """What may be left below the top word: one less than "n or more" is n - 1, or n or more."""
        word, times, below = stacks[source]
        if source == empty:
            return [empty]
        fewer = below if times == 1 else stack(word, times - 1, below)
        return [fewer, source] if times == threshold else [fewer]

    known: dict[tuple[int, int, Word], tuple[int, int, Word] | None] = {}
    start = (0, 1, empty, empty)  # state, 1 where the head goes right, the stacks left and right of it
    found, todo = {start}, [start]
    while todo:
        state, toward, *sides = todo.pop()
        entered = (state, toward, stacks[sides[toward]][0])
        if entered not in known:
            known[entered] = cross(rules, *entered)
        if (left := known[entered]) is None:
            continue
        state, out, word = left
        for rest in pop(sides[toward]):
            after = [rest if side == toward else sides[side] for side in (0, 1)]
            after[1 - out] = push(after[1 - out], word)
            if (met := (state, out, after[0], after[1])) not in found:
                found.add(met)
                todo.append(met)
        if len(found) > limit:
            raise TooMany(f"more than {limit:,} configurations")
    return len(found)


def cross(rules: Rules, state: int, toward: int, word: Word) -> tuple[int, int, Word] | None:
    """Enter a word at its near end: state, side and word when the head leaves it; None if it never does."""
    cells, at, seen = list(word), 0 if toward else len(word) - 1, set()
    for _ in range(MOST_INSIDE):
        if not 0 <= at < len(cells):
            return state, int(at > 0), tuple(cells)
        if (here := (state, at, tuple(cells))) in seen:
            return None
        seen.add(here)
        rule = rules[state][cells[at]]
        demand(rule is not None, f"state {state} may read symbol {cells[at]}, and halts there")
        cells[at], step, state = rule
        at += step
    raise TooMany(f"more than {MOST_INSIDE:,} steps inside a word")


def close_windows(rules: Rules, blank: int, limit: int, size: int) -> int:
    """The nearest cells on each side, and every sequence of `size` cells that may lie on that side."""
    near = (blank,) * (size - 1)
    # For each side: the cells that may lie beyond the nearest, and the heads that went there.
    beyond: list[dict[Word, set[int]]] = [{near: {blank}}, {near: {blank}}]
    gone: list[dict[Word, set[tuple[int, Word]]]] = [{}, {}]
    found, todo = set(), []

    def arrive(toward: int, state: int, behind: Word, ahead: Word) -> None:
        sides = (behind, ahead[1:]) if toward else (ahead[1:], behind)
        if (met := (state, ahead[0], *sides)) not in found:
            found.add(met)
            todo.append(met)

    arrive(1, 0, near, (blank, *near))
    while todo:
        state, head, *sides = todo.pop()
        rule = rules[state][head]
        demand(rule is not None, f"state {state} may read symbol {head}, and halts there")
        written, step, state = rule
        if step == 0:
            arrive(1, state, sides[0], (written, *sides[1]))
            continue
        toward, back = (1, 0) if step > 0 else (0, 1)
        behind, ahead, last = (written, *sides[back])[:-1], sides[toward], (written, *sides[back])[-1]
        if last not in beyond[back].setdefault(behind, set()):
            beyond[back][behind].add(last)
            for earlier, left_behind in gone[back].get(behind, ()):
                arrive(back, earlier, left_behind, (*behind, last))
        gone[toward].setdefault(ahead, set()).add((state, behind))
        for cell in beyond[toward].get(ahead, ()):
            arrive(toward, state, behind, (*ahead, cell))
        if len(found) > limit:
            raise TooMany(f"more than {limit:,} configurations")
    return len(found)


def main(arguments: list[str]) -> int:
    """Check the file named; 0 if the proof holds, 1 if not, 2 if it cannot be read."""
    try:
        (name,) = arguments
        shown = check(Path(name).read_bytes())
    except Rejected as reason:
        print(f"rejected: {reason}")
        return 1
    except (OSError, ValueError) as error:
        print(f"expected never_halts_checker.py PROOF.json: {error}", file=sys.stderr)
        return 2
    print(json.dumps({"accepted": True, **shown}, ensure_ascii=False))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
