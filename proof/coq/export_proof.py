"""Write a stored proof as a Coq term: `python export_proof.py add2.proof.json > Proof.v`.

`expert` is what a theorem speaks of: symbols, start, rules and inputs; tests/proof/test_theorem.py compares
it with the package's. `proof` is material, which `Invariant.v` goes through and believes nothing of.
"""

import base64
import json
import sys
import zlib
from pathlib import Path

HALT, MISSING = -1, -2


def rows(packed: dict) -> list[list[int]]:
    data, (high, wide) = zlib.decompress(base64.b64decode(packed["data"])), packed["shape"]
    numbers = memoryview(data).cast("i").tolist()
    return [numbers[row * wide : (row + 1) * wide] for row in range(high)]


def table(packed: dict) -> list[list[tuple[int, int, int]]]:
    parts = (rows(packed[part]) for part in ("write", "motion", "next"))
    return [list(zip(*state, strict=True)) for state in zip(*parts, strict=True)]


def listed(items: object) -> str:
    return "[" + "; ".join(items) + "]"


def term(rules: list) -> str:
    """A table of rules, None where there is none."""

    def rule(found: tuple[int, int, int] | None) -> str:
        if found is None or found[2] == MISSING:
            return "None"
        written, motion, state = found
        return f"Some ({written}, " + ("None)" if state == HALT else f"Some ({'UDLR'[motion]}, {state}))")

    return "[" + ";\n".join(listed(map(rule, state)) for state in rules) + "]%nat"


def paired(proof: dict, pairs: list[list[int]]) -> list:
    """The rules of the pairs: only where both have one, both do the same, and what follows is a pair."""
    mine, theirs = (table(proof[part]["table"]) for part in ("subject", "reference"))
    number = {(c, q): p for p, (c, q) in enumerate(pairs)} | {(HALT, HALT): HALT}

    def both(one: tuple[int, int, int], two: tuple[int, int, int]) -> tuple[int, int, int] | None:
        alike = one[0] == two[0] and (one[1] == two[1] or one[2] == two[2] == HALT)
        target = number.get((one[2], two[2]), MISSING)
        return (one[0], one[1], target) if alike and target != MISSING else None

    return [[both(*rules) for rules in zip(mine[c], theirs[q], strict=True)] for c, q in pairs]


def side(packed: dict) -> str:
    edges = listed(f"({n}, ({c}, {below}))" for n, c, below in rows(packed["edges"]))
    inside, laid = (listed(f"({a}, {b})" for a, b in rows(packed[part])) for part in ("inside", "laid"))
    return f"{{| edges := {edges}; inside := {inside}; laid_for := {laid} |}}"


def main(path: str) -> None:
    proof = json.loads(Path(path).read_text("utf-8"))
    inputs, symbols, pairs = proof["inputs"], len(proof["alphabet"]), rows(proof["pairs"])
    groups: dict[tuple[int, ...], list[str]] = {}
    for a, p, row, c, b in rows(proof["invariant"]):
        groups.setdefault((p, row, c), []).append(f"({a}, {b})")
    print(f"(* {Path(path).name} *)\nFrom Coq Require Import String List ZArith NArith.")
    print("From dfst Require Import Definitions Invariant.\nImport ListNotations.\nOpen Scope N_scope.")
    names, place = list(proof["alphabet"]), proof["start"]
    names[proof["blank"]] = "λ"
    if '"' in "".join([place, *names]):
        sys.exit(f"{path}: expected names without quotes, found {names} and {place}")
    print(f"Definition symbols := {symbols}%nat.\nDefinition expert : task := {{|")
    print("  names := [" + "; ".join(f'"{name}"' for name in names) + f']%string; place := "{place}"%string;')
    print(f"  void := {proof['blank']}%nat; asked := {{|")
    for name, part in (("before_head", "before"), ("at_head", "head"), ("after_head", "after")):
        edges = [
            (p, listed(str(s) for s in range(symbols) if cell >> s & 1), q) for p, cell, q in inputs[part]
        ]
        print(f"    {name} := {listed(f'({p}, {cell}, {q})' for p, cell, q in edges)}%nat;")
    print(f"    final := {listed(map(str, inputs['accepting']))}%nat |}};")
    print(f"  rules := {term(table(proof['reference']['table']))} |}}.")
    print(f"Definition proof : material := {{| lowest := ({proof['rows'][0]})%Z;")
    print(f"  columns := {listed(listed(map(str, column)) for column in proof['columns'])};")
    print(f"  left_side := {side(proof['left'])};\n  right_side := {side(proof['right'])};")
    print(f"  paired := {term(paired(proof, pairs))};")
    print(f"  expert_of := {listed(str(q) for _, q in pairs)}%nat;\n  invariant := [")
    rows_of = (f"({p}, {row}, {c}, {listed(nodes)})" for (p, row, c), nodes in groups.items())
    print(";\n".join(rows_of) + "] |}.")


if __name__ == "__main__":
    main(sys.argv[1])
