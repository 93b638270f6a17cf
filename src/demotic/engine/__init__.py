"""Where work runs: today in this process, with threads and a database that spills to disk."""

from demotic.engine.engine import Engine
from demotic.engine.local import LocalEngine

__all__ = ["Engine", "LocalEngine"]
