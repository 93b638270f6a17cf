"""Packages whose modules are imported when one of their names is first asked for.

    if TYPE_CHECKING:
        from demotic.corpus.bitext import Bitext, Pair
    else:
        __getattr__, __dir__ = names_of(__name__, bitext="Bitext Pair")

Loading a model and translating with it takes a few of Demotic's modules; to import the others, and
what they need in turn, would take longer than all of that work.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module


def names_of(
    package: str, **modules: str
) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """``__getattr__`` and ``__dir__`` of a package: for each of its modules, the names it gives."""
    homes = {name: module for module, names in modules.items() for name in names.split()}

    def attribute(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(f"{package}.{homes[name]}"), name)
        setattr(sys.modules[package], name, value)  # so that this runs once for each name
        return value

    def names() -> list[str]:
        given = vars(sys.modules[package])
        return sorted({*given, *given["__all__"]})

    return attribute, names
