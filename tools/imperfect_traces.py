"""Learning from traces with wrong and unknown actions: seeds proved, errors found and falsely accused.

    python tools/imperfect_traces.py TASK [TASK …] [--wrong 0.05 …] [--unknown 0.3 …] [--seeds 4]
        [--samples N | --enough] [--data-seed 100] [--draws 0 1] [--device auto] [--at-once 1] [--out RECORD]
        [--learner dfst|gru]
    python tools/imperfect_traces.py --table docs/research/records/imperfect.jsonl
    python tools/imperfect_traces.py TASK … --wrong … --unknown … --data-seed 100 --lost

RECORD (docs/research/records/imperfect.jsonl) gets a line for each case as soon as it is measured; what it
holds already is not measured again, so a run that was stopped goes on when it is started again.

Actions of the task's training set are made unknown, and of the others some are replaced by a random other
action; what was read stays as it was. The learner gets that and nothing else, and every seed is then held
against the task's expert. Beside it: the prefix tree of the same traces, with the action that most of each
history show, merged by evidence. --lost trains nothing: it counts the rules whose right action is shown no
more often than wrong ones, which no learner can know, and says whether
the likeliest machine near the expert is the expert. --enough foretells, from the two rates and the
number of rules alone, how often a rule must be shown so that at odds of 19 to 1 none is lost, and tops the
draw up until everything is told apart so often; runs on inputs that alone show something are repeated.
--learner gru trains a GRU of as many parameters in place of the DFST, on the recorded steps, and treats its
hidden states as ours: merged as far as nothing speaks against it, the likeliest machine near that, a vote of
all steps.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import count, groupby, product
from math import comb
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from dfst.cli.reproduced import Children
from dfst.counted import counted
from dfst.learning import learn
from dfst.machines.agent import MISSING, Agent
from dfst.model.weights import Shape
from dfst.paper import BATCH
from dfst.problems import Problem, as_problem
from dfst.problems.problem import prove_problem
from dfst.problems.recording import recorded_problem
from dfst.states.fewest import merge_tree, prefix_tree
from dfst.states.follow import followed_states
from dfst.states.graph import StateTable, settled
from dfst.states.likeliest import likelier
from dfst.states.merged import simplest_graph
from dfst.states.merging import minimise, quotient
from dfst.states.predicted import differs, scores
from dfst.traces.cover import cover
from dfst.traces.recording import Recording
from dfst.traces.replay import replayed_states, states_along
from dfst.traces.telling_apart import telling_apart
from dfst.traces.traceset import TraceSet, joined
from dfst.train.config import RunConfig
from dfst.train.engines import Device, pick_device
from dfst.train.recipe import find_recipe
from dfst.world.grid import S
from dfst.world.trace import UNKNOWN

Steps = NDArray[np.bool_]
GRU_STEPS = 10_000
GRU_SIZE = 32  # hidden size of the DFST that has as many parameters
RISK = 0.05  # that some rule is lost all the same


def spoilt(traces: TraceSet, wrong: float, unknown: float, draw: int) -> tuple[TraceSet, Steps]:
    """The traces with these shares of wrong and unknown actions, and which steps (T,) are wrong."""
    rng = np.random.default_rng(draw)
    hidden = rng.random(traces.tokens) < unknown
    planted = (rng.random(traces.tokens) < wrong) & ~hidden
    motions = len(traces.motions)
    every = len(traces.alphabet) * motions
    action = traces.s.astype(np.int64) * motions + traces.m
    action = np.where(planted, (action + rng.integers(1, every, traces.tokens)) % every, action)
    s, m = (part.astype(np.uint8) for part in divmod(action, motions))
    return replace(traces, s=s, m=m).without(hidden), planted


def lost(problem: Problem, clean: TraceSet, wrong: float, unknown: float, draw: int) -> tuple[int, int]:
    """Rules of which no right action is left, and those of which there are no more right ones than wrong."""
    traces, planted = spoilt(clean, wrong, unknown, draw)
    rules = replayed_states(problem.agent, clean) * len(clean.alphabet) + clean.x
    used, right, false = (
        np.bincount(rules[some], minlength=problem.agent.next.size)
        for some in (slice(None), traces.known & ~planted, planted)
    )
    return int(((used > 0) & (right == 0)).sum()), int(((used > 0) & (right <= false)).sum())


def stays(problem: Problem, clean: TraceSet, wrong: float, unknown: float, draw: int) -> bool:
    """Whether the likeliest machine, sought from the expert on, is the expert: if not, no seed will be."""
    traces, expert = spoilt(clean, wrong, unknown, draw)[0], minimise(problem.agent)
    table = _Unscored(np.zeros((len(expert.states), 1)), expert.write, expert.action, expert.next, 0.0)
    found = settled(likelier(table, traces, 2 * len(expert.states)), traces).agent("likeliest", expert)
    return prove_problem(found, problem).strength == "proved"


def enough(rules: int, wrong: float, unknown: float) -> int:
    """How often each of so many rules must be shown, so that every right action outvotes the wrong ones.

    At worst these are all the same. The chances of single rules are added up (Bonferroni).
    """
    right, wrong = (1 - unknown) * (1 - wrong), (1 - unknown) * wrong
    for times in count(1):
        ways = ((i, j) for i in range(times + 1) for j in range(i, times - i + 1))
        lost = sum(
            comb(times, i) * comb(times - i, j) * right**i * wrong**j * unknown ** (times - i - j)
            for i, j in ways
        )
        if rules * lost <= RISK:
            return times
    raise AssertionError


def repeated(agent: Agent, traces: TraceSet, times: int) -> TraceSet:
    """The traces, some of them several times, until everything that they tell apart is told so many times.

    Of what few inputs show, such as 0+0, a log has more than one run, and its errors are others each time.
    """
    while True:
        shown = telling_apart(agent, traces).counts
        told = (shown > 0) & (np.arange(shown.shape[1]) <= len(agent.states))
        lacking = np.where(told, np.maximum(times - shown, 0), 0)
        if not lacking.any():
            return traces
        again = traces.subset(cover(agent, traces, np.minimum(lacking, shown)))
        traces = joined(traces, again)


def measured(case: dict[str, Any], problem: Problem, clean: TraceSet, device: Device) -> dict[str, Any]:
    """One line of the record."""
    wrong, unknown, draw, seeds = (case[name] for name in ("wrong", "unknown", "draw", "seeds"))
    traces, planted = spoilt(clean, wrong, unknown, draw)
    about = problem.name, problem.alphabet, problem.blank, problem.layout, problem.task
    recording = Recording(*about, traces, taught=len(traces), errors=wrong > 0)
    began = time.monotonic()
    if case.get("learner") == "gru":
        used = pick_device(device)
        machines = [machine for seed in range(seeds) if (machine := _gru(traces, problem, seed, used))]
        proved = [prove_problem(machine, problem).strength == "proved" for machine in machines]
        against = [_against(machine, traces) for machine in machines] or [np.zeros_like(planted)]
        best = min(range(len(against)), key=lambda i: int(against[i].sum()))
        held_wrong, chosen_proved = against[best], [*proved, False][best]
        how: dict[str, Any] = {"device": used, "iterations": GRU_STEPS}
    else:
        recipe = replace(find_recipe("quick"), seeds=seeds)
        with tempfile.TemporaryDirectory() as folder:
            config = RunConfig(recorded_problem(recording), recipe, device=device)
            learnt = learn(config, Path(folder) / "run")
        proved = [
            outcome.polished is not None and prove_problem(outcome.weights, problem).strength == "proved"
            for outcome in learnt.outcomes
        ]
        chosen = learnt.chosen.weights
        held_wrong = differs(scores(chosen.flat(), chosen.shape, traces), traces)
        chosen_proved = proved[[outcome.seed for outcome in learnt.outcomes].index(learnt.chosen.seed)]
        how = {"device": learnt.device, "hidden_size": chosen.shape.d}
    return {
        **case,
        "steps": traces.tokens,
        **how,
        "proved": sum(proved),
        "chosen_proved": chosen_proved,
        "planted": int(planted.sum()),
        "found": int((held_wrong & planted).sum()),
        "accused": int((held_wrong & ~planted).sum()),
        "merging": _merged(traces, problem),
        "seconds": round(time.monotonic() - began),
    }


class _Unscored(StateTable):
    """States of a network, which are asked for no scores: where no step votes, the first action is taken."""

    def scores(self, _state: int, _x: int) -> tuple[NDArray[np.floating], NDArray[np.floating]]:
        return np.zeros(1), np.zeros(1)


def _gru(traces: TraceSet, problem: Problem, seed: int, device: Literal["cpu", "cuda"]) -> Agent | None:
    """The machine that the hidden states of a GRU merge into; None where there is none."""
    import torch

    from dfst.experiments.baselines.network import (
        GRU,
        PILOT,
        RATES,
        Actions,
        NetworkReader,
        Training,
        nearest_width,
        padded,
    )

    actions = Actions(len(traces.alphabet), traces.motions)
    width = nearest_width(GRU, actions, Shape(actions.symbols, len(actions.motions), GRU_SIZE).size)
    data = padded(traces, device)

    def begun(rate: float) -> Training:
        torch.manual_seed(seed)
        return Training(GRU(actions, width).to(device), data, seed, BATCH, rate)

    training = begun(min(RATES, key=lambda rate: begun(rate).train(round(PILOT * GRU_STEPS))))
    training.train(GRU_STEPS)
    reader = NetworkReader(training.network.eval())
    said = np.zeros((traces.tokens, actions.scores))
    for i in range(len(traces)):
        piece = slice(traces.start[i], traces.start[i + 1])
        x = torch.from_numpy(traces.x[piece][None]).to(device).long()
        with torch.no_grad():
            said[piece] = training.network(x)[0][0].cpu().numpy()
    hidden = reader.hidden_states()
    assert hidden is not None
    agreed, nothing = traces.without(differs(said, traces)), traces.without(traces.known)
    finest = next((table for shown in (agreed, nothing) for table in followed_states(hidden, shown)), None)
    if finest is None:
        return None
    graph = likelier(simplest_graph(_Unscored(**vars(finest))), traces, GRU_SIZE)
    return settled(graph, traces).agent("GRU", problem.agent)


def _against(machine: Agent, traces: TraceSet) -> Steps:
    """(T,) the recorded actions that a machine holds for wrong, or has no rule for."""
    at, x = states_along(machine.next, traces), traces.x
    right = (machine.write[at.clip(0), x] == traces.s) & (machine.action[at.clip(0), x] == traces.m)
    return traces.known & ~((at >= 0) & right)


def _merged(traces: TraceSet, problem: Problem) -> dict[str, Any]:
    """What merging by evidence makes of the same traces."""
    tree = prefix_tree(_outvoted(traces))
    merging, _ = merge_tree(tree, all_branches=True)
    if merging is None:
        return {"states": None, "proved": False}
    write, motion, following = quotient(tree, np.unique(merging.roots, return_inverse=True)[1])
    following = np.where(motion == UNKNOWN, MISSING, following).astype(np.int32)
    write, motion = (np.where(following == MISSING, 0, part).astype(np.uint8) for part in (write, motion))
    table = StateTable(np.zeros((len(write), 0)), write, motion, following, 0.0)
    machine = table.agent("merged", problem.agent)
    return {"states": len(table), "proved": prove_problem(machine, problem).strength == "proved"}


def _outvoted(traces: TraceSet) -> TraceSet:
    """Every history with the action that most traces show after it; no trace goes on after it halts."""
    node, nodes = np.zeros(traces.tokens, dtype=np.int64), {}
    for i in range(len(traces)):
        at: tuple[int, int] = (0, 0)
        for t in range(traces.start[i], traces.start[i + 1]):
            at = (nodes.setdefault((*at, int(traces.x[t])), len(nodes) + 1), 0)
            node[t] = at[0]
    s, m = traces.s.copy(), traces.m.copy()
    ends = set((traces.start[1:] - 1).tolist())
    inside = {int(node[t]) for t in range(traces.tokens) if t not in ends}
    shown: dict[int, Counter[tuple[int, int]]] = {}
    for t in np.flatnonzero(traces.known).tolist():
        if m[t] != S or int(node[t]) not in inside:
            shown.setdefault(int(node[t]), Counter())[int(s[t]), int(m[t])] += 1
    for t in range(traces.tokens):
        votes = shown.get(int(node[t]))
        s[t], m[t] = votes.most_common(1)[0][0] if votes else (UNKNOWN, UNKNOWN)
    return replace(traces, s=s, m=m)


def _lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


def table(file: Path) -> str:
    """The record as a table, draws together."""
    rows = [
        "| task | examples | wrong | unknown | seeds proved | chosen one proved | errors found | "
        "falsely accused | merging alone proved |",
        "|---|---|---|---|---|---|---|---|---|",
    ]

    def case(line: dict[str, Any]) -> tuple[Any, ...]:
        learner = ", GRU" if "learner" in line else ""
        return f"{line['task']}{learner}", line["examples"], line["wrong"], line["unknown"]

    for (task, examples, wrong, unknown), group in groupby(sorted(_lines(file), key=case), key=case):
        of = list(group)
        total = {
            name: sum(line[name] for line in of)
            for name in ("proved", "seeds", "planted", "found", "accused")
        }
        chosen, merged = (
            sum(line["chosen_proved"] for line in of),
            sum(line["merging"]["proved"] for line in of),
        )
        rows.append(
            f"| {task} | {examples} | {wrong:.0%} | {unknown:.0%} | {total['proved']} of {total['seeds']} | "
            f"{chosen} of {len(of)} | {total['found']} of {total['planted']} | {total['accused']} | "
            f"{merged} of {len(of)} |"
        )
    return "\n".join(rows)


def _command(asked: argparse.Namespace, task: str, wrong: float, unknown: float, draw: int) -> list[str]:
    """What measures one case."""
    words = [sys.executable, __file__, task, "--wrong", wrong, "--unknown", unknown, "--draws", draw]
    options = ("seeds", "samples", "data_seed", "device", "out", "learner")
    given = {name: vars(asked)[name] for name in options}
    words += ["--enough"] * asked.enough
    named = ((f"--{name.replace('_', '-')}", value) for name, value in given.items() if value is not None)
    return [str(word) for word in (*words, *(word for pair in named for word in pair))]


def _at_once(commands: Sequence[list[str]], number: int) -> None:
    """Each in a process of its own, so many at a time; Ctrl-C ends them all."""
    children = Children()
    with ThreadPoolExecutor(number) as pool:
        try:
            list(pool.map(lambda command: children.run(command, None, None), commands))
        except BaseException:
            children.stop()
            raise


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("tasks", nargs="*")
    parser.add_argument("--wrong", type=float, nargs="+", default=[0.0, 0.01, 0.02, 0.05, 0.1])
    parser.add_argument("--unknown", type=float, nargs="+", default=[0.0, 0.1, 0.3, 0.5])
    parser.add_argument("--draws", type=int, nargs="+", default=[0])
    parser.add_argument("--seeds", type=int, default=4)
    how_many = parser.add_mutually_exclusive_group()
    how_many.add_argument("--samples", type=int)
    how_many.add_argument("--enough", action="store_true")
    parser.add_argument("--data-seed", type=int)
    parser.add_argument("--device", choices=get_args(Device), default="auto")
    parser.add_argument("--at-once", type=int, default=1)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--table", type=Path)
    parser.add_argument("--lost", action="store_true")
    parser.add_argument("--learner", choices=("dfst", "gru"), default="dfst")
    asked = parser.parse_args()
    known = _lines(asked.out) if asked.out and asked.out.exists() else []
    cells = list(product(asked.tasks, asked.wrong, asked.unknown, asked.draws))
    if asked.at_once > 1 and len(cells) > 1 and not asked.lost:
        _at_once([_command(asked, *cell) for cell in cells], asked.at_once)
        cells = []
    for task, wrong, unknown, draw in cells:
        drawn = {"samples": asked.samples, "data_seed": asked.data_seed}
        problem = as_problem(task, **drawn)
        if asked.enough:
            times = enough(problem.agent.rule_count, wrong, unknown)
            problem = as_problem(task, **drawn, told_apart=times)
        clean = problem.training_set().traces
        if asked.enough:
            clean = repeated(problem.agent, clean, times)
        if asked.lost:
            never, outvoted = lost(problem, clean, wrong, unknown, draw)
            examples = counted(len(clean), "example")
            told = f"of {problem.agent.rule_count} rules {never} are never rightly shown"
            rates = f"{wrong:.0%} wrong, {unknown:.0%} unknown"
            likeliest = "the expert" if stays(problem, clean, wrong, unknown, draw) else "another machine"
            print(
                f"{task}, {examples}, {rates}: {told}, {outvoted} no more often than wrongly; "
                f"{likeliest} is likeliest",
                flush=True,
            )
            continue
        case = {
            "task": problem.name,
            "examples": len(clean),
            "data_seed": problem.data_seed,
            "wrong": wrong,
            "unknown": unknown,
            "draw": draw,
            "seeds": asked.seeds,
            **({"told_apart": times} if asked.enough else {}),
            **({} if asked.learner == "dfst" else {"learner": asked.learner}),
        }
        if any(line.items() >= case.items() and ("learner" in line) == ("learner" in case) for line in known):
            continue
        line = json.dumps(measured(case, problem, clean, asked.device))
        print(line, flush=True)
        if asked.out:
            with asked.out.open("a", encoding="utf-8") as file:
                file.write(line + "\n")
    if asked.table:
        print(table(asked.table))


if __name__ == "__main__":
    main()
