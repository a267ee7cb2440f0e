"""Compare a Coq term with the weights file that it should be: `python compare.py Weights.v add2.safetensors`.

Trusted, so kept short: the standard library only, and nothing of the exporter's. One text is accepted for a
file, and it is built here from the file's bytes: their SHA-256, the bits of every entry, the names of motions
and symbols, and where a run starts.
"""

import hashlib
import json
import sys
from pathlib import Path


def demand(holds: bool, what: object) -> None:
    if not holds:
        sys.exit(f"expected A, B, C and h0 of one format and fitting shapes, motions U D L R S; found {what}")


def term(name: str, data: bytes) -> str:
    """The Coq term that this file is."""
    start = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:start])
    meta = header.pop("__metadata__")
    symbols, motions, size = meta["alphabet"].split(), meta["motions"].split(), header["h0"]["shape"][0]
    k, m, wide = len(symbols), len(motions), int(header["h0"]["dtype"].removeprefix("F"))
    shapes = {"A": [k, size, size], "B": [k, k, size], "C": [k, m, size], "h0": [size]}
    demand({name: entry["shape"] for name, entry in header.items()} == shapes, header)
    demand({entry["dtype"] for entry in header.values()} == {f"F{wide}"}, header)
    demand(set(motions) <= set("UDLRS") and '"' not in meta["alphabet"] + meta["start"], meta)

    def row(tensor: str, number: int) -> str:
        """Column and bits of each entry that is not +0."""
        at = start + header[tensor]["data_offsets"][0] + number * size * wide // 8
        cells = [data[at + j * wide // 8 : at + (j + 1) * wide // 8] for j in range(size)]
        bits = [int.from_bytes(cell, "little") for cell in cells]
        return "[" + "; ".join(f"({j}%nat, {b:#x})" for j, b in enumerate(bits) if b) + "]"

    text = f"(* {name}, SHA-256 {hashlib.sha256(data).hexdigest()} *)\n"
    text += "From Coq Require Import String List ZArith.\nFrom dfst Require Import Definitions.\n"
    text += "Import ListNotations.\nOpen Scope Z_scope.\n"
    for tensor in "ABC":
        high = shapes[tensor][1]
        matrices = [";\n ".join(row(tensor, s * high + i) for i in range(high)) for s in range(k)]
        text += f"Definition {tensor}_rows : list (list (list (nat * Z))) := [\n"
        text += ";\n".join(f"[{matrix}]" for matrix in matrices) + "].\n"
    text += f"Definition h0_row : list (nat * Z) := {row('h0', 0)}.\n"
    text += f"Definition weights : dfst := {{| form := binary{wide};\n  "
    text += " ".join(f"{t} := map (dense binary{wide} {size}) {t}_rows;" for t in "ABC")
    text += f"\n  h0 := hd [] (dense binary{wide} {size} [h0_row]);\n"
    text += f"  motions := [{'; '.join('None' if m == 'S' else f'Some {m}' for m in motions)}];\n"
    names = "; ".join(f'"{symbol}"' for symbol in symbols)
    return text + f'  alphabet := [{names}]%string; start := "{meta["start"]}"%string |}}.\n'


if __name__ == "__main__":
    weights = Path(sys.argv[2])
    if Path(sys.argv[1]).read_text(encoding="utf-8") != term(weights.name, weights.read_bytes()):
        sys.exit(f"{sys.argv[1]}: not the weights in {weights}; write it anew with export.py")
