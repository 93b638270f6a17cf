"""A trained Hiero model at work."""

from __future__ import annotations

from collections.abc import Mapping

from demotic.decode import DecoderOptions, Derivation, HieroDecoder
from demotic.systems.rules_model import RulesModel


class HieroModel(RulesModel[DecoderOptions, Derivation]):
    """Translates with a tree over the whole sentence, found by cube pruning."""

    OPTIONS = DecoderOptions

    decoder: HieroDecoder

    def _open_decoder(self, weights: Mapping[str, float]) -> HieroDecoder:
        return HieroDecoder(self.rules, self.lm, weights, options=self.options)


open_model = HieroModel.open
