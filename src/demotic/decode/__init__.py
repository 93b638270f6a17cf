"""Decoders: a grammar, a language model and weights turn tokens into derivations and forests.

from demotic.decode import DecoderOptions, HieroDecoder, PhraseDecoder, PhraseOptions
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from demotic.decode.derivation import Derivation, Step
    from demotic.decode.hiero import Counters, DecoderOptions, HieroDecoder
    from demotic.decode.phrase import PhraseCounters, PhraseDecoder, PhraseOptions
else:
    from demotic.lazy import names_of

    __getattr__, __dir__ = names_of(
        __name__,
        derivation="Derivation Step",
        hiero="Counters DecoderOptions HieroDecoder",
        phrase="PhraseCounters PhraseDecoder PhraseOptions",
    )

__all__ = [
    "Counters",
    "DecoderOptions",
    "Derivation",
    "HieroDecoder",
    "PhraseCounters",
    "PhraseDecoder",
    "PhraseOptions",
    "Step",
]
