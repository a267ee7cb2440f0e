"""Certainty: proofs for every input, counterexamples, and the checker that trusts none of it."""

from dfst.proof.certificate import save_proof, verify
from dfst.proof.prove import prove
from dfst.proof.reading import Rejected, Unreadable
from dfst.proof.refute import Counterexample, refute
from dfst.proof.verdict import Verdict

__all__ = ["Counterexample", "Rejected", "Unreadable", "Verdict", "prove", "refute", "save_proof", "verify"]
