"""Every number of the paper that the package uses, in one place, a row for each task.

Papazov, D'Angelo, Flammarion: Exact Learning of Arithmetic with Differentiable Agents, MATH-AI 2025.
Numbers of our own (data seeds, presets, longer tests) stand with what they belong to.
"""

from dataclasses import dataclass

BATCH = 32  # traces a training step sees


@dataclass(frozen=True)
class PaperTask:
    """How one task was learnt in the paper, and what came of it."""

    name: str
    hidden_size: int  # also the number of states of the paper's agent
    parameters: int
    samples: int  # N: examples in the training set
    max_digits: int  # q: digits of the longest example
    longest_trace: int  # steps of the longest example, at most
    rate: float  # learning rate at the start of the cosine
    iterations: int
    tested_digits: int  # no failure up to here, RLG and PLG alike; longer inputs did not fit into 80 GB
    p: int = 1  # every example with operands of at most p digits is in the training set
    neural_gpu_rlg: str = ""  # digits, of the Neural GPU beside it in Table 1


TASKS = {
    row.name: row
    for row in (
        PaperTask("add2", 12, 1_020, 20, 3, 70, 0.01, 500_000, 3_850, neural_gpu_rlg="≤ 20"),
        PaperTask("add10", 20, 8_900, 225, 3, 70, 0.001, 500_000, 2_450),
        PaperTask("mult2", 32, 5_280, 750, 5, 464, 0.001, 3_000_000, 600, neural_gpu_rlg="≤ 8"),
        PaperTask("mult10", 108, 162_108, 10_000, 5, 464, 0.001, 3_000_000, 180),
    )
}
"""In the order of Table 1."""
