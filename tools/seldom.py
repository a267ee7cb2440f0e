"""Find small boards that show what random ones seldom do: symbols that are read after a rule.

    python tools/seldom.py maze [--most 6] [--boards 100000] [--large 40] [--seed 100]

What follows a rule is looked for on random boards, some of them large. What the usual candidates of a
training set do not show is looked for on small boards: found ones lose rows and columns, get walls and are
half worked already as long as they show it, so that their runs are short. Prints a cover of what was found,
and what was not.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from dfst.experts import expert
from dfst.machines.agent import Agent
from dfst.tasks.plane import PlaneTask
from dfst.tasks.plane_tasks import PLANE_TASKS
from dfst.traces.cover import cover
from dfst.traces.replay import replayed_states
from dfst.traces.sample import PLANE_SAMPLING, candidate_inputs, record_all
from dfst.traces.teaching_set import CANDIDATES
from dfst.traces.telling_apart import ROUNDS, TellingApart, telling_apart
from dfst.world.grid import OFFSETS, lines_of

BATCH = 2_000


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("task", choices=PLANE_TASKS)
    parser.add_argument("--most", type=int, default=6, help="rows and columns of a small board")
    parser.add_argument("--boards", type=int, default=100_000, help="random boards of up to twice that")
    parser.add_argument("--large", type=int, default=40, help="rows and columns of the others, a hundredth")
    parser.add_argument("--seed", type=int, default=100)
    given = parser.parse_args()
    task, rng = PLANE_TASKS[given.task], np.random.default_rng(given.seed)
    agent = replace(expert(given.task), task=None)  # which reads boards that are half worked, too
    after = len(agent.states) + 1 + ROUNDS

    def shown(boards: list[str]) -> TellingApart:
        return telling_apart(agent, record_all(agent, boards))

    usual = candidate_inputs(replace(task, seldom=()), PLANE_SAMPLING[task.name], CANDIDATES)
    lacking = shown(usual).counts == 0
    lacking[:, :after] = False
    met = np.zeros_like(lacking)
    found: dict[tuple[int, int], str] = {}
    for first in range(0, given.boards, BATCH):
        large = [task.sampled_operand(rng, given.large) for _ in range(BATCH // 100)]
        met |= shown(large).counts > 0
        boards = [task.sampled_operand(rng, 2 * given.most - 1) for _ in range(BATCH)]
        seen = shown(boards)
        for place, column in np.argwhere((seen.counts > 0) & lacking).tolist():
            board = boards[seen.first[place, column]]
            board = smallest(agent, task, board, (place, column))
            if max(len(lines_of(board)), len(lines_of(board)[0])) <= given.most:
                found[place, column] = latest(agent, board, (place, column))[1]
                lacking &= shown([found[place, column]]).counts == 0
        print(f"{first + BATCH:,} boards: {len(found)} found, {int((lacking & met).sum())} not", flush=True)
    boards = list(dict.fromkeys(found.values()))
    wanted: NDArray[np.int64] = np.zeros_like(lacking, dtype=np.int64)
    wanted[tuple(np.array(list(found)).T)] = 1
    traces = record_all(agent, boards)
    chosen = sorted((boards[i].replace("\n", "/") for i in cover(agent, traces, wanted, 0.01)), key=len)
    print(f"{len(chosen)} boards, {record_all(agent, chosen).tokens:,} steps:\n{' '.join(chosen)}")
    for place, column in np.argwhere(lacking & met).tolist():
        print("not found:", shown(usual[:1]).named(place, column))


def smallest(agent: Agent, task: PlaneTask, board: str, at: tuple[int, int]) -> str:
    """The board, made smaller as long as it shows one thing, and then its run shorter."""
    steps = latest(agent, board, at)[0]
    for variant in variants(task, board):
        if latest(agent, variant, at)[0] < steps:
            return smallest(agent, task, variant, at)
    return board


def latest(agent: Agent, board: str, at: tuple[int, int]) -> tuple[float, str]:
    """The steps that are left, and the board, when the agent begins anew for the last time before it shows
    one thing; infinitely many where it does not show it."""
    found = (np.inf, board)
    for text in beginnings(agent, board):
        shown = telling_apart(agent, record_all(agent, [text]))
        if not shown.counts[at]:
            break
        found = (shown.steps, text)
    return found


def beginnings(agent: Agent, board: str) -> Iterator[str]:
    """The board, and as it is whenever the agent is back in its first state on its first cell."""
    yield board
    traces = record_all(agent, [board])
    cells = [list(row) for row in lines_of(board)]
    row = column = 0
    for state, s, m in zip(replayed_states(agent, traces), traces.s, traces.m, strict=True):
        if (state, row, column) == (0, 0, 0) and (text := "\n".join(map("".join, cells))) != board:
            yield text
        if 0 <= row < len(cells) and 0 <= column < len(cells[0]):
            cells[row][column] = agent.alphabet[s]
        column, row = column + OFFSETS[m][0], row - OFFSETS[m][1]


def variants(task: PlaneTask, board: str) -> Iterator[str]:
    """Without a row or a column; with one cell more that is like the first letter: a wall, of a maze."""
    yield from (text for (text,) in task.smaller((board,)))
    for i in (i for i, symbol in enumerate(board) if symbol in task.letters[1:]):
        variant = board[:i] + task.letters[0] + board[i + 1 :]
        if not task.refusal(lines_of(variant)):
            yield variant


if __name__ == "__main__":
    main()
