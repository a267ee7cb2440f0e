"""What is proved of each shipped model and what is tested, as the checker says it: docs/results/proofs.md.

python tools/proofs.py > docs/results/proofs.md
"""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from dfst.experts.registry import expert
from dfst.proof import verify
from dfst.proof.checker import strength
from dfst.proof.language import task_language
from dfst.subjects import shipped_models

FOLDER = resources.files("dfst") / "weights"
THEOREMS = Path(__file__).parents[1] / "proof" / "coq" / "theorems"
HEAD = """# What is proved of each shipped model

Written by `tools/proofs.py` from the stored proofs, which the checker went through once more. *Acts as its
expert*: on every input of any length, in float32 and float64 as it runs, to the bit; `conditional`: as long
as the expert has a rule ([proof.md](../concepts/proof.md) says what is missing). *The expert's answer*:
proved for every input, or tested against plain Python. *Pairs of states*: no invariant was needed. *In Coq*:
what [a theorem](../concepts/theorem.md) says of the same weights, on every input: that they compute what the
task asks for, or that they act as their expert as long as it has a rule; of boards there is none.

| model | acts as its expert | learnt states | abstract configurations | the expert's answer | in Coq |
|---|---|---|---|---|---|
"""


def row(name: str) -> str:
    proof, weights = ((FOLDER / f"{name}.{kind}").read_bytes() for kind in ("proof.json", "safetensors"))
    agent = expert(name)
    assert agent.task is not None
    shown = verify(proof, agent, task_language(agent.task), weights)
    configurations = f"{shown['configurations']:,}" if shown["configurations"] else "pairs of states"
    answer = f"proved: it ends, and writes {shown['answer']}" if shown["answer"] else "tested"
    theorem = "–" if agent.task.plane else "computes its answer"
    if not agent.task.plane and f"{name}_acts" in (THEOREMS / f"{name}.v").read_text("utf-8"):
        theorem = "acts as its expert"
    return f"| `{name}` | {strength(shown)} | {shown['states']} | {configurations} | {answer} | {theorem} |\n"


def page() -> str:
    return HEAD + "".join(map(row, shipped_models()))


if __name__ == "__main__":
    print(page(), end="")
