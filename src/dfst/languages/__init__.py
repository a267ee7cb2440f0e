"""Regular languages over a machine's symbols: which inputs are meant, and members of them to try."""

from dfst.languages.language import Language
from dfst.languages.regex import parse

__all__ = ["Language", "parse"]
