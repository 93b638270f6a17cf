"""Demotic turns a translation memory into a fast, explainable translator on one machine."""

from importlib.metadata import version

from demotic import errors

__version__ = version("demotic")
__all__ = ["__version__", "errors"]
