"""The DFST: its weights as plain arrays, its training form, and the agents compiled into it."""

from dfst.model.compile import compile_agent
from dfst.model.weights import Shape, Weights, load_weights, save_weights

__all__ = ["Shape", "Weights", "compile_agent", "load_weights", "save_weights"]
