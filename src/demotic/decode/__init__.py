"""Decoders: a grammar, a language model and weights turn tokens into derivations and forests.

from demotic.decode import HieroDecoder, PhraseDecoder, UndirectedDecoder
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from demotic.decode.amasis import AmasisCounters as AmasisCounters
    from demotic.decode.amasis import AmasisDecoder as AmasisDecoder
    from demotic.decode.amasis import AmasisDerivation as AmasisDerivation
    from demotic.decode.amasis import AmasisSearch as AmasisSearch
    from demotic.decode.blocks import BlockCounters as BlockCounters
    from demotic.decode.blocks import BlockDecoder as BlockDecoder
    from demotic.decode.blocks import BlockOracle as BlockOracle
    from demotic.decode.blocks import BlockSearch as BlockSearch
    from demotic.decode.bounded import Bounded as Bounded
    from demotic.decode.consensus import Agreement as Agreement
    from demotic.decode.consensus import Consensus as Consensus
    from demotic.decode.decoder import Choice as Choice
    from demotic.decode.decoder import Choices as Choices
    from demotic.decode.derivation import Derivation as Derivation
    from demotic.decode.derivation import Step as Step
    from demotic.decode.episode import Episodes as Episodes
    from demotic.decode.episode import Rollout as Rollout
    from demotic.decode.episode import Sample as Sample
    from demotic.decode.episode import UndirectedEpisode as UndirectedEpisode
    from demotic.decode.hiero import HieroCounters as HieroCounters
    from demotic.decode.hiero import HieroDecoder as HieroDecoder
    from demotic.decode.hiero import HieroSearch as HieroSearch
    from demotic.decode.phrase import PhraseCounters as PhraseCounters
    from demotic.decode.phrase import PhraseDecoder as PhraseDecoder
    from demotic.decode.phrase import PhraseSearch as PhraseSearch
    from demotic.decode.transducer import TreeDecoder as TreeDecoder
    from demotic.decode.tree_derivation import TreeDerivation as TreeDerivation
    from demotic.decode.tree_search import Transduction as Transduction
    from demotic.decode.tree_search import TreeSearch as TreeSearch
    from demotic.decode.tree_search import transduce as transduce
    from demotic.decode.undirected import Action as Action
    from demotic.decode.undirected import Perturbation as Perturbation
    from demotic.decode.undirected import UndirectedCounters as UndirectedCounters
    from demotic.decode.undirected import UndirectedDecoder as UndirectedDecoder
    from demotic.decode.undirected import UndirectedDerivation as UndirectedDerivation
    from demotic.decode.undirected import UndirectedSearch as UndirectedSearch
else:
    from demotic.lazy import exports

    __getattr__, __dir__, __all__ = exports(__name__)
