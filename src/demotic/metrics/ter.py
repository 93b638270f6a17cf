"""Translation edit rate on sacreBLEU's statistics."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from demotic.metrics.bleu import sacrebleu_signature
from demotic.metrics.metric import Array, Metric, References, check_parallel


class Ter(Metric):
    """Translation edit rate (Snover et al. 2006): edits and shifts per reference word, in percent.

    As in sacreBLEU and Tercom, case is ignored unless ``case_sensitive`` is set.
    """

    name = "TER"
    higher_is_better = False

    def __init__(
        self, *, normalised: bool = False, punctuation: bool = True, case_sensitive: bool = False
    ) -> None:
        from sacrebleu.metrics.ter import TER

        self._metric = TER(
            normalized=normalised, no_punct=not punctuation, case_sensitive=case_sensitive
        )

    def statistics(self, hypotheses: Sequence[str], references: References) -> Array:
        """Edits to the nearest reference, and the mean length of the references."""
        check_parallel(hypotheses, references)
        rows = self._metric._extract_corpus_statistics(hypotheses, references)
        return np.array(rows, dtype=np.float64)

    def values(self, totals: Array) -> Array:
        edits, length = totals[:, 0], totals[:, 1]
        against_nothing = np.where(edits > 0, 100.0, 0.0)
        return np.divide(100 * edits, length, out=against_nothing, where=length > 0)

    def signature(self, references: int) -> str:
        return sacrebleu_signature(self._metric, references)
