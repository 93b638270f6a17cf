"""Word alignment: symmetrisation, Pharaoh files, error rates."""

from demotic._core import Links
from demotic.align.error_rate import ErrorRate, error_rate
from demotic.align.pharaoh import Gold
from demotic.align.symmetrise import HEURISTICS, symmetrise

__all__ = ["HEURISTICS", "ErrorRate", "Gold", "Links", "error_rate", "symmetrise"]
