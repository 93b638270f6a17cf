"""Systems: each is a module that trains a translator and opens it again.

A system's module has ``Config`` (a frozen dataclass with defaults), ``fit(bitext, dev, config, *,
out, work, resume, threads, progress)`` and ``open_model(bundle)``.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from demotic.errors import ArgumentError

SYSTEMS = ("hiero",)


def system_named(name: str) -> Any:
    """The module of a system, imported when it is needed."""
    if name not in SYSTEMS:
        raise ArgumentError(f"unknown system '{name}'", remedy=f"choose from {', '.join(SYSTEMS)}")
    return import_module(f"demotic.systems.{name}")
