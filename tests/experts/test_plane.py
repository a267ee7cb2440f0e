"""Every task on the plane: its expert against plain Python, on all small boards and on random larger ones."""

from __future__ import annotations

import gzip
import re
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from evidence import slow

from dfst.errors import InputError
from dfst.evaluation.evaluate import evaluate
from dfst.experts import expert
from dfst.machines import MISSING
from dfst.machines.compiled import record, run
from dfst.model.rollout.compiled import Rollout
from dfst.problems import find_problem
from dfst.problems.problem import Case
from dfst.subjects import shipped
from dfst.tasks.plane_tasks import CIRCLES, PLANE_TASKS
from dfst.tasks.sudoku import DIGITS, OWN
from dfst.traces.replay import rule_coverage
from dfst.traces.sample import PLANE_SAMPLING, sample_traces
from dfst.world.grid import OFFSETS, Limits, lines_of
from dfst.world.unit import ClosedLoop

MAZE_HARD = Path(__file__).parents[1] / "data" / "maze-hard-train.txt.gz"
"""The training half of Maze-Hard: a maze a line, its rows joined by /, a tab, and the maze solved."""

EXAMPLES = [
    ("maze", "S.#\n#..\n..G", "So#\n#o.\n.oG"),
    ("maze", "SG", "SG"),
    ("maze", "S#G", "?#G"),
    ("maze", "G.S.G", "GoS.G"),
    ("maze", "G..\n...\n..S", "G..\no..\nooS"),
    ("flood", "####.\n#*.#.\n####.", "####.\n#**#.\n####."),
    ("flood", "...\n.#.", "...\n.#."),
    ("flood", "#*.#", "#**#"),
    ("life", ".....\n.***.\n.....", "..*..\n..*..\n..*.."),
    ("life", "**\n**", "**\n**"),
    ("life", "*", "."),
    ("life", ".*.\n..*\n***\n...", "...\n*.*\n.**\n.*."),
    ("longmult10", "123×45", "123×45\n----__\n__492_\n__5535"),
    ("longmult10", "7*0", "7×0\n--_\n__0"),
    ("longmult2", "110x11", "110×11\n----__\n__110_\n_10010"),
    ("sudoku", "1.3/4.6/789", "123\n456\n789"),
    ("sudoku", "...\n...\n...", "123\n456\n789"),
    ("sudoku", "523|4.6\n416|789\n789|123", "523|4!6\n416|789\n789|123"),
    ("sudoku", "123\n456\n789", "123\n456\n789"),
    ("hanoi", "o..", "..o"),
    ("hanoi", "4", "..o\n..o\n..o\n..o"),
]

REFUSED = [
    ("maze", "", "maze takes a board, found nothing"),
    ("maze", "S.\n.", "row 2 has 1, so it ends at column 2"),
    ("maze", "S.\n.x", "'x' in row 2, column 2"),
    ("maze", "..\n.G", "a maze has one S, found none"),
    ("maze", "SG\n.S", "a maze has one S, found a second in row 2, column 2"),
    ("flood", "*.\n.S", "'S' in row 2, column 2"),
    ("life", "*.\n.o", "'o' in row 2, column 2"),
    ("longmult10", "12", "expected two numbers with × between, found '12'; try 123×45"),
    ("longmult10", "1×2\n3×4", "expected two numbers with × between, found '1×2/3×4'"),
    ("sudoku", "12\n34", "expected boxes of 3×3"),
    ("sudoku", "123\n456\n789\n123\n456\n789", "expected boxes of 3×3"),
    ("hanoi", "o..\n.o.", "o.. in every row, found .o. in row 2"),
    ("hanoi", "21", "at most 20 disks, found more"),
    ("hanoi", "9" * 5_000, "does not know the symbol '9'"),
    ("hanoi", "0", "hanoi takes a board, found nothing"),
]

LONGEST = {"hanoi": 9, "sudoku": 7}
"""The longest random boards, where 40 is too long to wait for."""


def check(name, text):
    task, agent = PLANE_TASKS[name], expert(name)
    assert run(agent, text).answer == task.solve((text,)), text


@pytest.mark.parametrize(("name", "text", "answer"), EXAMPLES)
def test_examples(name, text, answer):
    assert PLANE_TASKS[name].solve(PLANE_TASKS[name].parse(text)) == answer
    assert ClosedLoop(expert(name), text).finish().answer == answer


@pytest.mark.parametrize(("name", "text", "said"), REFUSED)
def test_what_is_no_board_is_refused_in_one_line_that_says_where(name, text, said):
    with pytest.raises(InputError) as error:
        expert(name).run(text)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("name", PLANE_TASKS)
def test_the_smallest_boards(name):
    for (text,) in islice(PLANE_TASKS[name].by_length(), 1_500):
        check(name, text)


@pytest.mark.parametrize("name", PLANE_TASKS)
def test_random_boards(name):
    task, rng, longest = PLANE_TASKS[name], np.random.default_rng(1), LONGEST.get(name, 40)
    for _ in range(1_000):
        check(name, task.sampled_operand(rng, min(longest, 12)))
    for _ in range(10):
        check(name, task.random_operand(rng, longest))
        check(name, task.uneven_operand(rng, longest))


@pytest.mark.parametrize("name", PLANE_TASKS)
@pytest.mark.parametrize("length", [2, 3, 4, 9, 30])
def test_hard_boards(name, length):
    for (text,) in PLANE_TASKS[name].hard(min(length, LONGEST.get(name, length))).values():
        check(name, text)


@pytest.mark.slow
def test_a_hundred_thousand_random_mazes():
    task, rng = PLANE_TASKS["maze"], np.random.default_rng(2)
    for _ in range(100_000):
        check("maze", task.sampled_operand(rng, int(rng.integers(2, 16))))


@pytest.mark.slow
@pytest.mark.parametrize(("side", "count"), [(100, 100), (300, 10)])
def test_the_learnt_model_on_large_mazes(side, count):
    """Every action is the expert's, and the answer is plain Python's."""
    rng = np.random.default_rng(3)
    mazes = [Case("large", PLANE_TASKS["maze"].random_operand(rng, side)) for _ in range(count)]
    report = evaluate(Rollout(shipped("maze")), find_problem("maze"), given=mazes)
    assert report.failures == []
    assert report.measurements[0].inputs == count


def begun(name, text):
    """A board of a training set without what the agent wrote on it."""
    if name == "sudoku" and text[0] in OWN:
        text = "\n".join(row[1:] for row in lines_of(text)[1:])
        return re.sub("[*%!]", ".", text.translate(str.maketrans(OWN, DIGITS)))
    return re.sub("[v<>^]", ".", text) if name == "maze" else text


@pytest.mark.parametrize("name", PLANE_TASKS)
def test_the_training_set_is_small_and_shows_every_rule(name):
    agent, task = expert(name), PLANE_TASKS[name]
    traces = sample_traces(agent, PLANE_SAMPLING[name])
    assert ((rule_coverage(agent, traces).uses > 0) == (agent.next != MISSING)).all()
    assert len(traces) <= {"longmult10": 3_000, "sudoku": 1_600}.get(name, 1_000)
    for given in traces.inputs:
        text = begun(name, given)
        rows = lines_of(text)
        assert max(len(rows), *(len(part) for row in rows for part in row.split("×"))) <= (
            6 if name != "sudoku" else 11
        )
        if name != "sudoku" or given[0] not in OWN:  # where lines may run otherwise
            assert task.parse(text) == (text,)


def test_a_maze_that_is_half_worked_ends_as_the_maze_does():
    task = PLANE_TASKS["maze"]
    half = [text for text in task.seldom if set(text) & set("v<>^")]
    circles = {board.replace("/", "\n") for board in CIRCLES.split()}  # which end where they would go round
    assert len(half) > 50
    assert not {*half} & {text for (text,) in task.repeated(6)}  # which are asked, answered and offered
    for text in half:
        answer = run(expert("maze"), text).answer
        assert text in circles or answer == task.solve((begun("maze", text),)), text
        with pytest.raises(InputError, match=r"its symbols are # \. S G"):
            task.parse(text)
    with pytest.raises(InputError, match="its symbols are"):  # no example of ours
        run(expert("maze"), "S<G")


def test_a_sudoku_that_is_half_worked_is_an_example_and_no_input():
    """Only as the training set has it, head at the letter; nobody else may begin there."""
    task, agent = PLANE_TASKS["sudoku"], expert("sudoku")
    half = [text for text in task.seldom if text[0] in OWN]
    assert len(half) > 900
    assert not {*half} & {text for (text,) in task.repeated(7)}
    for text in half[::50]:
        made = record(agent, text, Limits(steps=PLANE_SAMPLING["sudoku"].steps))
        assert agent.alphabet[made.x[0]] == text[0]
        with pytest.raises(InputError, match=r"its symbols are \. 1"):
            task.parse(text)
    with pytest.raises(InputError):
        run(agent, half[0].replace("a", "b"))


@pytest.mark.slow
def test_ten_thousand_generations():
    task, rng = PLANE_TASKS["life"], np.random.default_rng(2)
    for _ in range(10_000):
        check("life", task.sampled_operand(rng, int(rng.integers(2, 16))))


@pytest.mark.parametrize("disks", [1, 2, 3, 6, 9, *slow(20)])
def test_every_move_of_hanoi_is_legal_and_none_is_needless(disks):
    """A disk moves where it is wiped in one cell and written in another of its row, in either order."""
    trace = expert("hanoi").trace(str(disks))
    steps = np.array(OFFSETS)[trace.m[:-1]]
    places = np.concatenate(([[0, 0]], steps.cumsum(axis=0))) * (1, -1)
    changed = trace.x != trace.s
    free = trace.alphabet.index(".")
    assert changed[-1]  # at the end the smallest disk looks like the others again
    peg, disk = places[changed][:-1].reshape(-1, 2, 2).transpose(2, 0, 1)
    wiped = (trace.s[changed][:-1] == free).reshape(-1, 2)
    assert (disk[:, 0] == disk[:, 1]).all()
    assert (wiped.sum(axis=1) == 1).all()
    assert len(disk) == 2**disks - 1
    pegs = [0] * disks
    for moved, source, target in zip(
        disk[:, 0].tolist(), peg[wiped].tolist(), peg[~wiped].tolist(), strict=True
    ):
        assert pegs[moved] == source
        assert source not in pegs[:moved]
        assert target not in pegs[:moved]
        pegs[moved] = target
    assert pegs == [2] * disks


def mazes_of_maze_hard(most):
    lines = gzip.decompress(MAZE_HARD.read_bytes()).decode().splitlines()
    return [tuple(part.replace("/", "\n") for part in line.split("\t")) for line in lines[:most]]


def test_maze_hard():
    for maze, solved in mazes_of_maze_hard(100):
        assert run(expert("maze"), maze).answer == solved


@pytest.mark.slow
def test_all_of_maze_hard():
    mazes = mazes_of_maze_hard(1_000)
    assert len(mazes) == 1_000
    for maze, solved in mazes:
        assert run(expert("maze"), maze).answer == solved == PLANE_TASKS["maze"].solve((maze,))


@pytest.mark.parametrize("name", PLANE_TASKS)
def test_smaller_inputs_are_inputs(name):
    task, rng = PLANE_TASKS[name], np.random.default_rng(3)
    text = task.random_operand(rng, 6)
    for smaller in task.smaller((text,)):
        assert task.parse(smaller[0]) == smaller
        assert len(smaller[0]) < len(text)
