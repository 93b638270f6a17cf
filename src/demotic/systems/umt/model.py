"""A trained UMT model at work."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from demotic.decode import HieroDecoder
from demotic.decode.undirected import UndirectedDecoder, UndirectedDerivation, UndirectedSearch
from demotic.errors import CorruptFileError
from demotic.systems.rules_model import CDLM_PART, RulesModel
from demotic.systems.umt.sparse import read_sparse, sparse_facts

if TYPE_CHECKING:
    from pathlib import Path

    from demotic.corpus import Encoded
    from demotic.explain import Explanation
    from demotic.forest import Forest
    from demotic.forest.weights import Floats
    from demotic.systems.translator import Translation


class UmtModel(RulesModel):
    """The parts of a Hiero model, with weights for a tree that grows in any direction."""

    SYSTEM = "umt"
    PARTS = (*RulesModel.PARTS, "sparse.npz")
    OPTIONAL = (CDLM_PART,)
    SEARCH = UndirectedSearch
    FACTS = {"sparse.npz": ("weights of sparse features", sparse_facts)}  # noqa: RUF012

    decoder: UndirectedDecoder
    search: UndirectedSearch

    def _open_decoder(self, weights: Mapping[str, float]) -> UndirectedDecoder:
        return UndirectedDecoder(
            self.rules, self.lm, weights, options=self.search, sparse=self.sparse
        )

    @cached_property
    def sparse(self) -> Floats | None:
        """The weights of sparse features by id; None where there are none, as by default."""
        if not self.search.sparse_bits:
            return None  # what reads them takes as long to import as the model to load
        found = read_sparse(self.part("sparse.npz"))
        if len(found) != (wanted := 1 << self.search.sparse_bits):
            raise CorruptFileError(
                f"{len(found)} sparse weights instead of {wanted}", path=self.part("sparse.npz")
            )
        return found

    @classmethod
    def _check_parts(cls, parts: Mapping[str, Path]) -> None:
        super()._check_parts(parts)
        read_sparse(parts["sparse.npz"])

    def forest(self, text: str) -> Forest:
        """All that the grammar allows for a line, scored without the language model.

        The decoder keeps one tree alone; this is what it chooses from.
        """
        return self._parser.parse(self._bounded(self.encode(text)))

    @cached_property
    def _parser(self) -> HieroDecoder:
        from demotic.decode import HieroSearch

        options = HieroSearch(
            span_limit=self.search.span_limit,
            max_edges=self.search.max_edges,
            glue=self.search.glue,
            goal=self.search.goal,
            default_category=self.search.default_category,
        )
        decoder = HieroDecoder(self.rules, self.lm, {}, options=options)
        others = {*self.decoder.feature_names} - {*decoder.feature_names}  # of growing trees
        known = {name: value for name, value in self.weights.items() if name not in others}
        return decoder.with_weights(known)

    def _explained(self, text: str, encoded: Encoded, translation: Translation) -> Explanation:
        """With the order in which the tree grew."""
        found = super()._explained(text, encoded, translation)
        derivation = translation.derivation
        assert isinstance(derivation, UndirectedDerivation)
        steps = list(found.steps)
        for order, action in enumerate(derivation.actions, 1):
            steps[action.step] = replace(steps[action.step], order=order, action=action.kind)
        return replace(found, steps=tuple(steps))
