"""What boards.py says of random machines holds on small boards, as a plain loop sees them."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from forging import forged
from random_agent import random_agent

from dfst.experts import expert
from dfst.languages import parse
from dfst.machines import HALT, MISSING
from dfst.model import compile_agent
from dfst.model.weights import to_bytes as weights_to_bytes
from dfst.proof import boards, prove, verify
from dfst.proof.boards import START, boards_of, by_last_rule, readings
from dfst.proof.certificate import packed_table
from dfst.proof.language import regular_language
from dfst.proof.match import pair_up
from dfst.proof.reading import Rejected
from dfst.tasks.plane import plane_task
from dfst.world.grid import BLANK, OFFSETS, D, L, R, U

FORMS = {
    "any": {},
    "one letter once": {"once": "b"},
    "rows alike": {"row": "aba", "most_rows": 4},
    "one row": {"pattern": "a+b*a", "form": "…"},
}
STEPS = 150


def drawn_task(form, own_symbols):
    return plane_task(
        "small", "", "ab", lambda rows: rows, "ab", None, None, others="xy"[:own_symbols], **FORMS[form]
    )


def drawn_agent(rng, task):
    agent = random_agent(
        rng, int(rng.integers(2, 4)), len(task.alphabet), (U, D, L, R), missing=0.1, halting=0.05,
        alphabet=task.alphabet,
    )  # fmt: skip
    return replace(agent, task=task, blank=task.alphabet.index(BLANK))


def small_boards(task):
    """Every input of at most 3 × 3 cells, and of one row or column up to 5."""
    shapes = {*product((1, 2, 3), repeat=2), (1, 4), (1, 5), (4, 1), (5, 1), (4, 3)}
    return [text.split("\n") for shape in sorted(shapes) if shape != (4, 3) or task.row
            for (text,) in task._boards(*shape)]  # fmt: skip


def steps_of(agent, rows):
    """(last rule, symbol, what is done) of each step of a run, by the definition."""
    cells = {(x, -y): agent.alphabet.index(s) for y, row in enumerate(rows) for x, s in enumerate(row)}
    q, at, last = 0, (0, 0), START
    for _ in range(STEPS):
        x = cells.get(at, agent.blank)
        write, motion, following = (int(part[q, x]) for part in (agent.write, agent.motion, agent.next))
        halts = following == HALT
        yield last, x, following if following == MISSING else (write, 4 if halts else motion, halts)
        if following < 0:
            return
        cells[at], last, q = write, (q, x), following
        at = at[0] + OFFSETS[motion][0], at[1] + OFFSETS[motion][1]


@pytest.fixture
def little_work(monkeypatch):
    monkeypatch.setattr(boards, "MOST_WORK", 5_000)


@pytest.mark.parametrize("form", FORMS)
def test_whatever_a_random_machine_reads_was_foreseen(form, little_work):
    rng, met = np.random.default_rng(list(FORMS).index(form)), 0
    for _ in range(12):
        task = drawn_task(form, int(rng.integers(0, 2)))
        agent = drawn_agent(rng, task)
        inputs = small_boards(task)
        try:
            foreseen = readings(agent, boards_of(task))
        except boards.TooMuch:
            continue
        for k in rng.choice(len(inputs), min(15, len(inputs)), replace=False):
            for last, x, _ in steps_of(agent, inputs[k]):
                assert x in foreseen[last], (agent, inputs[k])
                met += 1
    assert met > 500


def line_of(k, length):
    """The class of row or column k of a board with so many."""
    inside = "s" if length == 1 else "f" if k == 0 else "l" if k == length - 1 else "r"
    return inside if 0 <= k < length else {-1: "a", length: "b"}.get(k, "A" if k < 0 else "B")


@pytest.mark.parametrize("coarse", [False, True])
def test_the_sets_hold_every_cell_around_the_head(little_work, monkeypatch, coarse):
    """Not only what is read: a set that is too small may be seen by no reading for long."""
    if coarse:
        monkeypatch.setattr(boards, "MOST_TRACES", 0)
    rng, task = np.random.default_rng(1), drawn_task("any", 0)
    for _ in range(8):
        agent = drawn_agent(rng, task)
        try:
            sets = boards._Reached(agent, boards_of(task))
        except boards.TooMuch:
            continue
        rows = [list("ab" * 3)[k : k + 3] for k in rng.integers(0, 3, 3)]
        left, at, place, before = {}, (0, 0), ("f", "f"), -1

        def number(place, rule, agent=agent, sets=sets):
            symbol = rule[1] if rule[0] < 0 else int(agent.write[rule])
            return sets.numbers[place, (-1, symbol) if coarse else rule]

        for last, x, _ in steps_of(agent, rows):
            if last != START:
                left[at] = last
                before = number(place, last)
                dx, dy = OFFSETS[agent.motion[last]]
                at = at[0] + dx, at[1] + dy
            place = line_of(-at[1], 3), line_of(at[0], 3)
            for dx, dy in product(range(-5, 6), repeat=2):
                cell = at[0] + dx, at[1] + dy
                inside = 0 <= cell[0] < 3 and 0 <= -cell[1] < 3
                first = agent.alphabet.index(rows[-cell[1]][cell[0]]) if inside else agent.blank
                rule = left.get(cell, (-1, first))
                trace = number((line_of(-cell[1], 3), line_of(cell[0], 3)), rule)
                way = (dx > 0) - (dx < 0), (dy > 0) - (dy < 0)
                held = sets.here[last, before, place]
                if cell != at:
                    held = sets.around[last, before, place][boards.PARTS.index(way)]
                assert held >> trace & 1, (x, cell)


@pytest.mark.parametrize("form", FORMS)
def test_who_is_held_to_be_alike_acts_alike_on_every_small_board(form, little_work):
    """A machine with one rule changed: alike only where no board needs that rule."""
    rng, outcomes = np.random.default_rng(7), set()
    for _ in range(8):
        agent = drawn_agent(rng, task := drawn_task(form, 0))
        split = by_last_rule(agent)
        if isinstance(split, str):
            continue
        for q, x in product(range(len(agent.states)), range(len(agent.alphabet))):
            write, motion = agent.write.copy(), agent.motion.copy()
            write[q, x], motion[q, x] = (write[q, x] + 1) % len(agent.alphabet), (motion[q, x] + 1) % 4
            changed = replace(agent, write=write, motion=motion)
            alike = pair_up(changed, split.machine, is_model=True).alike
            outcomes.add(alike)
            for rows in small_boards(task)[::7] if alike and not split.lacks else ():
                one, two = (list(steps_of(machine, rows)) for machine in (changed, agent))
                assert one == two, (agent, (q, x), rows)
                assert one[-1][2] != MISSING
    assert outcomes == {True, False}


def test_where_the_work_is_bounded_nothing_is_proved(monkeypatch):
    """With less work allowed it is not known what boards show, and that is said."""
    monkeypatch.setattr(boards, "MOST_WORK", 100)
    agent = replace(expert("hanoi"))
    verdict = prove(compile_agent(agent), agent)
    assert verdict.strength == "conditional"
    assert "what boards show is unknown: to work it out takes more than 100 steps" in verdict.checked


def test_a_machine_in_another_alphabet_than_its_task_has_no_boards():
    agent = expert("hanoi")
    assert by_last_rule(replace(agent, alphabet=agent.alphabet[::-1])) == "it has no boards"


@pytest.mark.parametrize("pattern", ["a[^b]+", "a(.|\n)a", "a\\Wa", "(?s:a.a)"])
def test_a_pattern_that_might_match_several_rows_is_not_described(pattern):
    assert boards_of(replace(drawn_task("one row", 0), pattern=pattern)) is None


def test_what_holds_on_boards_is_not_said_of_other_words():
    """On boards the machine by its last rule is the agent; on words with its marks in them it is not."""
    agent = expert("hanoi")
    split, weights = by_last_rule(agent), compile_agent(agent)
    words = regular_language(parse("[o.<>]+", agent.alphabet, agent.blank), agent)
    proof = prove(weights, agent).proof
    assert proof["reference"]["table"] == packed_table(split.machine)
    bad = forged(proof, lambda proof: proof.update(inputs=words.as_json()))
    with pytest.raises(Rejected, match="another machine"):
        verify(bad, agent, words, weights_to_bytes(weights))
