"""Problems that had no part in the making of the recipe, learnt without options: docs/results/unseen.md.

python tools/unseen.py runs/unseen docs/research/records/unseen.jsonl

Each is learnt by `dfst learn PROBLEM --language PATTERN`, in a process of its own. What is learnt is then
asked inputs of another seed, action by action, whatever its own report says. Given again, finished runs are
read.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import dfst
from dfst.evaluation.evaluate import evaluate
from dfst.model.rollout.compiled import Rollout
from dfst.problems import find_problem

FOLDER = Path(__file__).parent.parent / "examples" / "unseen"
MACHINES = {
    "palindrome": "[ab]*", "copy_ones": "1*", "an_bn": "a*b*", "an_bn_cn": "a*b*c*", "powers_of_two": "0*",
    "unary_minus": "1*-1*", "equal_words": "[01]*#[01]*", "divisible7": "[01]*", "unary_times": r"1*\*1*=",
    "bit_shift": "[01]*",
}  # fmt: skip
FUNCTIONS = {
    "complement": "[01]*", "gray": "[01]*", "decrement": "[01]+", "increment3": "[012]+",
    "times_three": "[01]+", "rotate": "[ab]*", "swap_pairs": "[ab]*", "delay": "[ab]*",
    "bits_in_order": "[01]*", "brackets": "[()]*", "erase_b": "[abc]*", "nines": "[0123456789]*",
    "divide_by_five": "[01234567]*", "vending": "[dnq]*", "elevator": "[UD]*",
}  # fmt: skip
PROBLEMS = {
    **{name: (str(FOLDER / f"{name}.yaml"), language) for name, language in MACHINES.items()},
    **{name: (f"{FOLDER / 'functions.py'}:{name}", language) for name, language in FUNCTIONS.items()},
}
SEED = 41
"""Draws the inputs of the check."""


def learnt(name: str, out: Path) -> dict[str, object]:
    """What `dfst learn` says of a problem, and on how many inputs of its own the check finds an error."""
    subject, language = PROBLEMS[name]
    folder = out / name
    about = {"problem": name, "language": language}
    begun = ["--resume", folder] if (folder / "config.json").exists() else None
    words = begun or [subject, "--language", language, "--out", folder]
    if not (folder / "report.json").exists():
        command = [sys.executable, "-m", "dfst", "learn", *map(str, words)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if not (folder / "report.json").exists():
            return {**about, "exact": False, "statement": done.stderr.splitlines()[-1]}
    report = json.loads((folder / "report.json").read_text("utf-8"))
    problem = find_problem(subject, language=language)
    [asked] = evaluate(Rollout(dfst.load(folder)), problem, (), seed=SEED).measurements
    counts = {"states": len(problem.agent.states), "asked": asked.inputs, "wrong": len(asked.failures)}
    return {**about, **counts, **{key: report[key] for key in ("exact", "strength", "statement", "seconds")}}


def main(out: str, records: str) -> None:
    found = []
    for name in PROBLEMS:
        found.append(learnt(name, Path(out)))
        print(f"{name}: {found[-1]['statement']}", file=sys.stderr)
        Path(records).write_text("".join(f"{json.dumps(line)}\n" for line in found), "utf-8")
    print("| problem | inputs | states | verdict | errors of a check |\n|---|---|---|---|---|")
    for line in found:
        verdict = line.get("strength", "refused") if line["exact"] else f"not exact: {line['statement']}"
        checked = f"{line['wrong']} of {line['asked']}" if "asked" in line else "–"
        cells = (line["problem"], f"`{line['language']}`", line.get("states", "–"), verdict, checked)
        print(f"| {' | '.join(map(str, cells))} |")
    exact = [line for line in found if line["exact"]]
    wrongly = sum(bool(line["wrong"]) for line in exact)
    print(f"\n{len(exact)} of {len(found)} exact, {wrongly} wrongly called right")


if __name__ == "__main__":
    main(*sys.argv[1:])
