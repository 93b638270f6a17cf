"""Models that are rules, a language model and weights; they differ in how their decoder searches.

class HieroModel(RulesModel[DecoderOptions, Derivation]):
    OPTIONS = DecoderOptions

    def _open_decoder(self, weights):
        return HieroDecoder(self.rules, self.lm, weights, options=self.options)
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from demotic.decode import Derivation
from demotic.decode.decoder import ForestDecoder
from demotic.grammar import RuleTable
from demotic.lm import LanguageModel
from demotic.systems.translator import Options, Translator

if TYPE_CHECKING:
    from demotic.corpus import Encoded
    from demotic.explain import Explanation
    from demotic.forest import Forest
    from demotic.model import Translation

Tree = TypeVar("Tree", bound=Derivation)


class RulesModel(Translator[Options, Tree]):
    """Rules, a language model, weights, and how both languages are written."""

    PARTS = (*Translator.PARTS, "rules.bin", "lm.bin")

    @cached_property
    def rules(self) -> RuleTable:
        """The rule table, mapped."""
        return RuleTable.load(self.part("rules.bin"), verify=False)

    @cached_property
    def lm(self) -> LanguageModel:
        """The language model of the target side, mapped."""
        return LanguageModel.load(self.part("lm.bin"), verify=False)

    def forest(self, text: str) -> Forest:
        """All that the decoder considered for a line."""
        assert isinstance(self.decoder, ForestDecoder)
        [forest] = self.decoder.forests([self.source.encode(text).tokens])
        return forest

    def explain(self, text: str) -> Explanation:
        """Where each word of the translation comes from."""
        return self._explained(text, *self.translated(text))

    def _explained(self, text: str, encoded: Encoded, translation: Translation) -> Explanation:
        from demotic.explain import explain

        derivation = translation.derivation
        assert isinstance(derivation, Derivation)
        return explain(
            text, translation.text, encoded, derivation, self.weights, self.training_corpus
        )
