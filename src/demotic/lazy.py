"""Packages whose modules are imported when one of their names is first asked for.

    if TYPE_CHECKING:
        from demotic.corpus.bitext import Bitext as Bitext
        from demotic.corpus.bitext import Pair as Pair
    else:
        from demotic.lazy import exports

        __getattr__, __dir__, __all__ = exports(__name__)

Each name is written once: type checkers read these lines, and so does :func:`exports`.  ``X as X``
is how a package says that a name is for others to import, too.

Loading a model and translating with it takes a few of Demotic's modules; to import the others, and
what they need in turn, would take longer than all of that work.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from importlib import import_module

Attribute = Callable[[str], object]
Listing = Callable[[], list[str]]


def exports(package: str) -> tuple[Attribute, Listing, list[str]]:
    """``__getattr__``, ``__dir__`` and ``__all__`` of a package, from its own source."""
    homes = dict(_imports(package))

    def attribute(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module, its_name = homes[name]
        value = getattr(import_module(module), its_name)
        setattr(sys.modules[package], name, value)  # so that this runs once for each name
        return value

    def names() -> list[str]:
        given = vars(sys.modules[package])
        return sorted({*given, *given["__all__"]})

    return attribute, names, sorted(homes)


def _imports(package: str) -> Iterator[tuple[str, tuple[str, str]]]:
    """The lines ``from MODULE import NAME as OTHER``: what it is called here, its module and name.

    Other lines are passed over; a parser would find the same and take longer than the imports.
    """
    spec = sys.modules[package].__spec__
    source: str = spec.loader.get_source(package)  # type: ignore[union-attr]
    for line in source.splitlines():
        match line.split():
            case ["from", module, "import", name, "as", other]:
                yield other, (module, name)
