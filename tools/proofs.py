"""What is proved of each shipped model and what is tested, as the checker says it: docs/results/proofs.md.

python tools/proofs.py > docs/results/proofs.md
"""

from __future__ import annotations

from importlib import resources

from dfst.proof.checker import check, strength
from dfst.subjects import shipped_models

FOLDER = resources.files("dfst") / "weights"
HEAD = """# What is proved of each shipped model

Written by `tools/proofs.py` from the stored proofs, which the checker went through once more. *Acts as its
expert*: on every input of any length, in float32 and float64 as it runs, to the bit; `conditional`: as long
as the expert has a rule ([proof.md](../concepts/proof.md) says what is missing). *The expert's answer*:
proved for every input, or tested against plain Python. *Pairs of states*: no invariant was needed.

| model | acts as its expert | learnt states | abstract configurations | the expert's answer |
|---|---|---|---|---|
"""


def row(name: str) -> str:
    files = (FOLDER / f"{name}.proof.json", FOLDER / f"{name}.safetensors")
    shown = check(*(file.read_bytes() for file in files))
    configurations = f"{shown['configurations']:,}" if shown["configurations"] else "pairs of states"
    answer = f"proved: it ends, and writes {shown['answer']}" if shown["answer"] else "tested"
    return f"| `{name}` | {strength(shown)} | {shown['states']} | {configurations} | {answer} |\n"


def page() -> str:
    return HEAD + "".join(map(row, shipped_models()))


if __name__ == "__main__":
    print(page(), end="")
