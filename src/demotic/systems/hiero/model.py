"""A trained Hiero model at work."""

from __future__ import annotations

from collections.abc import Mapping

from demotic.decode import HieroDecoder, HieroSearch
from demotic.systems.rules_model import CDLM_PART, FURTHER_PARTS, WORDS_PART, RulesModel


class HieroModel(RulesModel):
    """Translates with a tree over the whole sentence, found by cube pruning."""

    SYSTEM = "hiero"
    SEARCH = HieroSearch
    OPTIONAL = (*FURTHER_PARTS, WORDS_PART, CDLM_PART)

    decoder: HieroDecoder
    search: HieroSearch

    def _open_decoder(self, weights: Mapping[str, float]) -> HieroDecoder:
        return HieroDecoder(
            self.rules,
            self.lm,
            weights,
            further=self.further,
            classifiers=self.classifiers,
            options=self.search,
        )
