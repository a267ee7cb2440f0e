"""What became of one seed: its weights, and all that was found out about them."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from dfst.counted import counted
from dfst.evaluation.report import Report
from dfst.model.growth import Growth
from dfst.model.weights import Weights
from dfst.proof import Verdict
from dfst.states.polish import Polished


@dataclass(frozen=True)
class Outcome:
    """What became of one seed."""

    seed: int
    weights: Weights  # polished, where that helped
    raw: Weights  # as training left it
    loss: float  # training loss of the last logging point; NaN if the seed diverged
    polished: Polished | None = None
    verdict: Verdict | None = None  # none if the prover was not asked, or had nothing to say
    report: Report | None = None  # the final figures, which choose nothing; None if they were not asked for
    disagreement: float | None = None
    """With the other seeds in their vote, 0 to 1; None if it had no part in one"""
    growth: Growth | None = None
    """Without a polish: what grows most when words of the traces are read again and again"""

    @property
    def exact(self) -> bool:
        """Whether the final figures show no failure."""
        return self.report is None or self.report.right

    @property
    def states(self) -> int | None:
        """Learnt states of the polished model."""
        return self.polished.states if self.polished else None

    @property
    def strength(self) -> str:
        """refuted, tested, bounded or proved"""
        if self.report and self.report.refuted:
            return "refuted"
        return self.verdict.strength if self.verdict else "tested"

    def rank(self) -> tuple[int, float]:
        """Larger is better, among those that were polished, or among those that were not."""
        return -(self.states or 0), -(np.inf if np.isnan(self.loss) else self.loss)

    def sentence(self) -> str:
        said = "not polished: its hidden states do not come back to a few points; try more steps or examples"
        if self.polished:
            said = f"polished exactly on {counted(self.polished.states, 'learnt state')}"
        return f"seed {self.seed}: loss {self.loss:.1e}, {said}"

    def as_json(self) -> dict[str, Any]:
        """How it stands in report.json."""
        measurements = self.report.measurements if self.report else ()
        return {
            "seed": self.seed,
            "loss": None if np.isnan(self.loss) else self.loss,
            "states": self.states,
            "disagreement": self.disagreement,
            "growth": asdict(self.growth) if self.growth else None,
            "strength": self.strength,
            "right": self.report.right if self.report else None,
            "measured": [found.summary() for found in measurements],
            "reach": self.report.reach if self.report else None,
        }
