"""Demotic turns a translation memory into a fast, explainable translator on one machine."""

from typing import TYPE_CHECKING

from demotic import errors

if TYPE_CHECKING:
    from demotic.corpus import Bitext, read_bitext
    from demotic.model import Model, Translation, load, train

    __version__: str

__all__ = [
    "Bitext",
    "Model",
    "Translation",
    "__version__",
    "errors",
    "load",
    "read_bitext",
    "train",
]


if not TYPE_CHECKING:  # or type checkers would take any name for a good one
    from demotic.lazy import names_of

    _attribute, __dir__ = names_of(
        __name__, corpus="Bitext read_bitext", model="Model Translation load train"
    )

    def __getattr__(name: str) -> object:
        if name != "__version__":
            return _attribute(name)
        from importlib.metadata import version

        return version("demotic")
