"""Make a finished model one that comes with the package: both precisions, its proof and a model card.

    python tools/ship.py RUN_OR_WEIGHTS [--digits 600] [--far 1500]
    python tools/ship.py RUN_WITHOUT_POLISH [--digits 600] [--seed 0]

Writes src/dfst/weights/TASK.safetensors (float64), TASK.float32.safetensors, TASK.md and TASK.proof.json.
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
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
from numpy.typing import DTypeLike

from dfst.errors import InputError
from dfst.evaluation.evaluate import FINAL_SEED, evaluate
from dfst.experts.registry import expert
from dfst.model.rollout.compiled import Rollout
from dfst.model.weights import Weights, load_weights, save_weights
from dfst.paper import TASKS
from dfst.problems import find_problem
from dfst.problems.task import usual_sampling
from dfst.proof import Verdict, prove, save_proof
from dfst.proof.certificate import recheck
from dfst.proof.verdict import SETTLED
from dfst.subjects import DESCENT
from dfst.train.choose import FEWEST_SEEDS
from dfst.train.config import RunConfig, read_config
from dfst.train.recipe import QUICK, Recipe, find_recipe
from dfst.train.runfolder import RunFolder

WEIGHTS = Path(__file__).parent.parent / "src" / "dfst" / "weights"


def ship(
    model: Path,
    digits: Sequence[int] = (),
    far: Sequence[int] = (),
    out: Path = WEIGHTS,
    seed: int | None = None,
) -> str:
    """Prove, measure and write everything about a model; the text of its card."""
    folder = RunFolder(model) if model.is_dir() else None
    trained = read_config(model).recipe if folder else None
    if folder and trained and not trained.polish:
        return ship_descent(folder, digits, out, seed)
    weights = load_weights(folder.model_file if folder else model).astype(np.float64)
    if weights.task is None:
        raise SystemExit(f"{model} has no task; only models of a task are shipped")
    task = weights.task.name
    weights = replace(weights, name=task)
    verdict = prove(weights, expert(task))
    lines = [measure(weights, n, np.float32) for n in digits] + [measure(weights, n, np.float64) for n in far]
    lengths = [*digits, *far]
    for n, line in zip(lengths, lines, strict=True):
        if "| right |" not in line:
            raise SystemExit(f"{model} is not exact at {n:,}, so it is not shipped: {line}")
    measured = f"RLG ≥ {max(lengths):,}, {verdict.strength}" if lengths else verdict.strength
    weights = replace(
        weights,
        provenance=replace(weights.provenance, measured=measured, strength=verdict.strength),
    )
    files = {np.float64: out / f"{task}.safetensors", np.float32: out / f"{task}.float32.safetensors"}
    for dtype, file in files.items():
        save_weights(weights.astype(dtype), file)
    if verdict.proof is not None:
        save_proof(verdict.proof, out / f"{task}.proof.json")
        for file in files.values() if verdict.settled else ():
            recheck(out / f"{task}.proof.json", load_weights(file), expert(task))
    text = card(weights, lines, verdict, trained or QUICK, _rule(folder), _examples(folder))
    (out / f"{task}.md").write_text(text, encoding="utf-8")
    return text


def ship_descent(
    folder: RunFolder, digits: Sequence[int] = (), out: Path = WEIGHTS, seed: int | None = None
) -> str:
    """Measure and write what gradient descent alone made, with the count of exact seeds; its card."""
    plan = read_config(folder.path)
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
    told = replace(weights.provenance, measured=measured, exact_seeds=exact, strength="tested")
    save_weights(replace(weights, provenance=told), out / f"{name}.safetensors")
    reach = f"; the others meet no failure up to {', '.join(f'{n:,}' for n in others)}" if others else ""
    text = f"""# {name}

**Gradient descent alone**, no polish: {exact} seeds are exact at {length:,} digits{reach}.

Learnt from {told.samples} traces of `expert:{task}` (the paper's sampler, data seed {told.data_seed}).
{_sizes(weights)}.

- Recipe: `{_command(plan)}`, that is
  {_adam(plan.recipe)}, {plan.recipe.precision}.
- Seed {told.seed}, training loss {told.loss}. {_choice(seed)}
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
    """How the seed of a polished model was chosen."""
    candidates = folder.read_report()["candidates"] if folder else []
    polished = sum(seed["states"] is not None for seed in candidates)
    rule = "the machine that most of them agree on, then\n  the fewest learnt states, then the smallest loss"
    if polished < FEWEST_SEEDS:
        return rule
    proved = sum(seed["strength"] in SETTLED for seed in candidates)
    voted = f"the one that a vote of {polished}\n  puts nearest to the others, then {rule}"
    return f"{voted}.\n  Of {len(candidates)} seeds {proved} are proved"


def _examples(folder: RunFolder | None) -> str:
    """How the training set came about, as the run tells; nothing where a sampler drew it all."""
    return folder.read_report()["examples"].partition(", ")[2] if folder else ""


def measure(weights: Weights, digits: int, dtype: DTypeLike) -> str:
    """One line of the card."""
    name = weights.name
    assert weights.task is not None
    problem = find_problem(weights.task.name)
    [report] = evaluate(Rollout(weights.astype(dtype)), problem, (digits,)).measurements
    verdict = "right" if report.right else f"{len(report.failures)} failures"
    precision = np.dtype(dtype).name
    command = f"dfst evaluate {name} --digits {digits} --precision {precision} --seed {FINAL_SEED}"
    return (
        f"| {digits:,} | {precision} | {verdict} | {report.inputs} | {report.steps:,} | {report.margin:.2g} "
        f"| `{command}` |"
    )


def card(
    weights: Weights, lines: Sequence[str], verdict: Verdict, recipe: Recipe, rule: str, examples: str
) -> str:
    """What there is to know about a shipped model; rule, examples: how its seed and they were chosen."""
    task, told = weights.name, weights.provenance
    learn = f"dfst learn {task}" + (f" --seeds {recipe.seeds}" if recipe.seeds != QUICK.seeds else "")
    assumed, unit = "; ".join(verdict.assumptions), weights.task.unit if weights.task else "symbols"
    condition = f"\n  Condition: {verdict.condition}." if verdict.condition else ""
    longest = usual_sampling(expert(task)).max_digits
    what = "numbers" if unit == "digits" else "inputs"
    sampler = "the paper's sampler" if task in TASKS else f"{what} of up to {longest} {unit}"
    chosen = f"; {examples}" if "chosen" in examples else ""
    done = told.iterations or recipe.steps
    ended = f"; all seeds agreed after {done:,} steps, where it ended" if done < recipe.steps else ""
    return f"""# {task}

**{verdict.strength.capitalize()}**: {verdict.claim()}.

Learnt by gradient descent from {told.samples} traces of `expert:{task}` ({sampler}, data seed
{told.data_seed}{chosen}), then polished. {_sizes(weights)}.

- Recipe: `{learn}`, that is {_adam(recipe)}, float32{ended}. Seed {told.seed}, loss {told.loss}.
- Polish: {told.polish or "none"}.
  It writes the learnt machine back into the weights, in the basis of its learnt states. Nothing but the
  training set had a say in it, nor in the choice among seeds: {rule}.
- Proof: `dfst prove {task}`, or `--check` with the stored `{task}.proof.json`: {verdict.checked}.
  Assumed: {assumed}.{condition}
- Spectral radius of A[x], x = {" ".join(weights.alphabet)}: {_radii(weights)}.

{_table(lines, weights)}
"""


def _sizes(weights: Weights) -> str:
    return f"{weights.shape.size:,} parameters, hidden size {weights.shape.d}"


def _command(plan: RunConfig) -> str:
    """What was typed to train it."""
    recipe, name = plan.recipe, plan.problem.name
    preset, usual = find_recipe(recipe.preset, name), plan.problem.hidden_size(None)
    if recipe.hidden_size:
        preset = preset.for_size(recipe.hidden_size)
    words = f"dfst learn {name} --preset {recipe.preset} --seeds {recipe.seeds} --every-seed"
    if recipe.hidden_size != usual:
        words += f" --hidden-size {recipe.hidden_size}"
    changed = {
        field.name: getattr(recipe, field.name)
        for field in fields(recipe)
        if field.name not in ("preset", "seeds", "hidden_size")
        and getattr(recipe, field.name) != getattr(preset, field.name)
    }
    changed |= {"data_seed": plan.problem.data_seed} if plan.problem.data_seed else {}
    return " ".join([words, *(["--set"] if changed else []), *(f"{n}={v}" for n, v in changed.items())])


def _adam(recipe: Recipe) -> str:
    said = f"{recipe.steps:,} steps of Adam, learning rate {recipe.learning_rate:.3g}, cosine to 0"
    said += f", batch {recipe.batch_size}"
    if recipe.gradient_clip:
        said += f", clipped at {recipe.gradient_clip:g} times the usual norm"
    if recipe.weight_decay:
        said += f", weight decay {recipe.weight_decay} falling to 0 at "
        said += f"{recipe.weight_decay_until:.0%} of the steps"
    if recipe.reweighting:
        said += f", seldom shown steps counting more (power {recipe.reweighting})"
    if recipe.state_noise:
        said += f", noise of {recipe.state_noise} learning rates on the hidden state"
    if recipe.stability:
        said += f", a stability penalty with weight {recipe.stability}"
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
