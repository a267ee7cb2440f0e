"""The checker of dfst's proofs by itself: the standard library and numpy, nothing of the prover."""

from __future__ import annotations

import argparse
import runpy
import sys
from pathlib import Path


def main() -> None:
    """dfst-check PROOF [--weights FILE]: exit status 0 accepted, 1 rejected, 2 no proof of this subject."""
    parser = argparse.ArgumentParser(prog="dfst-check", description="Check a proof that dfst prove wrote.")
    parser.add_argument("proof", metavar="PROOF", help="the proof file")
    parser.add_argument("--weights", metavar="FILE", help="the weights that the proof is about")
    parser.add_argument("--patient", action="store_true", help="though it takes more than some seconds")
    given = parser.parse_args()
    sys.argv = ["dfst-check", given.proof, *([given.weights] if given.weights else [])]
    sys.argv += ["--patient"] * given.patient
    # As a program, the checker takes its own folder for the package: the prover is not even there.
    runpy.run_path(str(Path(__file__).with_name("checker.py")), run_name="__main__")
