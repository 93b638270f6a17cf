"""Word alignment: symmetrisation, Pharaoh files, lexical tables, error rates."""

from demotic._core import Links
from demotic.align.error_rate import ErrorRate, error_rate
from demotic.align.lexical import LexicalTable
from demotic.align.pharaoh import Gold
from demotic.align.symmetrise import HEURISTICS, symmetrise
from demotic.align.text import Text

__all__ = [
    "HEURISTICS",
    "ErrorRate",
    "Gold",
    "LexicalTable",
    "Links",
    "Text",
    "error_rate",
    "symmetrise",
]
