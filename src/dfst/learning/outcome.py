"""What became of one seed: its weights, and all that was found out about them."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from dfst.counted import counted
from dfst.evaluation.length import LengthReport
from dfst.learning.validation import Validation
from dfst.model.growth import Growth
from dfst.model.weights import Weights
from dfst.proof import Verdict
from dfst.states.polish import Polished


@dataclass(frozen=True)
class Outcome:
    """What became of one seed."""

    seed: int
    weights: Weights
    """Polished, where that helped"""
    raw: Weights
    """As training left it"""
    loss: float
    """Training loss of the last logging point; NaN if the seed diverged"""
    polished: Polished | None = None
    validation: Validation | None = None
    """None if the recipe asks for none"""
    verdict: Verdict | None = None
    """None if the prover was not asked, or had nothing to say"""
    reports: tuple[LengthReport, ...] = ()
    """The final figures, which choose nothing; none if they were not asked for"""
    reach: int | None = None
    """Where the final figures show a failure: the largest number of digits tested without one"""
    disagreement: float | None = None
    """With the other seeds in their vote, 0 to 1; None if it had no part in one"""
    growth: Growth | None = None
    """Without a polish: what grows most when the traces' rounds are read again and again"""

    @property
    def exact(self) -> bool:
        """Whether the final figures show no failure."""
        return all(report.right for report in self.reports)

    @property
    def failed(self) -> bool:
        """Whether a longer input showed that it is wrong."""
        return self.validation is not None and self.validation.stopped_by == "failure"

    @property
    def states(self) -> int | None:
        """Learnt states of the polished model."""
        return self.polished.states if self.polished else None

    @property
    def strength(self) -> str:
        """refuted, tested, bounded or proved"""
        if self.verdict:
            return self.verdict.strength
        return "refuted" if self.failed or not self.exact else "tested"

    @property
    def worth_proving(self) -> bool:
        return self.polished is not None and (self.validation is None or self.validation.passed)

    def rank(self) -> tuple[bool, bool, int, int, float]:
        """Larger is better."""
        rlg = self.validation.rlg if self.validation else 0
        loss = np.inf if np.isnan(self.loss) else self.loss
        passed = self.validation is None or self.validation.passed
        return passed, self.worth_proving, rlg, -(self.states or 0), -loss

    def sentence(self) -> str:
        said = [f"seed {self.seed}: loss {self.loss:.1e}", "not polished"]
        if self.polished:
            far = f"to {self.polished.residual:.0e}" if self.polished.residual else "exactly"
            said[1] = f"polished {far} on {counted(self.polished.states, 'learnt state')}"
        if self.validation:
            rlg = self.validation.rlg
            said.append(
                f"no failure up to {counted(rlg, 'digit')}" if self.validation.passed else f"RLG {rlg:,}"
            )
        return ", ".join(said)

    def as_json(self) -> dict[str, Any]:
        """How it stands in report.json."""
        return {
            "seed": self.seed,
            "loss": None if np.isnan(self.loss) else self.loss,
            "rlg": self.validation.rlg if self.validation else None,
            "stopped_by": self.validation.stopped_by if self.validation else None,
            "states": self.states,
            "residual": self.polished.residual if self.polished else None,
            "disagreement": self.disagreement,
            "growth": asdict(self.growth) if self.growth else None,
            "strength": self.strength,
            "measured": [_summary(report) for report in self.reports],
            "reach": self.reach,
        }


def _summary(report: LengthReport) -> dict[str, Any]:
    """A report in a few numbers, with the first of its failures."""
    return {
        **{name: getattr(report, name) for name in ("digits", "right", "plg", "rlg", "inputs", "steps")},
        "margin": report.margin if np.isfinite(report.margin) else None,
        "failures": len(report.failures),
        "first_failure": report.failures[0].as_json() if report.failures else None,
    }
