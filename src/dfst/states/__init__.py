"""From a trained DFST to the machine it became: contexts, their graph, and a minimised grid agent."""

from dfst.states.explore import ContextGraph
from dfst.states.extract import Extraction, Refused, extract, extract_bits
from dfst.states.minimise import merge_by, minimise

__all__ = ["ContextGraph", "Extraction", "Refused", "extract", "extract_bits", "merge_by", "minimise"]
