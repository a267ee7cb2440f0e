"""Make a finished model one that comes with the package: both precisions, its proof and a model card.

    python tools/ship.py RUN_OR_WEIGHTS [--digits 600] [--far 1500]
    python tools/ship.py RUN_WITHOUT_POLISH [--digits 600] [--seed 0]

Writes src/dfst/weights/TASK.safetensors (float64), TASK.float32.safetensors, TASK.md and TASK.proof.json. A
model that is exact but does not repeat to the bit is written back into the basis of its learnt states first.
Of a run without a polish (`dfst learn TASK --preset descent --every-seed`) it writes TASK.descent.safetensors
as it was trained and TASK.descent.md, which says how many seeds are exact: the seed with the smallest loss,
or the one given, and then the card says that it was picked.
A card's figures are measured here and now, on inputs that had no part in training or choosing; what it says
is proved, the checker said of both files.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import DTypeLike

from dfst.agents.registry import expert
from dfst.errors import InputError
from dfst.evaluation.length import evaluate
from dfst.learning.learn import resume_plan
from dfst.learning.measure import FINAL_SEED
from dfst.learning.plan import Plan, make_plan, usual_sampling
from dfst.learning.recipe import QUICK, Recipe, find_recipe
from dfst.learning.runfolder import RunFolder
from dfst.learning.vote import FEWEST_SEEDS
from dfst.model.weights import Weights, load_weights, save_weights
from dfst.paper import TASKS
from dfst.proof import Verdict, prove, save_proof
from dfst.proof.recheck import recheck
from dfst.rollout.compiled import Rollout
from dfst.states import Refused, extract
from dfst.states.written import write_back
from dfst.subjects import DESCENT

WEIGHTS = Path(__file__).parent.parent / "src" / "dfst" / "weights"
TYPED = (
    "iterations",
    "rate",
    "clip",
    "decay",
    "rare",
    "noise",
    "settle",
    "settle_by",
    "settle_over",
    "settle_rise",
    "settle_fall",
    "settle_on",
    "batch",
)
"""Numbers of a recipe that have an option."""


def ship(
    model: Path,
    digits: Sequence[int] = (),
    far: Sequence[int] = (),
    out: Path = WEIGHTS,
    seed: int | None = None,
) -> str:
    """Prove, measure and write everything about a model; the text of its card."""
    folder = RunFolder(model) if model.is_dir() else None
    trained = resume_plan(model).recipe if folder else None
    if folder and trained and not trained.polish:
        return ship_descent(folder, digits, out, seed)
    weights = load_weights(folder.model_file if folder else model).astype(np.float64)
    if weights.task is None:
        raise SystemExit(f"{model} has no task; only models of a task are shipped")
    task = weights.task.name
    weights = replace(weights, name=task)
    verdict = prove(weights, expert(task))
    if verdict.strength != "proved":
        weights, verdict = _written(weights, verdict)
    lines = [measure(weights, n, np.float32) for n in digits] + [measure(weights, n, np.float64) for n in far]
    lengths = [*digits, *far]
    for n, line in zip(lengths, lines, strict=True):
        if "| right |" not in line:
            raise SystemExit(f"{model} is not exact at {n:,}, so it is not shipped: {line}")
    measured = f"RLG ≥ {max(lengths):,}, {verdict.strength}" if lengths else verdict.strength
    weights = replace(
        weights, training={**weights.training, "measured": measured, "strength": verdict.strength}
    )
    files = {np.float64: out / f"{task}.safetensors", np.float32: out / f"{task}.float32.safetensors"}
    for dtype, file in files.items():
        save_weights(weights.astype(dtype), file)
    if verdict.proof is not None:
        save_proof(verdict.proof, out / f"{task}.proof.json")
        for file in files.values() if verdict.strength == "proved" else ():
            recheck(out / f"{task}.proof.json", load_weights(file), expert(task))
    text = card(weights, lines, verdict, trained or QUICK[task], _rule(folder))
    (out / f"{task}.md").write_text(text, encoding="utf-8")
    return text


def ship_descent(
    folder: RunFolder, digits: Sequence[int] = (), out: Path = WEIGHTS, seed: int | None = None
) -> str:
    """Measure and write what gradient descent alone made, with the count of exact seeds; its card."""
    plan = resume_plan(folder.path)
    weights = load_weights(folder.model_file if seed is None else folder.seed_file(seed))
    if weights.task is None or weights.task.name not in TASKS:
        raise SystemExit(f"{folder.path} is no run of a task of the paper; only those are shipped")
    task = weights.task.name
    length = TASKS[task].tested_digits
    candidates = json.loads(folder.report_file.read_text("utf-8"))["candidates"]
    right = [m["right"] for seed in candidates for m in seed["measured"] if m["digits"] == length]
    if len(right) != len(candidates):
        raise SystemExit(
            f"{folder.path} was not measured at {length} digits on every seed; first: "
            f"dfst learn --resume {folder.path} --every-seed"
        )
    exact = f"{sum(right)} of {len(right)}"
    others = sorted(seed["reach"] for seed in candidates if seed["reach"] is not None)
    name = f"{task}{DESCENT}"
    weights = replace(weights, name=name)
    lines = [measure(weights, n, weights.dtype) for n in digits or (length,)]
    far = [n for n, line in zip(digits or (length,), lines, strict=True) if "| right |" in line]
    measured = (f"RLG ≥ {max(far):,}; " if far else "") + f"{exact} seeds exact at {length:,}"
    told = {**weights.training, "measured": measured, "exact_seeds": exact, "strength": "tested"}
    save_weights(replace(weights, training=told), out / f"{name}.safetensors")
    reach = f"; the others meet no failure up to {', '.join(f'{n:,}' for n in others)}" if others else ""
    text = f"""# {name}

**Gradient descent alone**, no polish: {exact} seeds are exact at {length:,} digits{reach}.

Learnt from {told["samples"]} traces of `expert:{task}` (the paper's sampler, data seed {told["data_seed"]}).
{_sizes(weights)}.

- Recipe: `{_command(plan)}`, that is
  {_adam(plan.recipe)}, {plan.recipe.precision}.
- Seed {told["seed"]}, training loss {told["loss"]}. {_choice(seed)}
- Tested, not proved: every action on the inputs below is compared with the expert's.
- Spectral radius of A[x], x = {" ".join(weights.alphabet)}: {_radii(weights)}.

{_table(lines, weights)}
"""
    (out / f"{name}.md").write_text(text, encoding="utf-8")
    return text


def _choice(seed: int | None) -> str:
    """Why this seed, for the card."""
    if seed is None:
        return "It has the smallest loss; nothing longer than the training set had a say."
    return (
        "It was **picked because it is exact**: the loss alone does not tell the exact seeds from the others."
    )


def _rule(folder: RunFolder | None) -> str:
    """How the seed of a polished model was chosen, as the run tells: some runs are older than the vote."""
    candidates = json.loads(folder.report_file.read_text("utf-8"))["candidates"] if folder else []
    polished = sum(seed["states"] is not None for seed in candidates)
    rule = "the machine that most of them agree on, then\n  the fewest learnt states, then the smallest loss"
    if any(seed.get("disagreement") is not None for seed in candidates):
        return f"the one that a vote of {polished}\n  puts nearest to the others, then {rule}"
    return f"{rule} (an older rule: they did not vote)" if polished >= FEWEST_SEEDS else rule


def _written(weights: Weights, verdict: Verdict) -> tuple[Weights, Verdict]:
    """The model in the basis of its learnt states and what is proved of it, where that can be had."""
    try:
        written = write_back(extract(weights).graph)
    except Refused:
        return weights, verdict
    words = f"{verdict.states} learnt states; no number moved by more than {written.moved:.0e}"
    again = replace(written.weights, training={**weights.training, "polish": words})
    return again, prove(again, expert(weights.name))


def measure(weights: Weights, digits: int, dtype: DTypeLike) -> str:
    """One line of the card."""
    name = weights.name
    assert weights.task is not None
    report = evaluate(Rollout(weights.astype(dtype)), name, expert(weights.task.name), digits, FINAL_SEED)
    verdict = "right" if report.right else f"{len(report.failures)} failures"
    precision = np.dtype(dtype).name
    command = f"dfst evaluate {name} --digits {digits} --precision {precision} --seed {FINAL_SEED}"
    return (
        f"| {digits:,} | {precision} | {verdict} | {report.inputs} | {report.steps:,} | {report.margin:.4f} "
        f"| `{command}` |"
    )


def card(weights: Weights, lines: Sequence[str], verdict: Verdict, recipe: Recipe, rule: str) -> str:
    """What there is to know about a shipped model; rule: how its seed was chosen."""
    task, told = weights.name, weights.training
    learn = f"dfst learn {task}" + (f" --seeds {recipe.seeds}" if recipe.seeds != QUICK[task].seeds else "")
    assumed, unit = "; ".join(verdict.assumptions), weights.task.unit if weights.task else "symbols"
    longest = usual_sampling(expert(task)).max_digits
    what = "numbers" if unit == "digits" else "inputs"
    sampler = "the paper's sampler" if task in TASKS else f"{what} of up to {longest} {unit}"
    return f"""# {task}

**{verdict.strength.capitalize()}**: {verdict.claim()}.

Learnt by gradient descent from {told["samples"]} traces of `expert:{task}` ({sampler}, data seed
{told["data_seed"]}), then polished. {_sizes(weights)}.

- Recipe: `{learn}`, that is {_adam(recipe)}, float32. Seed {told["seed"]}, loss {told["loss"]}.
- Polish: {told.get("polish", "none")}.
  It writes the learnt machine back into the weights, in the basis of its learnt states. Nothing but the
  training set had a say in it, nor in the choice among seeds: {rule}.
- Proof: `dfst prove {task}`, or `--check` with the stored `{task}.proof.json`: {verdict.checked}.
  Assumed: {assumed}.
- Spectral radius of A[x], x = {" ".join(weights.alphabet)}: {_radii(weights)}.

{_table(lines, weights)}
"""


def _sizes(weights: Weights) -> str:
    return f"{weights.shape.size:,} parameters, hidden size {weights.shape.d}"


def _command(plan: Plan) -> str:
    """What was typed to train it."""
    recipe, name = plan.recipe, plan.agent.name
    preset, usual = find_recipe(recipe.preset, name), make_plan(plan.agent, recipe.preset)
    words = f"dfst learn {name} --preset {recipe.preset} --seeds {recipe.seeds} --every-seed"
    for option in TYPED:
        if getattr(recipe, option) != getattr(preset, option):
            words += f" --{option.replace('_', '-')} {getattr(recipe, option)}"
    if plan.hidden_size != usual.hidden_size:
        words += f" --hidden-size {plan.hidden_size}"
    if plan.sampling and plan.sampling.data_seed != 0:
        words += f" --data-seed {plan.sampling.data_seed}"
    return words


def _adam(recipe: Recipe) -> str:
    said = f"{recipe.iterations:,} steps of Adam, rate {recipe.rate}, batch {recipe.batch}, cosine to 0"
    if recipe.clip:
        said += f", clip {recipe.clip}"
    if recipe.decay:
        said += f", weight decay {recipe.decay} falling to 0 at {recipe.decay_until:.0%} of the steps"
    if recipe.rare:
        said += f", seldom shown steps counting more (power {recipe.rare})"
    if recipe.noise:
        said += f", noise of {recipe.noise} on the hidden state, falling with the rate"
    if recipe.settle:
        what = "settling" if recipe.settle_on == "change" else "a penalty on growth"
        said += f", {what} with weight {recipe.settle}, rising as the rate falls"
        said += " and fading again" if recipe.settle_fall else ""
        said += f", over {recipe.settle_over} symbols in turn" if recipe.settle_over > 1 else ""
    return said


def _radii(weights: Weights) -> str:
    return " ".join(f"{np.abs(np.linalg.eigvals(A)).max():.4f}" for A in weights.A)


def _table(lines: Sequence[str], weights: Weights) -> str:
    unit = weights.task.unit if weights.task else "digits"
    names = (unit, "precision", "RLG, PLG and hard cases", "inputs", "steps compared", "smallest margin")
    return "\n".join([f"| {' | '.join((*names, 'command'))} |", "|---|---|---|---|---|---|---|", *lines])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("model", type=Path)
    parser.add_argument("--digits", type=int, nargs="*", default=[], help="lengths in float32")
    parser.add_argument("--far", type=int, nargs="*", default=[], help="lengths in float64")
    parser.add_argument("--seed", type=int, help="without a polish: this seed, not that of the smallest loss")
    given = parser.parse_args()
    try:
        print(ship(given.model, given.digits, given.far, seed=given.seed))
    except InputError as error:
        parser.exit(2, f"{parser.prog}: {error}\n")


if __name__ == "__main__":
    main()
