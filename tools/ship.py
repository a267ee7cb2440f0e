"""Make a finished model one that comes with the package: both precisions, its proof and a model card.

    python tools/ship.py RUN_OR_WEIGHTS [--digits 600] [--far 1500]

Writes src/dfst/weights/TASK.safetensors (float64), TASK.float32.safetensors, TASK.md and TASK.proof.json. A
model that is exact but does not repeat to the bit is written back into the basis of its learnt states first.
The card's figures are measured here and now, on inputs that had no part in training or choosing; what it says
is proved, the checker said of both files.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from dfst.agents.registry import expert
from dfst.evaluation.length import evaluate
from dfst.learning.measure import FINAL_SEED
from dfst.learning.recipe import QUICK
from dfst.learning.runfolder import RunFolder
from dfst.model.weights import Weights, load_weights, save_weights
from dfst.proof import Verdict, prove, save_proof
from dfst.proof.recheck import recheck
from dfst.rollout.compiled import Rollout
from dfst.states import Refused, extract
from dfst.states.written import write_back

WEIGHTS = Path(__file__).parent.parent / "src" / "dfst" / "weights"


def ship(model: Path, digits: Sequence[int] = (), far: Sequence[int] = (), out: Path = WEIGHTS) -> str:
    """Prove, measure and write everything about a model; the text of its card."""
    folder = RunFolder(model) if model.is_dir() else None
    weights = load_weights(folder.model_file if folder else model).astype(np.float64)
    if weights.task is None:
        raise SystemExit(f"{model} has no task; only models of a task are shipped")
    task = weights.task.name
    weights = replace(weights, name=task)
    verdict = prove(weights, expert(task))
    if verdict.strength != "proved":
        weights, verdict = _written(weights, verdict)
    lines = [measure(weights, n, np.float32) for n in digits] + [measure(weights, n, np.float64) for n in far]
    right = [n for n, line in zip([*digits, *far], lines, strict=True) if "| right |" in line]
    measured = f"RLG ≥ {max(right):,}, {verdict.strength}" if right else verdict.strength
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
    text = card(weights, lines, verdict)
    (out / f"{task}.md").write_text(text, encoding="utf-8")
    return text


def _written(weights: Weights, verdict: Verdict) -> tuple[Weights, Verdict]:
    """The model in the basis of its learnt states and what is proved of it, where that can be had."""
    try:
        written = write_back(extract(weights).graph)
    except Refused:
        return weights, verdict
    words = f"{verdict.states} learnt states; no number moved by more than {written.moved:.0e}"
    again = replace(written.weights, training={**weights.training, "polish": words})
    return again, prove(again, expert(weights.name))


def measure(weights: Weights, digits: int, dtype: type) -> str:
    """One line of the card."""
    name = weights.name
    report = evaluate(Rollout(weights.astype(dtype)), name, expert(name), digits, FINAL_SEED)
    verdict = "right" if report.rlg and not report.hard_failures else f"{len(report.failures)} failures"
    precision = np.dtype(dtype).name
    command = f"dfst evaluate {name} --digits {digits} --precision {precision} --seed {FINAL_SEED}"
    return (
        f"| {digits:,} | {precision} | {verdict} | {report.pairs} | {report.steps:,} | {report.margin:.4f} "
        f"| `{command}` |"
    )


def card(weights: Weights, lines: Sequence[str], verdict: Verdict) -> str:
    """What there is to know about a shipped model."""
    task, told, recipe = weights.name, weights.training, QUICK[weights.name]
    radii = [float(np.abs(np.linalg.eigvals(A)).max()) for A in weights.A]
    sizes = f"{weights.shape.size:,} parameters, hidden size {weights.shape.d}"
    adam = (
        f"{recipe.iterations:,} steps of Adam, rate {recipe.rate}, clip {recipe.clip}, batch {recipe.batch}"
    )
    assumed = "; ".join(verdict.assumptions)
    return f"""# {task}

**{verdict.strength.capitalize()}**: {verdict.claim()}.

Learnt by gradient descent from {told["samples"]} traces of `expert:{task}` (the paper's sampler, data seed
{told["data_seed"]}), then polished. {sizes}.

- Recipe: `dfst learn {task}`, that is {adam},
  weight decay {recipe.decay} falling to 0 at half-time, float32. Seed {told["seed"]}, loss {told["loss"]}.
- Polish: {told.get("polish", "none")}.
  It writes the learnt machine back into the weights, in the basis of its learnt states. Nothing but the
  training set had a say in it, nor in the choice among seeds: the machine that most of them agree on, then
  the fewest learnt states, then the smallest loss.
- Proof: `dfst prove {task}`, or `--check` with the stored `{task}.proof.json`: {verdict.checked}.
  Assumed: {assumed}.
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
    given = parser.parse_args()
    print(ship(given.model, given.digits, given.far))


if __name__ == "__main__":
    main()
