"""A trained block model at work."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from demotic._core import BlockPairs
from demotic.decode.blocks import BlockDecoder, BlockDecoderOptions
from demotic.decode.derivation import Derivation
from demotic.grammar.blocks import BlockTable, load_pairs
from demotic.lm import LanguageModel
from demotic.systems.translator import Translator

if TYPE_CHECKING:
    from demotic.explain import Explanation
    from demotic.forest import Forest


class BlocksModel(Translator[BlockDecoderOptions, Derivation]):
    """Blocks, pairs of them, a language model, weights, and how both languages are written."""

    PARTS = (*Translator.PARTS, "blocks.bin", "pairs.bin", "lm.bin")
    OPTIONS = BlockDecoderOptions

    decoder: BlockDecoder
    blocks: BlockTable
    pairs: BlockPairs

    def _open_decoder(self, weights: Mapping[str, float]) -> BlockDecoder:
        self.blocks = BlockTable.load(self.part("blocks.bin"), verify=False)
        self.pairs = load_pairs(self.part("pairs.bin"))
        self.lm = LanguageModel.load(self.part("lm.bin"), verify=False)
        decoder = BlockDecoder(
            self.blocks, self.lm, weights, pairs=self.pairs, options=self.options
        )
        self.weights = decoder.weights  # with those that are fixed, which learning does not name
        return decoder

    def forest(self, text: str) -> Forest:
        """The translation graph of a line: all that the decoder kept."""
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


open_model = BlocksModel.open
