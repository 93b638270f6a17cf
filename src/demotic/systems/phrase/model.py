"""A trained phrase model at work."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from demotic.decode import Derivation, PhraseDecoder, PhraseOptions
from demotic.grammar import RuleTable
from demotic.lm import LanguageModel
from demotic.systems.translator import Translator

if TYPE_CHECKING:
    from demotic.explain import Explanation
    from demotic.forest import Forest


class PhraseModel(Translator[PhraseOptions, Derivation]):
    """Phrases, a language model, weights, and how both languages are written."""

    PARTS = (*Translator.PARTS, "rules.bin", "lm.bin")
    OPTIONS = PhraseOptions

    decoder: PhraseDecoder

    def _open_decoder(self, weights: Mapping[str, float]) -> PhraseDecoder:
        self.rules = RuleTable.load(self.part("rules.bin"), verify=False)
        self.lm = LanguageModel.load(self.part("lm.bin"), verify=False)
        return PhraseDecoder(self.rules, self.lm, weights, options=self.options)

    def forest(self, text: str) -> Forest:
        """The search graph of a line: all that the decoder kept."""
        return self.decoder.forest(self.source.encode(text).tokens)

    def explain(self, text: str) -> Explanation:
        """Where each word of the translation comes from."""
        from demotic.explain import explain

        encoded, translation = self.translated(text)
        derivation = translation.derivation
        assert isinstance(derivation, Derivation)
        return explain(
            text, translation.text, encoded, derivation, self.weights, self.training_corpus
        )


open_model = PhraseModel.open
