"""A trained Hiero model at work."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from demotic.decode import HieroDecoder, HieroSearch
from demotic.systems.rules_model import CDLM_PART, FURTHER_PARTS, WORDS_PART, RulesModel

if TYPE_CHECKING:
    from demotic.decode import Derivation
    from demotic.decode.decoder import ForestDecoder


class HieroModel(RulesModel):
    """Translates with a tree over the whole sentence, found by cube pruning."""

    SYSTEM = "hiero"
    SEARCH = HieroSearch
    LAZY = True
    OPTIONAL = (*FURTHER_PARTS, WORDS_PART, CDLM_PART)

    decoder: ForestDecoder[Derivation]
    search: HieroSearch

    def _open_decoder(self, weights: Mapping[str, float]) -> ForestDecoder[Derivation]:
        return self._decoder(HieroDecoder, weights)
