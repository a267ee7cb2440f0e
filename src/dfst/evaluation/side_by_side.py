"""Models evaluated one after another whose runs are made for all of them at once, on a GPU.

`evaluate` asks one subject at a time; a GPU wants all the seeds of a run together. Whoever asks first for an
input has every model run on it, and the others find their runs made.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from dfst.errors import InputError
from dfst.kernels.gpu.rollout import GpuRollouts
from dfst.machines.agent import Agent
from dfst.model.weights import Weights
from dfst.world.grid import Limits
from dfst.world.run import Run


class SideBySide:
    """Models of one shape; `subjects` are what `evaluate` takes, in order of the models."""

    def __init__(self, models: Sequence[Weights], device: str = "cuda") -> None:
        self._rollouts = GpuRollouts(models, device)
        self.subjects = [OneOfThem(self) for _ in models]

    def prepare(self, texts: Sequence[str], limits: Limits, against: Agent) -> None:
        """Run every model on these inputs."""
        for subject, runs in zip(self.subjects, self._rollouts.run(texts, against, limits), strict=True):
            for text, run in zip(texts, runs, strict=True):
                subject.made[text, limits, against.name] = run


@dataclass(frozen=True, eq=False)
class OneOfThem:
    """One of the models, as `evaluate` takes it."""

    beside: SideBySide = field(repr=False)
    made: dict[tuple[str, Limits, str], Run] = field(default_factory=dict, repr=False)

    def run_each(
        self, texts: Sequence[str], limits: Limits = Limits(), against: Agent | None = None
    ) -> Iterator[Run]:
        """This model's runs, in order; all are made before the first is there."""
        if against is None:
            raise InputError("rollouts on a GPU are compared with an expert; give one, or run on the CPU")
        keys = [(text, limits, against.name) for text in texts]
        lacking = dict.fromkeys(key[0] for key in keys if key not in self.made)
        if lacking:
            self.beside.prepare(list(lacking), limits, against)
        yield from (self.made[key] for key in keys)
