"""Where work runs: here, with threads and a database that spills to disk, or on Apache Spark."""

from __future__ import annotations

from pathlib import Path

from demotic.engine.engine import Engine
from demotic.engine.local import LocalEngine
from demotic.errors import ArgumentError

__all__ = ["Engine", "LocalEngine", "check_engine", "open_engine"]


def check_engine(name: str) -> None:
    """Raise unless there is such an engine."""
    from demotic.engine.session import is_spark

    if name != "local" and not is_spark(name):
        raise ArgumentError(
            f"unknown engine '{name}'",
            remedy="choose local, or a master of Spark's: spark://HOST:PORT, local[2], yarn, or "
            "spark for what spark-submit says",
        )


def open_engine(
    name: str, *, threads: int, memory: int, temp: Path | None, piece: int = 10_000
) -> Engine:
    """The engine of this name; raises where Spark is asked for and something is missing."""
    check_engine(name)
    if name == "local":
        return LocalEngine(threads=threads, memory=memory, temp=temp, piece=piece)
    from demotic.engine.spark import SparkEngine

    engine = SparkEngine(name=name, threads=threads, memory=memory, temp=temp, piece=piece)
    engine.check()
    return engine
