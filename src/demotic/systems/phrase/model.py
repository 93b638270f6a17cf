"""A trained phrase model at work."""

from __future__ import annotations

from collections.abc import Mapping

from demotic.decode import PhraseDecoder, PhraseSearch
from demotic.systems.rules_model import CDLM_PART, FURTHER_PARTS, WORDS_PART, RulesModel


class PhraseModel(RulesModel):
    """Translates phrase by phrase, in an order that the search finds."""

    SYSTEM = "phrase"
    SEARCH = PhraseSearch
    OPTIONAL = (*FURTHER_PARTS, WORDS_PART, CDLM_PART)

    decoder: PhraseDecoder
    search: PhraseSearch

    def _open_decoder(self, weights: Mapping[str, float]) -> PhraseDecoder:
        return PhraseDecoder(
            self.rules,
            self.lm,
            weights,
            further=self.further,
            classifiers=self.classifiers,
            options=self.search,
        )
