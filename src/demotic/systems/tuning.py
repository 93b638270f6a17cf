"""A decoder and a development set as a learner sees them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import numpy as np

from demotic.errors import ArgumentError
from demotic.learn import Candidates, ForestCandidates, KBestCandidates, statistics_against

if TYPE_CHECKING:
    from demotic.decode import DecoderOptions, HieroDecoder
    from demotic.grammar import RuleTable
    from demotic.lm import LanguageModel

SMALLEST_DEV = 10
"""Sentences; on fewer, BLEU says nothing."""

Kind = Literal["forest", "kbest"]


def check_dev_size(sentences: int) -> None:
    """Raise where tuning would only learn noise."""
    if sentences < SMALLEST_DEV:
        raise ArgumentError(
            f"a development set of {sentences} sentence{'' if sentences == 1 else 's'} is too "
            "small to tune on",
            remedy=f"give at least {SMALLEST_DEV}, better some hundred sentences",
        )


@dataclass(frozen=True)
class DevSet:
    """Tokens to translate, and the tokens they should become."""

    source: list[str]
    reference: list[str]

    def __post_init__(self) -> None:
        if len(self.source) != len(self.reference):
            raise ArgumentError(
                f"the development set has {len(self.source)} sentences and "
                f"{len(self.reference)} translations"
            )
        check_dev_size(len(self.source))


@dataclass(frozen=True, eq=False)
class TuningTask:
    """Decodes the development set with the weights that a learner asks for."""

    rules: RuleTable
    lm: LanguageModel
    options: DecoderOptions
    dev: DevSet
    kind: Kind = "forest"
    list_size: int = 100
    threads: int = 1
    feature_names: Sequence[str] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "feature_names", tuple(self._decoder({}).feature_names))

    def _decoder(self, weights: Mapping[str, float]) -> HieroDecoder:
        from demotic.decode import HieroDecoder

        return HieroDecoder(self.rules, self.lm, weights, options=self.options)

    def candidates(self, weights: Mapping[str, float]) -> list[Candidates]:
        """For each sentence its forest, or its list of best translations."""
        decoder = self._decoder(weights)
        counts = [statistics_against([line]) for line in self.dev.reference]
        if self.kind == "forest":
            forests = decoder.forests(self.dev.source, threads=self.threads)
            return [
                ForestCandidates(forest, count)
                for forest, count in zip(forests, counts, strict=True)
            ]
        found: list[Candidates] = []
        lists = decoder.kbest_lines(self.dev.source, self.list_size, threads=self.threads)
        for best, count in zip(lists, counts, strict=True):
            rows = np.array([each.values for each in best], dtype=np.float64)
            found.append(KBestCandidates(rows, count([" ".join(each.tokens) for each in best])))
        return found
