"""Demotic turns a translation memory into a fast, explainable translator on one machine."""

from typing import TYPE_CHECKING

from demotic import errors as errors

if TYPE_CHECKING:
    from demotic.corpus import Bitext as Bitext
    from demotic.corpus import read_bitext as read_bitext
    from demotic.corpus import split_sentences as split_sentences
    from demotic.corpus.tokens import detokenise as detokenise
    from demotic.corpus.tokens import tokenise as tokenise
    from demotic.model import load as load
    from demotic.model import train as train
    from demotic.model import tune as tune
    from demotic.progress import DemoticWarning as DemoticWarning
    from demotic.systems.model import Model as Model
    from demotic.systems.translator import Translation as Translation

    __version__: str
else:
    from demotic.lazy import exports

    _attribute, __dir__, __all__ = exports(__name__)
    __all__ += ["__version__"]

    def __getattr__(name: str) -> object:
        if name != "__version__":
            return _attribute(name)
        from importlib.metadata import version

        return version("demotic")
