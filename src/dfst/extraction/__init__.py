"""From a trained DFST to the machine it became: contexts, their graph, and a minimised grid agent."""

from dfst.extraction.contexts import ContextGraph
from dfst.extraction.extract import Extraction, Refused, extract, extract_bits
from dfst.extraction.minimise import merge_by, minimise

__all__ = ["ContextGraph", "Extraction", "Refused", "extract", "extract_bits", "merge_by", "minimise"]
