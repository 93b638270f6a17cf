"""chrF and chrF++ on sacreBLEU's statistics."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from demotic.errors import ArgumentError
from demotic.metrics.bleu import sacrebleu_signature
from demotic.metrics.metric import Array, Metric, References, check_parallel


class Chrf(Metric):
    """Character n-gram F-score (Popović 2015); ``word_order=2`` gives chrF++ (Popović 2017)."""

    def __init__(
        self,
        *,
        char_order: int = 6,
        word_order: int = 0,
        beta: int = 2,
        lowercase: bool = False,
    ) -> None:
        if char_order < 1 or word_order < 0 or beta < 1:
            raise ArgumentError("chrF needs char_order >= 1, word_order >= 0 and beta >= 1")
        from sacrebleu.metrics.chrf import CHRF

        self.name = "chrF" + str(beta) + "+" * word_order
        self._beta = beta
        self._metric = CHRF(
            char_order=char_order, word_order=word_order, beta=beta, lowercase=lowercase
        )

    def statistics(self, hypotheses: Sequence[str], references: References) -> Array:
        """For each order the n-grams of the hypothesis, of the reference, and in both."""
        check_parallel(hypotheses, references)
        rows = self._metric._extract_corpus_statistics(hypotheses, references)
        return np.array(rows, dtype=np.float64)

    def values(self, totals: Array) -> Array:
        """Mean precision and recall over the orders that both sides have, then F-beta."""
        hypothesis, reference, match = (totals[:, field::3] for field in range(3))
        present = (hypothesis > 0) & (reference > 0)
        orders = np.maximum(present.sum(axis=1), 1)
        precision = (match / np.where(present, hypothesis, np.inf)).sum(axis=1) / orders
        recall = (match / np.where(present, reference, np.inf)).sum(axis=1) / orders
        factor = self._beta**2
        below = factor * precision + recall
        above = 100 * (1 + factor) * precision * recall
        scores: Array = np.divide(above, below, out=np.zeros_like(above), where=below > 0)
        return scores

    def signature(self, references: int) -> str:
        return sacrebleu_signature(self._metric, references)
