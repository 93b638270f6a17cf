"""Models that are rules, a language model and weights; they differ in how their decoder searches.

class HieroModel(RulesModel):
    SYSTEM = "hiero"
    SEARCH = HieroSearch

    def _open_decoder(self, weights):
        return HieroDecoder(self.rules, self.lm, weights, options=self.search)
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from demotic.decode.decoder import ForestDecoder
from demotic.grammar import RuleTable
from demotic.lm import LanguageModel
from demotic.systems.model import Model

if TYPE_CHECKING:
    from demotic.forest import Forest


class RulesModel(Model):
    """Rules, a language model, weights, and how both languages are written."""

    PARTS = (*Model.PARTS, "rules.bin", "lm.bin")

    @classmethod
    def _check_parts(cls, parts: Mapping[str, Path]) -> None:
        super()._check_parts(parts)
        RuleTable.load(parts["rules.bin"], verify=True)

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
