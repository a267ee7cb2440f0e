"""The states a DFST learnt: their graph, the machine it makes, and the model that is exactly that machine."""

from dfst.states.extract import Extraction, Refused, extract, extract_bits
from dfst.states.graph import StateGraph
from dfst.states.merging import merge_by, minimise

__all__ = ["Extraction", "Refused", "StateGraph", "extract", "extract_bits", "merge_by", "minimise"]
