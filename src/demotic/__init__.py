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

# Where each name lives. A module is imported when a name of it is first asked for, so that
# `import demotic` and `demotic --help` cost next to nothing.
_HOMES = {
    "Bitext": "demotic.corpus",
    "Model": "demotic.model",
    "Translation": "demotic.model",
    "load": "demotic.model",
    "read_bitext": "demotic.corpus",
    "train": "demotic.model",
}


if not TYPE_CHECKING:  # or type checkers would take any name for a good one

    def __getattr__(name: str) -> object:
        if name == "__version__":
            from importlib.metadata import version

            value: object = version("demotic")
        elif name in _HOMES:
            from importlib import import_module

            value = getattr(import_module(_HOMES[name]), name)
        else:
            raise AttributeError(f"module 'demotic' has no attribute '{name}'")
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
