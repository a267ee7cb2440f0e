"""The trusted part of a proof that a machine never halts: standard library only, run by itself or imported.

    python never_halts_checker.py proof.json

The file names a machine on one row and a way to see its tape with finite eyes. The machine is followed from
the blank tape through *all* it may do when seen that way. Whatever the real run does is among it; so if no
halt is, the machine never halts. Two ways to see (docs/never-halts.md argues why each covers the real run):

    words     the tape as words of `length` cells; equal neighbours are counted, exactly below `threshold`,
              as "that many or more" from there. The head stands between two words and crosses one at a time.
    windows   the nearest `size - 1` cells on each side of the head; beyond these, only which sequences of
              `size` cells ever lay on that side
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

Rules = list[
    list[Any]
]  # [state][symbol]: [symbol to write, step to the right (-1, 0, 1), next state] or None
Word = tuple[int, ...]
MOST, MOST_INSIDE = 1_000_000, 10_000  # configurations, and steps inside one word, before a proof is refused


class Rejected(Exception):
    """The proof does not hold; the message says why."""


class Unreadable(Rejected):
    """It is no proof, or one of something else."""


class TooMany(Rejected):
    """Not finished within the limit; nothing is known."""


def demand(condition: bool, message: str, kind: type[Rejected] = Rejected) -> None:
    if not condition:
        raise kind(message)


def check(proof_bytes: bytes) -> dict[str, Any]:
    """What the proof shows, or `Rejected`."""
    try:
        proof = json.loads(proof_bytes)
        demand(proof["format"] == "dfst-never-halts/1", "no file of format dfst-never-halts/1", Unreadable)
        rules, states, symbols = proof["rules"], len(proof["rules"]), len(proof["rules"][0])
        demand(_is_number(proof["blank"], 0, symbols - 1), "the blank is no symbol")
        demand(all(len(row) == symbols for row in rules), "a state has too few or too many rules")
        for rule in (rule for row in rules for rule in row if rule is not None):
            ends = ((0, symbols - 1), (-1, 1), (0, states - 1))
            fits = all(_is_number(value, *end) for value, end in zip(rule, ends, strict=True))
            demand(fits, f"{rule} is no rule")
        found = close(rules, proof["blank"], proof["method"], MOST)
        demand(found == proof["configurations"], f"it has {found} configurations")
        return {name: proof[name] for name in ("subject", "rules", "blank", "method", "configurations")}
    except Rejected:
        raise
    except Exception as error:  # whatever a damaged file can cause
        raise Unreadable(f"the file is damaged: {type(error).__name__}: {error}") from error


def _is_number(value: Any, low: int, high: int) -> bool:
    return type(value) is int and low <= value <= high


def close(rules: Rules, blank: int, method: dict[str, Any], limit: int) -> int:
    """How many configurations the machine may meet, seen by this method; `Rejected` if one of them halts."""
    sizes = {name: value for name, value in method.items() if name != "name"}
    demand(all(_is_number(value, 1, 64) for value in sizes.values()), "a size is not from 1 to 64")
    demand(method["name"] in ("words", "windows"), "no such method")
    return (close_words if method["name"] == "words" else close_windows)(rules, blank, limit, **sizes)


def close_words(rules: Rules, blank: int, limit: int, length: int, threshold: int) -> int:
    """Two stacks of repeated words. A stack is a number: 0 is blank for ever; else (word, times, below)."""
    stacks: list[tuple[Word, int, int]] = [((blank,) * length, threshold, 0)]
    number = {stacks[0]: 0}

    def stack(*entry: Any) -> int:
        if number.setdefault(entry, len(stacks)) == len(stacks):
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
        fewer = below if times == 1 or source == 0 else stack(word, times - 1, below)
        return [fewer, source] if times == threshold and source != 0 else [fewer]

    crossed: dict[Any, tuple[int, int, Word] | None] = {}
    found = {(0, 1, 0, 0)}  # state, 1 where the head goes right, the stacks left and right of it
    todo = list(found)
    while todo:
        state, toward, *sides = todo.pop()
        entered = (state, toward, stacks[sides[toward]][0])
        if entered not in crossed:
            crossed[entered] = cross(rules, *entered)
        if (left := crossed[entered]) is None:
            continue
        state, out, word = left
        for rest in pop(sides[toward]):
            after = [rest if side == toward else sides[side] for side in (0, 1)]
            after[1 - out] = push(after[1 - out], word)
            if (met := (state, out, after[0], after[1])) not in found:
                found.add(met)
                todo.append(met)
        demand(len(found) <= limit, f"more than {limit:,} configurations", TooMany)
    return len(found)


def cross(rules: Rules, state: int, toward: int, word: Word) -> tuple[int, int, Word] | None:
    """Enter a word at its near end: state, side and word when the head leaves it; None if it never does."""
    cells, at, seen = list(word), 0 if toward else len(word) - 1, set()
    while 0 <= at < len(cells):
        if (here := (state, at, tuple(cells))) in seen:
            return None
        seen.add(here)
        demand(len(seen) <= MOST_INSIDE, f"more than {MOST_INSIDE:,} steps inside a word", TooMany)
        rule = rules[state][cells[at]]
        demand(rule is not None, f"state {state} may read symbol {cells[at]}, and halts there")
        cells[at], step, state = rule
        at += step
    return state, int(at > 0), tuple(cells)


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
        demand(rules[state][head] is not None, f"state {state} may read symbol {head}, and halts there")
        written, step, state = rules[state][head]
        if step == 0:
            arrive(1, state, sides[0], (written, *sides[1]))
            continue
        toward, back = (1, 0) if step > 0 else (0, 1)
        behind, last = (written, *sides[back])[:-1], (written, *sides[back])[-1]
        if last not in beyond[back].setdefault(behind, set()):
            beyond[back][behind].add(last)
            for earlier, left_behind in gone[back].get(behind, ()):
                arrive(back, earlier, left_behind, (*behind, last))
        gone[toward].setdefault(sides[toward], set()).add((state, behind))
        for cell in beyond[toward].get(sides[toward], ()):
            arrive(toward, state, behind, (*sides[toward], cell))
        demand(len(found) <= limit, f"more than {limit:,} configurations", TooMany)
    return len(found)


if __name__ == "__main__":
    try:
        print(json.dumps({"accepted": True, **check(Path(sys.argv[1]).read_bytes())}, ensure_ascii=False))
    except (OSError, IndexError, Unreadable) as error:
        print(f"expected never_halts_checker.py PROOF.json: {error}", file=sys.stderr)
        sys.exit(2)
    except Rejected as reason:
        print(f"rejected: {reason}")
        sys.exit(1)
