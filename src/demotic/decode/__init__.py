"""Decoders: a grammar, a language model and weights turn tokens into derivations and forests.

from demotic.decode import DecoderOptions, HieroDecoder
"""

from demotic.decode.derivation import Derivation, Step
from demotic.decode.hiero import Counters, DecoderOptions, HieroDecoder

__all__ = ["Counters", "DecoderOptions", "Derivation", "HieroDecoder", "Step"]
