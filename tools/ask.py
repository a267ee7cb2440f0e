"""Questions and steps until a machine is learnt, beside AALpy's L* and KV: docs/research/teaching-sets.md.

python tools/ask.py docs/research/records/ask.jsonl [NAME …]

A learner asks a black box what it does on an input, and sees every action. `dfst learn --ask` asks what the
smallest machine that merging finds leaves open (this alone is the learner "merging"), tests it, and then
trains. L* and KV get a perfect teacher besides, who gives them a counterexample as long as they are wrong,
for nothing. They may also ask for sequences of symbols that no tape shows. "Its table" is `dfst learn` that
asks nothing, with examples chosen by the table. What the file holds already is not done again.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections import deque
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from aalpy.base import Oracle
from aalpy.base.SUL import SUL
from aalpy.learning_algs import run_KV, run_Lstar

from dfst.asking import FIRST, LONGEST, TRIED, Asked, learn_asking
from dfst.learning import learn
from dfst.machines.agent import HALT, Agent
from dfst.machines.rulebook import RuleBook
from dfst.problems import Problem, as_problem, find_problem
from dfst.states.doubt import foretells
from dfst.states.merging import minimise
from dfst.train.settings import configure
from dfst.world.grid import BLANK, R

FOLDER = Path(__file__).parent.parent / "examples" / "unseen"
MACHINES = {"palindrome": "[ab]*", "divisible7": "[01]*", "bit_shift": "[01]*", "copy_ones": "1*"}
"""As on turingmachine.io, with their inputs."""
SIZES = (5, 10, 20, 50)
"""States of the random Mealy machines."""
QUESTIONS, SEEDS = 1_000, 2
THEIRS = {"L*": run_Lstar, "KV": run_KV}


def random_mealy(states: int, seed: int = 100) -> Agent:
    """A machine over two letters that goes right, writes one of two letters, and halts at the end."""
    rng, book = np.random.default_rng(seed), RuleBook(("a", "b", BLANK))
    table = rng.integers(states, size=(states, 2)), rng.integers(2, size=(states, 2))
    for q in range(states):
        for x, letter in enumerate("ab"):
            book.on(f"q{q}", letter, R, "ab"[table[1][q, x]], f"q{table[0][q, x]}")
        book.halt(f"q{q}", BLANK)
    return minimise(book.agent(f"mealy{states}", layout="first"))


def problem(name: str) -> Problem:
    if name in MACHINES:
        return find_problem(str(FOLDER / f"{name}.yaml"), language=MACHINES[name])
    return as_problem(random_mealy(int(name.removeprefix("mealy"))), language="[ab]*")


class BlackBox(SUL):  # type: ignore[misc]
    """A machine that is told what it reads, as AALpy asks it; questions and their steps are counted."""

    def __init__(self, agent: Agent) -> None:
        super().__init__()
        self.agent, self.state, self.questions, self.steps = agent, 0, 0, 0

    def pre(self) -> None:
        self.state = 0
        self.questions += 1

    def post(self) -> None:
        pass

    def step(self, letter: int) -> str:
        if self.state == HALT:
            return "halted"
        self.steps += 1
        did = f"{self.agent.write[self.state, letter]} {self.agent.motion[self.state, letter]}"
        self.state = int(self.agent.next[self.state, letter])
        return did + " halt" * (self.state == HALT)


class Perfect(Oracle):  # type: ignore[misc]
    """The shortest sequence on which a hypothesis is wrong, for nothing."""

    def find_cex(self, hypothesis: Any) -> list[int] | None:
        box = BlackBox(self.sul.agent)
        queue: deque[tuple[Any, int, list[int]]] = deque([(hypothesis.initial_state, 0, [])])
        seen = {(hypothesis.initial_state.state_id, 0)}
        while queue:
            guess, state, word = queue.popleft()
            for letter in self.alphabet:
                box.state = state
                if box.step(letter) != guess.output_fun[letter]:
                    return [*word, letter]
                pair = guess.transitions[letter], box.state
                if (pair[0].state_id, pair[1]) not in seen:
                    seen.add((pair[0].state_id, pair[1]))
                    queue.append((*pair, [*word, letter]))
        return None


def theirs(agent: Agent, algorithm: Any) -> dict[str, Any]:
    box, letters = BlackBox(agent), list(range(len(agent.alphabet)))
    began = time.monotonic()
    _, info = algorithm(letters, box, Perfect(letters, box), "mealy", return_data=True, print_level=0)
    return {
        "questions": box.questions,
        "steps": box.steps,
        "counterexamples": info["learning_rounds"] - 1,
        "seconds": round(time.monotonic() - began, 1),
        "right": True,
    }


def ours(asked: Problem) -> dict[str, Any]:
    config = replace(configure(asked, seeds=SEEDS), device="cpu")
    with tempfile.TemporaryDirectory() as folder:
        learnt = learn_asking(config, Path(folder, "run"), questions=QUESTIONS)
    texts = {*learnt.traces.inputs, *(learnt.questions or ())}
    return {
        "questions": len(texts),
        "steps": sum(len(asked.answer(text)) for text in texts),
        "counterexamples": 0,
        "seconds": round(learnt.seconds, 1),
        "right": learnt.exact,
        "strength": learnt.strength,
    }


def merging(asked: Problem) -> dict[str, Any]:
    """What `--ask` does before it trains; right on all of its short inputs and on as many drawn ones."""
    began, short = time.monotonic(), asked.shortest(TRIED)
    answers = {text: asked.answer(text) for text in short[:FIRST]}
    found, tested = (asks := Asked(asked, short, answers, QUESTIONS)).settle(lambda line: None)
    tried = [*short, *asked.drawn(np.random.default_rng(1), TRIED, LONGEST)]
    return {
        "questions": len(asks.answers) + len(tested),
        "steps": sum(len(trace) for trace in (*asks.answers.values(), *tested.values())),
        "counterexamples": 0,
        "seconds": round(time.monotonic() - began, 1),
        "right": found is not None and all(foretells(found, asked.answer(text)) for text in tried),
    }


def told(asked: Problem) -> dict[str, Any]:
    """`dfst learn` where nothing is asked: the examples are chosen by the table itself."""
    config = replace(configure(asked, seeds=SEEDS), device="cpu")
    with tempfile.TemporaryDirectory() as folder:
        learnt = learn(config, Path(folder, "run"))
    return {
        "questions": len(learnt.traces.inputs),
        "steps": learnt.traces.tokens,
        "counterexamples": 0,
        "seconds": round(learnt.seconds, 1),
        "right": learnt.exact,
        "strength": learnt.strength,
    }


OURS = {"merging": merging, "dfst": ours, "its table": told}


def main(path: str, *names: str) -> None:
    records, file = [], Path(path)
    if file.exists():
        records = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    for name in names or (*MACHINES, *(f"mealy{n}" for n in SIZES)):
        asked = problem(name)
        for learner in (*THEIRS, *OURS):
            if any((one["machine"], one["learner"]) == (name, learner) for one in records):
                continue
            found = OURS[learner](asked) if learner in OURS else theirs(asked.agent, THEIRS[learner])
            records.append({"machine": name, "states": len(asked.agent.states), "learner": learner, **found})
            print(records[-1], file=sys.stderr, flush=True)
            file.write_text("".join(f"{json.dumps(one)}\n" for one in records), "utf-8")
    keys = ("machine", "states", "learner", "questions", "steps", "counterexamples")
    print(f"| {' | '.join(keys)} | right |\n|{'---|' * 7}")
    for one in records:
        right = one.get("strength", "yes") if one["right"] else "no"
        print(f"| {' | '.join(str(one[key]) for key in keys)} | {right} |")


if __name__ == "__main__":
    main(*sys.argv[1:])
