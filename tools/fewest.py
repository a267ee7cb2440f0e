"""How few examples are enough: chosen sets of every task, beside random ones of the same size.

    python tools/fewest.py learn RUNS docs/research/records/fewest.jsonl [TASK …] [--device cuda]
        [--at-once 6] [--seeds 16] [--draws 5] [--levels 0 1 2 3 5] [--data-seed 0] [--steps N] [--least N]
        [--soon | --pairs]
    python tools/fewest.py others docs/research/records/fewest.jsonl TASK [TASK …]
    python tools/fewest.py table docs/research/records/fewest.jsonl
    python tools/fewest.py draw docs/research/records/fewest.jsonl docs/images/fewest.svg
    python tools/fewest.py files docs/research/records/fewest.jsonl examples/teaching-sets

The first set of a task tells everything apart once; or, asked for as level 0, it leaves no other machine as
small, as far as a SAT solver can tell. Where not every seed learns it so that it is proved, the next one
tells everything apart more often. A proof on the condition that the expert has a rule (gcd, div and mod,
whose experts do not divide by 0) is one. Of the first size at which all are proved, or of the last, random
sets are drawn from the same candidates. Each set is a `dfst learn --every-seed` of its own, several at once,
in a folder under RUNS. A line is added to the record as soon as a set is learnt; what it holds is not learnt
again, and a run that was broken off (Ctrl-C, `timeout -s INT`) goes on. --least: of inputs of so many symbols
or more alone. --soon: sets that tell everything apart as soon as any candidate does, and show every short
stay; --pairs: these, and every symbol after every rule. `others` lets a SAT solver say for each chosen set
how many states a machine must have that explains it and errs.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from dfst.cli.reproduced import Children, Run
from dfst.counted import counted
from dfst.errors import InputError
from dfst.problems import Problem, find_problem
from dfst.proof.verdict import SETTLED
from dfst.states.certify import certify, determined
from dfst.subjects import shipped_models
from dfst.traces.sample import record_all
from dfst.traces.teaching_set import fewest

ASKED = {"add2": 8, "add10": 63, "mult2": 6, "mult10": 400, "gcd10": 80, "div2": 29, "a5": 120, "s5": 240}
"""At most so many examples, set beforehand; these tasks come first."""
FEW_SEEDS = 4
"""Of a random set."""
DIGITS = 10
"""Of the final evaluation, which has no say here: what counts is the proof."""

Record = dict[str, Any]


@dataclass(frozen=True)
class Set:
    """A training set: chosen to tell everything apart so many times, or drawn."""

    task: str
    data_seed: int
    """Of the candidates"""
    times: int
    """How often a chosen set of this size tells everything apart; 0: it leaves no other machine as small"""
    draw: int | None
    """None where it is chosen"""
    seeds: int
    steps: int | None
    """Of the training; None as many as the recipe says"""
    least: int = 0
    """Symbols of the shortest input that may be chosen"""
    soon: bool = False
    """Whether it tells everything apart as soon as can be, and shows every short stay"""
    pairs: bool = False
    """Whether it shows every symbol after every rule as well"""

    @property
    def name(self) -> str:
        kind = "chosen" if self.draw is None else f"drawn-{self.draw}"
        of = f"-{self.least}" if self.least else ""
        of += "-pairs" if self.pairs else "-soon" if self.soon else ""
        return f"{self.task}-{self.data_seed}-{self.times}-{kind}{of}"

    @property
    def inputs(self) -> tuple[str, ...]:
        chosen, candidates = _inputs(self.task, self.data_seed, self.times, self.least, self.soon, self.pairs)
        if self.draw is None:
            return chosen
        order = np.random.default_rng(self.draw).permutation(len(candidates))
        return tuple(candidates[i] for i in order[: len(chosen)].tolist())


def is_input(problem: Problem, text: str) -> bool:
    """Whether anybody may ask it; an example of a board that is half worked is none."""
    try:
        problem.agent.task.parse(text)
    except InputError:
        return False
    return True


@cache
def _inputs(
    task: str, data_seed: int, times: int, least: int, soon: bool, pairs: bool
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The chosen ones, and all that they are chosen from."""
    problem = find_problem(task, data_seed=data_seed, examples="fewest")
    tried = problem.candidates()
    whole = [i for i, text in enumerate(tried.inputs) if len(text) >= least and is_input(problem, text)]
    tried = tried.subset(whole)
    traces, _ = (
        fewest(problem.agent, tried, times, soon, pairs) if times else determined(problem.agent, tried)
    )
    return traces.inputs, tried.inputs


def learn(asked: argparse.Namespace) -> None:
    names = asked.tasks or [*ASKED, *(name for name in shipped_models() if name not in ASKED)]
    asked.runs.mkdir(parents=True, exist_ok=True)
    known = {Set(**line["set"]): line for line in lines(asked.records)}
    children = Children()

    def learnt(what: Set) -> Record | None:
        """A line of the record; None where it was broken off."""
        folder, inputs = asked.runs / what.name, what.inputs
        given = asked.runs / f"{what.name}.txt"
        given.write_text("".join(f"{text}\n" for text in inputs), "utf-8")
        words = ["--inputs", str(given), "--seeds", str(what.seeds), "--every-seed", "--device", asked.device]
        words += ["--digits", str(DIGITS), *(("--steps", str(what.steps)) if what.steps else ())]
        run = Run(what.task, what.data_seed, folder, tuple(words))
        if run.report is None:
            run.learn(asked.runs / f"{what.name}.log", children)
        if (report := run.report) is None:
            return None
        outcomes = [candidate["strength"] for candidate in report["candidates"]]
        return {
            "set": asdict(what),
            "examples": len(inputs),
            "symbols": sum(map(len, inputs)),
            "proved": sum(map(outcomes.count, SETTLED)),
            "polished": sum(candidate["states"] is not None for candidate in report["candidates"]),
            "outcomes": outcomes,
            "statement": report["statement"],
            "device": report["device"],
            "seconds": report["seconds"],
        }

    def first() -> Iterator[Set]:
        for name in names:
            of = (asked.seeds, asked.steps, asked.least, asked.soon, asked.pairs)
            yield Set(name, asked.data_seed, asked.levels[0], None, *of)

    def after(what: Set, line: Record) -> Iterator[Set]:
        """What this outcome asks for."""
        if what.draw is not None:
            return
        left = [times for times in asked.levels if times > what.times]
        if line["proved"] < what.seeds and left:
            yield replace(what, times=left[0])
        else:
            for draw in range(asked.draws):
                yield replace(what, draw=draw, seeds=min(FEW_SEEDS, what.seeds))

    waiting, running = list(first()), dict[Future[Record | None], Set]()
    with ThreadPoolExecutor(asked.at_once) as pool:
        try:
            while waiting or running:
                waiting.sort(key=lambda what: (what.draw is not None, what.times, what.draw or 0))  # stable
                while waiting and len(running) < asked.at_once:
                    what = waiting.pop(0)
                    if what in known:
                        waiting += after(what, known[what])
                        break
                    running[pool.submit(learnt, what)] = what
                else:
                    for future in wait(running, return_when=FIRST_COMPLETED).done:
                        what = running.pop(future)
                        if (line := future.result()) is None:
                            print(f"{what.name}: see its log", file=sys.stderr, flush=True)
                            continue
                        with asked.records.open("a", encoding="utf-8") as file:
                            file.write(f"{json.dumps(line)}\n")
                        told = f"{line['proved']} of {what.seeds} proved, {line['examples']} examples"
                        print(f"{what.name}: {told}, {line['seconds']} s", file=sys.stderr, flush=True)
                        waiting += after(what, line)
        except BaseException:
            children.stop()
            raise


def lines(path: Path) -> list[Record]:
    found = [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []
    # older lines counted those without a condition alone
    return [line | {"proved": sum(map(line["outcomes"].count, SETTLED))} for line in found]


@dataclass(frozen=True)
class Row:
    """A task in the table."""

    task: str
    tried: list[Record]
    """The chosen sets, the smaller first"""
    drawn: list[Record]
    """Random ones as large as the smallest of those that taught all seeds and have such beside them"""

    @property
    def best(self) -> Record:
        return best(self.tried)

    @property
    def enough(self) -> bool:
        return whole(self.best)

    def chosen(self, kind: str) -> str:
        """Examples and seeds proved of each chosen set of a kind: once, soon, pairs or determined."""
        most = max(x["set"]["seeds"] for x in self.tried)
        of = [x for x in self.tried if kind_of(x) == kind and x["set"]["seeds"] == most]
        said = [f"{x['examples']:,}: {x['proved']} of {x['set']['seeds']}" for x in of]
        return "; ".join(said) or "–"


def kind_of(line: Record) -> str:
    if line["set"].get("pairs"):
        return "pairs"
    return "soon" if line["set"].get("soon") else "once" if line["set"]["times"] else "determined"


def whole(line: Record) -> bool:
    return bool(line["proved"] == line["set"]["seeds"])


def best(tried: list[Record], share: float = 1.0) -> Record:
    """The smallest set that taught this share of the most seeds that were tried; where none did, of
    those that taught most."""
    most = max(line["set"]["seeds"] for line in tried)
    enough = (x for x in tried if x["proved"] >= share * most)
    return next(enough, max(tried, key=lambda x: int(x["proved"])))


def rows(path: Path) -> list[Row]:
    found = []
    records = lines(path)
    for task in sorted({line["set"]["task"] for line in records}):
        of = [line for line in records if line["set"]["task"] == task and not line["set"].get("least")]
        tried = sorted(
            (x for x in of if x["set"]["draw"] is None), key=lambda x: (x["examples"], x["set"]["times"])
        )
        if tried:
            random = [x for x in of if x["set"]["draw"] is not None]
            sizes = [x["examples"] for x in tried if whole(x)] + [best(tried)["examples"]]
            size = next((n for n in sizes if any(x["examples"] == n for x in random)), sizes[0])
            drawn = [x for x in random if x["examples"] == size]
            found.append(Row(task, tried, drawn))
    return found


def table(path: Path) -> None:
    print(
        "| task | usual set | asked for | told apart 1, 2, 3, 5 times | soon | pairs | determined | random |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for row in rows(path):
        usual = find_problem(row.task, told_apart=0).training_set().traces
        drawn = ", ".join(f"{x['proved']}" for x in row.drawn)
        of = f" of {row.drawn[0]['set']['seeds']}" if row.drawn else "–"
        size = f"{row.drawn[0]['examples']}: " if row.drawn else ""
        asked = f"{ASKED[row.task]:,}" if row.task in ASKED else "–"
        chosen = " | ".join(map(row.chosen, ("once", "soon", "pairs", "determined")))
        print(f"| {row.task} | {len(usual):,} | {asked} | {chosen} | {size}{drawn}{of} |")


MORE, DOUBTED = 3, 100
"""States beyond the expert's that another machine may have; inputs on which it may err."""


def others(path: Path, tasks: list[str]) -> None:
    """For each chosen set: the fewest states of a machine that explains it and errs."""
    print("| task | states | examples | symbols each | seeds proved | smallest wrong machine |")
    print("|---|---|---|---|---|---|")
    for line in sorted(lines(path), key=lambda line: (line["set"]["task"], line["examples"])):
        of = Set(**line["set"])
        if of.task not in tasks or of.draw is not None:
            continue
        problem = find_problem(of.task)
        agent, shown = problem.agent, set(of.inputs)
        asked = [text for text in problem.shortest(2 * DOUBTED) if text not in shown][:DOUBTED]
        traces = record_all(agent, list(of.inputs)), record_all(agent, asked)
        sizes = range(1, len(agent.states) + MORE + 1)
        found = next((str(n) for n in sizes if not certify(agent, *traces, n).determined), f"> {sizes[-1]}")
        each = f"{min(map(len, shown))} to {max(map(len, shown))}"
        print(f"| {of.task} | {len(agent.states)} | {line['examples']} | {each} | "
              f"{line['proved']} of {of.seeds} | {found} |", flush=True)  # fmt: skip


def draw(path: Path, picture: str) -> None:
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "dfst"
    from matplotlib import pyplot as plt

    found = sorted((row for row in rows(path) if row.enough), key=lambda row: row.best["examples"])
    usual = [len(find_problem(row.task, told_apart=0).training_set().traces) for row in found]
    few = [row.best["examples"] for row in found]
    figure, axis = plt.subplots(figsize=(7, 0.22 * len(found) + 1))
    at = np.arange(len(found))
    axis.hlines(at, few, usual, color="0.8")
    axis.plot(usual, at, "o", color="0.6", ms=4, label="the usual or the paper's set")
    axis.plot(few, at, "o", color="tab:blue", ms=5, label="chosen, every seed proved")
    for y, row in zip(at, found, strict=True):
        if row.drawn:
            of = sum(x["set"]["seeds"] for x in row.drawn)
            share = sum(x["proved"] for x in row.drawn)
            axis.annotate(f"random: {share} of {of}", (row.best["examples"], y), (-6, -3), fontsize=6,
                          textcoords="offset points", ha="right", color="0.4")  # fmt: skip
    axis.set_xscale("log")
    axis.set_xlim(left=min([*few, 1]) / 3)
    axis.set_yticks(at, [row.task for row in found], fontsize=7)
    axis.set_xlabel("examples")
    axis.legend(fontsize=7, frameon=False)
    figure.tight_layout()
    figure.savefig(picture, metadata={"Date": None})


def files(path: Path, folder: str) -> None:
    """A set for every task, one input a line: the smallest that taught seven in eight of all seeds; the best
    that was learnt, where none did; one that tells all apart once, where none taught any."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    found = {row.task: best(row.tried, 7 / 8) for row in rows(path)}
    learnt = {task: Set(**line["set"]) for task, line in found.items() if line["proved"]}
    for task in shipped_models():
        if task == "sudoku":  # whose examples begin half worked, where nobody may begin
            continue
        inputs = learnt.get(task, Set(task, 0, 1, None, 16, None)).inputs
        lines = (text.replace("\n", "/") + "\n" for text in inputs)
        Path(folder, f"{task}.txt").write_text("".join(lines), "utf-8")
        print(f"{task}: {counted(len(inputs), 'example')}", file=sys.stderr, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(required=True)
    learning = commands.add_parser("learn")
    learning.add_argument("runs", type=Path)
    learning.add_argument("records", type=Path)
    learning.add_argument("tasks", nargs="*")
    learning.add_argument("--device", default="auto")
    learning.add_argument("--at-once", type=int, default=6)
    learning.add_argument("--seeds", type=int, default=16)
    learning.add_argument("--draws", type=int, default=5)
    learning.add_argument("--levels", type=int, nargs="+", default=[1, 2, 3, 5])
    learning.add_argument("--data-seed", type=int, default=0)
    learning.add_argument("--steps", type=int)
    learning.add_argument("--least", type=int, default=0)
    learning.add_argument("--soon", action="store_true")
    learning.add_argument("--pairs", action="store_true")
    learning.set_defaults(do=learn)
    for name, do in (("table", lambda of: table(of.path)), ("draw", lambda of: draw(of.path, of.to)),
                     ("files", lambda of: files(of.path, of.to)),
                     ("others", lambda of: others(of.path, of.to))):  # fmt: skip
        command = commands.add_parser(name)
        command.add_argument("path", type=Path)
        if name != "table":
            command.add_argument("to", nargs="+" if name == "others" else None)
        command.set_defaults(do=do)
    asked = parser.parse_args()
    asked.do(asked)


if __name__ == "__main__":
    main()
