"""A trained phrase model at work."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from demotic.decode import Derivation, PhraseDecoder, PhraseSearch
from demotic.systems.rules_model import CDLM_PART, FURTHER_PARTS, WORDS_PART, RulesModel

if TYPE_CHECKING:
    from demotic.corpus import Encoded
    from demotic.decode.decoder import ForestDecoder
    from demotic.systems.translator import Translation


class PhraseModel(RulesModel):
    """Translates phrase by phrase, in an order that the search finds."""

    SYSTEM = "phrase"
    SEARCH = PhraseSearch
    SHAPE = "phrases"
    LAZY = True
    OPTIONAL = (*FURTHER_PARTS, WORDS_PART, CDLM_PART)

    decoder: ForestDecoder[Derivation]
    search: PhraseSearch

    def _open_decoder(self, weights: Mapping[str, float]) -> ForestDecoder[Derivation]:
        return self._decoder(PhraseDecoder, weights)

    def step_values(
        self, encoded: Encoded, translation: Translation
    ) -> list[dict[str, float]] | None:
        """Those of the same derivation in the forest: where a phrase goes depends on its
        neighbours."""
        from demotic.explain.shares import of_chain

        derivation = translation.derivation
        assert isinstance(derivation, Derivation)
        [forest] = self.decoder.forests([self._bounded(encoded)])
        return of_chain(forest, derivation)
