"""Compare a Coq term with the weights file that it should be: `python compare.py Weights.v add2.safetensors`.

Trusted, so kept short, with the standard library only. One text is accepted for a file, and it is built here
of the file's bytes: SHA-256, the bits of every entry, the names of motions and symbols, where a run starts.
"""

import hashlib
import json
import math
import sys
from pathlib import Path


def demand(holds: bool, what: object) -> None:
    if not holds:
        sys.exit(f"expected A, B, C, h0 in one format, one behind the other, motions U D L R S; found {what}")


def term(data: bytes) -> str:
    start, end = 8 + int.from_bytes(data[:8], "little"), 0
    once = lambda pairs: demand(len(dict(pairs)) == len(pairs), f"a key twice: {pairs}") or dict(pairs)  # noqa: E731
    header = json.loads(data[8:start], object_pairs_hook=once)
    meta, size, wide = header.pop("__metadata__"), header["h0"]["shape"][0], header["h0"]["dtype"][1:]
    symbols, motions, each = meta["alphabet"].split(" "), meta["motions"].split(" "), {"32": 4, "64": 8}[wide]
    k, m = len(symbols), len(motions)
    shapes = {"A": [k, size, size], "B": [k, k, size], "C": [k, m, size], "h0": [size]}
    demand(sorted(header) == sorted(shapes) and meta["format"] == "dfst/1", header)
    demand(set(motions) <= set("UDLRS") and '"' not in meta["alphabet"] + meta["start"], meta)
    for tensor, entry in sorted(header.items(), key=lambda named: named[1]["data_offsets"]):
        begin, end = end, end + math.prod(shapes[tensor]) * each
        demand(entry == {"dtype": f"F{wide}", "shape": shapes[tensor], "data_offsets": [begin, end]}, header)
    demand(start + end == len(data), f"{len(data) - start} bytes of {end}")

    def row(tensor: str, number: int) -> str:  # column and bits of each entry that is not +0
        at = start + header[tensor]["data_offsets"][0] + number * size * each
        bits = [int.from_bytes(data[at + j * each : at + (j + 1) * each], "little") for j in range(size)]
        return "[" + "; ".join(f"({j}%nat, {b:#x})" for j, b in enumerate(bits) if b) + "]"

    text = f"(* SHA-256 {hashlib.sha256(data).hexdigest()} *)\nFrom Coq Require Import String List ZArith.\n"
    text += "From dfst Require Import Definitions.\nImport ListNotations.\nOpen Scope Z_scope.\n"
    for tensor, high in {"A": size, "B": k, "C": m}.items():
        matrices = [";\n ".join(row(tensor, s * high + i) for i in range(high)) for s in range(k)]
        text += f"Definition {tensor}_rows : list (list (list (nat * Z))) := [\n"
        text += ";\n".join(f"[{matrix}]" for matrix in matrices) + "].\n"
    text += f"Definition h0_row : list (nat * Z) := {row('h0', 0)}.\nDefinition weights : dfst := {{| "
    text += f"form := binary{wide};\n  h0 := hd [] (dense binary{wide} {size} [h0_row]);\n  "
    text += " ".join(f"{t} := map (dense binary{wide} {size}) {t}_rows;" for t in "ABC")
    text += f"\n  motions := [{'; '.join('None' if m == 'S' else f'Some {m}' for m in motions)}];\n  "
    names = "; ".join(f'"{name}"' for name in symbols)
    return text + f'alphabet := [{names}]%string; start := "{meta["start"]}"%string |}}.\n'


if __name__ == "__main__":
    try:
        text = term(Path(sys.argv[2]).read_bytes())
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        sys.exit(f"{sys.argv[2]}: no weights file: {error!r}")
    if Path(sys.argv[1]).read_text(encoding="utf-8") != text:
        sys.exit(f"{sys.argv[1]}: not the weights in {sys.argv[2]}; write it anew with export.py")
