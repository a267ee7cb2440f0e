"""Write a weights file as a Coq term: `python export.py add2.safetensors > Weights.v`.

Not trusted: compare.py reads both back and compares them.
"""

import hashlib
import sys
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file, safe_open

MOTIONS = {"S": "None"} | {m: f"Some {m}" for m in "UDLR"}


def rows(matrix: np.ndarray) -> str:
    """In each row, column and bits of the entries that are not +0."""
    return ";\n ".join(
        "[" + "; ".join(f"({j}%nat, {bits:#x})" for j, bits in enumerate(row) if bits) + "]"
        for row in matrix.tolist()
    )


def main(path: str) -> None:
    tensors = load_file(path)
    with safe_open(path, "np") as file:
        meta = file.metadata()
    wide = tensors["h0"].dtype.itemsize * 8
    bits = {name: tensor.view(f"<u{wide // 8}") for name, tensor in tensors.items()}
    form, size = f"binary{wide}", bits["h0"].size
    print(f"(* SHA-256 {hashlib.sha256(Path(path).read_bytes()).hexdigest()} *)")
    print("From Coq Require Import String List ZArith.\nFrom dfst Require Import Definitions.")
    print("Import ListNotations.\nOpen Scope Z_scope.")
    for name in "ABC":
        matrices = ";\n".join(f"[{rows(matrix)}]" for matrix in bits[name])
        print(f"Definition {name}_rows : list (list (list (nat * Z))) := [\n{matrices}].")
    print(f"Definition h0_row : list (nat * Z) := {rows(bits['h0'][None])}.")
    print(f"Definition weights : dfst := {{| form := {form};\n  h0 := hd [] (dense {form} {size} [h0_row]);")
    print("  " + " ".join(f"{name} := map (dense {form} {size}) {name}_rows;" for name in "ABC"))
    print(f"  motions := [{'; '.join(MOTIONS[m] for m in meta['motions'].split(' '))}];")
    names = "; ".join(f'"{symbol}"' for symbol in meta["alphabet"].split(" "))
    print(f'  alphabet := [{names}]%string; start := "{meta["start"]}"%string |}}.')


if __name__ == "__main__":
    main(sys.argv[1])
