"""Demotic turns a translation memory into a fast, explainable translator on one machine."""

from importlib.metadata import version

from demotic import errors
from demotic.corpus import Bitext, read_bitext

__version__ = version("demotic")
__all__ = ["Bitext", "__version__", "errors", "read_bitext"]
