"""Certainty: equivalence, proofs for every input, counterexamples, and the checker that trusts none of it."""

from dfst.proof.certificate import save_proof, verify
from dfst.proof.decide import decide
from dfst.proof.equivalence import Equivalence, equivalent
from dfst.proof.prove import prove
from dfst.proof.reading import Rejected, Unreadable
from dfst.proof.refute import Counterexample, refute
from dfst.proof.regular import prove_on_language
from dfst.proof.verdict import Verdict

__all__ = [
    "Counterexample",
    "Equivalence",
    "Rejected",
    "Unreadable",
    "Verdict",
    "decide",
    "equivalent",
    "prove",
    "prove_on_language",
    "refute",
    "save_proof",
    "verify",
]
