"""Sweeps: seeds × tasks × recipes × learners, on the cores of one machine or on a Ray cluster.

Each trial is an ordinary run folder; results stream into one table; whatever dies costs at most the work
since the last checkpoint.
"""

from dfst.experiments.sweep.conduct import Conditions, results_of, run_sweep
from dfst.experiments.sweep.description import read_file, read_kept
from dfst.experiments.sweep.trials import NamedRecipe, Sweep, Trial, check, trials_of

__all__ = [
    "Conditions",
    "NamedRecipe",
    "Sweep",
    "Trial",
    "check",
    "read_file",
    "read_kept",
    "results_of",
    "run_sweep",
    "trials_of",
]
