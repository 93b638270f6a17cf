"""A trained phrase model at work."""

from __future__ import annotations

from collections.abc import Mapping

from demotic.decode import Derivation, PhraseDecoder, PhraseOptions
from demotic.systems.rules_model import RulesModel


class PhraseModel(RulesModel[PhraseOptions, Derivation]):
    """Translates phrase by phrase, in an order that the search finds."""

    OPTIONS = PhraseOptions

    decoder: PhraseDecoder

    def _open_decoder(self, weights: Mapping[str, float]) -> PhraseDecoder:
        return PhraseDecoder(self.rules, self.lm, weights, options=self.options)


open_model = PhraseModel.open
