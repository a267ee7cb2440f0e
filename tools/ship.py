"""Make a finished model one that comes with the package: both precisions and a model card.

    python tools/ship.py RUN_OR_WEIGHTS [--digits 600] [--far 1500] [--proof proof.json]

Writes src/dfst/weights/TASK.safetensors (float64), TASK.float32.safetensors, TASK.md and, where there is a
proof, TASK.proof.json. The card's figures are measured here and now, on inputs that had no part
in training or choosing.
"""

from __future__ import annotations

import argparse
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np

from dfst.agents.registry import expert
from dfst.evaluation.length import evaluate
from dfst.learning.learn import FINAL_SEED
from dfst.learning.recipe import QUICK
from dfst.model.weights import Weights, load_weights, save_weights
from dfst.rollout.compiled import Rollout

WEIGHTS = Path(__file__).parent.parent / "src" / "dfst" / "weights"


def measure(weights: Weights, digits: int, dtype: type) -> str:
    """One line of the card."""
    name = weights.task.name if weights.task else weights.name
    report = evaluate(Rollout(weights.astype(dtype)), name, expert(name), digits, FINAL_SEED)
    verdict = "right" if report.rlg and not report.hard_failures else f"{len(report.failures)} failures"
    precision = np.dtype(dtype).name
    command = f"dfst evaluate {name} --digits {digits} --precision {precision} --seed {FINAL_SEED}"
    return (
        f"| {digits:,} | {precision} | {verdict} | {report.pairs} | {report.steps:,} | {report.margin:.4f} "
        f"| `{command}` |"
    )


def card(weights: Weights, lines: list[str], strength: str) -> str:
    task = weights.task.name if weights.task else weights.name
    recipe = QUICK[task]
    radii = [float(np.abs(np.linalg.eigvals(A)).max()) for A in weights.A]
    told = weights.training
    sizes = f"{weights.shape.size:,} parameters, hidden size {weights.shape.d}"
    adam = (
        f"{recipe.iterations:,} steps of Adam, rate {recipe.rate}, clip {recipe.clip}, batch {recipe.batch}"
    )
    return f"""# {task}

Learnt by gradient descent from {told["samples"]} traces of `expert:{task}` (the paper's sampler, data seed
{told["data_seed"]}), then polished on the same traces. {sizes}.

- Recipe: `dfst learn {task}`, that is {adam},
  weight decay {recipe.decay} falling to 0 at half-time, float32. Seed {told["seed"]}, loss {told["loss"]}.
- Polish: {told.get("polish", "none")}.
- Chosen among its seeds by validation on longer inputs (other inputs than those below).
- Strength: **{strength}**; `dfst prove {task}`.
- Spectral radius of A[x], x = {" ".join(weights.alphabet)}: {" ".join(f"{r:.4f}" for r in radii)}.

| digits | precision | RLG, PLG and hard cases | inputs | steps compared | smallest margin | command |
|---|---|---|---|---|---|---|
{chr(10).join(lines)}
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("model", type=Path)
    parser.add_argument("--digits", type=int, nargs="*", default=[], help="lengths in float32")
    parser.add_argument("--far", type=int, nargs="*", default=[], help="lengths in float64")
    parser.add_argument("--proof", type=Path)
    parser.add_argument("--strength", default="tested")
    given = parser.parse_args()
    folder = given.model if given.model.is_dir() else None
    weights = load_weights(folder / "model.safetensors" if folder else given.model)
    task = weights.task.name if weights.task else weights.name
    proof = given.proof or (folder / "proof.json" if folder and (folder / "proof.json").exists() else None)
    strength = weights.training.get("strength", given.strength) if proof else given.strength
    lines = [measure(weights, n, np.float32) for n in given.digits]
    lines += [measure(weights, n, np.float64) for n in given.far]
    right = [n for n, line in zip([*given.digits, *given.far], lines, strict=True) if "| right |" in line]
    measured = f"RLG ≥ {max(right):,}, {strength}" if right else strength
    weights = replace(
        weights, name=task, training={**weights.training, "measured": measured, "strength": strength}
    )
    save_weights(weights.astype(np.float64), WEIGHTS / f"{task}.safetensors")
    save_weights(weights.astype(np.float32), WEIGHTS / f"{task}.float32.safetensors")
    (WEIGHTS / f"{task}.md").write_text(card(weights, lines, strength), encoding="utf-8")
    if proof:
        shutil.copyfile(proof, WEIGHTS / f"{task}.proof.json")
    print(card(weights, lines, strength))


if __name__ == "__main__":
    main()
