"""Decoders: a grammar, a language model and weights turn tokens into derivations and forests.

from demotic.decode import HieroDecoder, PhraseDecoder, UndirectedDecoder
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from demotic.decode.blocks import (
        BlockCounters,
        BlockDecoder,
        BlockDecoderOptions,
        BlockOracle,
    )
    from demotic.decode.derivation import Derivation, Step
    from demotic.decode.episode import Episodes, Rollout, Sample, UndirectedEpisode
    from demotic.decode.hiero import Counters, DecoderOptions, HieroDecoder
    from demotic.decode.phrase import PhraseCounters, PhraseDecoder, PhraseOptions
    from demotic.decode.undirected import (
        Action,
        Perturbation,
        UndirectedCounters,
        UndirectedDecoder,
        UndirectedDerivation,
        UndirectedOptions,
    )
else:
    from demotic.lazy import names_of

    __getattr__, __dir__ = names_of(
        __name__,
        blocks="BlockCounters BlockDecoder BlockDecoderOptions BlockOracle",
        derivation="Derivation Step",
        episode="Episodes Rollout Sample UndirectedEpisode",
        hiero="Counters DecoderOptions HieroDecoder",
        phrase="PhraseCounters PhraseDecoder PhraseOptions",
        undirected="Action Perturbation UndirectedCounters UndirectedDecoder UndirectedDerivation "
        "UndirectedOptions",
    )

__all__ = [
    "Action",
    "BlockCounters",
    "BlockDecoder",
    "BlockDecoderOptions",
    "BlockOracle",
    "Counters",
    "DecoderOptions",
    "Derivation",
    "Episodes",
    "HieroDecoder",
    "Perturbation",
    "PhraseCounters",
    "PhraseDecoder",
    "PhraseOptions",
    "Rollout",
    "Sample",
    "Step",
    "UndirectedCounters",
    "UndirectedDecoder",
    "UndirectedDerivation",
    "UndirectedEpisode",
    "UndirectedOptions",
]
