"""Sweeps: seeds × tasks × recipes × learners, on the cores of one machine or on a Ray cluster.

Each trial is an ordinary run folder; results stream into one table; whatever dies costs at most the work
since the last checkpoint.
"""

from dfst.experiments.sweep.description import Draft, read_file, read_kept
from dfst.experiments.sweep.launch import Conditions, run_sweep
from dfst.experiments.sweep.results import Results
from dfst.experiments.sweep.trials import NamedRecipe, Sweep, Trial, check, trials_of

__all__ = [
    "Conditions",
    "Draft",
    "NamedRecipe",
    "Results",
    "Sweep",
    "Trial",
    "check",
    "read_file",
    "read_kept",
    "run_sweep",
    "trials_of",
]
