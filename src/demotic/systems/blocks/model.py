"""A trained block model at work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from demotic._core import BlockPairs
from demotic.decode.blocks import BlockDecoder, BlockSearch
from demotic.decode.derivation import Derivation
from demotic.grammar.blocks import BlockTable, load_pairs
from demotic.lm import LanguageModel
from demotic.systems.blocks.facts import FACTS
from demotic.systems.model import Model

if TYPE_CHECKING:
    from demotic.corpus import Encoded
    from demotic.explain.rivals import Rivals
    from demotic.forest import Forest
    from demotic.systems.translator import Translation


class BlocksModel(Model):
    """Blocks, pairs of them, a language model, weights, and how both languages are written."""

    SYSTEM = "blocks"
    FINAL = False
    PARTS = (*Model.PARTS, "blocks.bin", "pairs.bin", "lm.bin")
    SEARCH = BlockSearch
    SHAPE = "phrases"
    FACTS = FACTS

    decoder: BlockDecoder
    search: BlockSearch
    blocks: BlockTable
    pairs: BlockPairs

    @classmethod
    def _check_parts(cls, parts: Mapping[str, Path]) -> None:
        super()._check_parts(parts)
        BlockTable.load(parts["blocks.bin"], verify=True)

    def _open_decoder(self, weights: Mapping[str, float]) -> BlockDecoder:
        self.blocks = BlockTable.load(self.part("blocks.bin"), verify=False)
        self.pairs = load_pairs(self.part("pairs.bin"))
        self.lm = LanguageModel.load(self.part("lm.bin"), verify=False)
        decoder = BlockDecoder(self.blocks, self.lm, weights, pairs=self.pairs, options=self.search)
        self.weights = decoder.weights  # with those that are fixed, which learning does not name
        return decoder

    def forest(self, text: str) -> Forest:
        """The translation graph of a line: all that the decoder kept."""
        return self.decoder.forest(self._bounded(self.encode(text)))

    def step_values(
        self, encoded: Encoded, translation: Translation
    ) -> list[dict[str, float]] | None:
        """Those of the same derivation in the forest."""
        from demotic.explain.shares import of_chain

        derivation = translation.derivation
        assert isinstance(derivation, Derivation)
        return of_chain(self.decoder.forest(self._bounded(encoded)), derivation)

    def rivals_of(self, translation: Translation, step: int, most: int) -> Rivals | None:
        """What else the table has for the words of a block."""
        from demotic.explain.rivals import of_blocks

        derivation = translation.derivation
        assert isinstance(derivation, Derivation)
        used = derivation.steps[step].rule
        return None if used is None else of_blocks(self.blocks, used, most)

    def knows(self, word: str) -> object:
        """Is a token among the source words of the blocks?"""
        return self.blocks.find_source_word(word)

    def stranded(self, tokens: Sequence[str]) -> Sequence[int]:
        """Places of words that are in no block."""
        find = self.blocks.find_source_word
        return [at for at, token in enumerate(tokens) if not find(token)]
