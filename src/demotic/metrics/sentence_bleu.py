"""Smoothed BLEU of single sentences, fast enough for the inner loop of a learner.

>>> bleu = SentenceBleu(["the house is small", "the house is little"], tokenise="none")
>>> round(bleu.score("the house was small"), 2)
35.36
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from demotic import _core
from demotic.metrics.bleu import bleu_options
from demotic.metrics.metric import Array, References
from demotic.metrics.tokenise import encoded, tokeniser


class SentenceBleu:
    """BLEU of hypotheses for one sentence with one or more references.

    Equal to ``sacrebleu.sentence_bleu`` with the same options; the references are counted once.
    ``smoothing`` is ``exp``, ``floor``, ``add-k`` or ``none``; ``add-k`` with value 1 is the BLEU+1
    of Lin and Och (2004).
    """

    def __init__(
        self,
        references: Sequence[str],
        *,
        smoothing: str = "exp",
        smoothing_value: float | None = None,
        effective_order: bool = True,
        tokenise: str = "13a",
        lowercase: bool = False,
    ) -> None:
        options = bleu_options(smoothing, smoothing_value, effective_order=effective_order)
        self._tokens = tokeniser(tokenise, lowercase=lowercase)
        self._bleu = _core.SentenceBleu([self._tokens(line) for line in references], options)

    def score(self, hypothesis: str) -> float:
        """BLEU, 0 to 100."""
        return self._bleu.score(self._tokens(hypothesis))

    def scores(self, hypotheses: Sequence[str], *, threads: int = 1) -> Array:
        """BLEU of many hypotheses for the same sentence, such as an n-best list."""
        return self._bleu.scores([self._tokens(line) for line in hypotheses], threads)

    def statistics(self, hypothesis: str) -> NDArray[np.int64]:
        """matches of n = 1-4, hypothesis n-grams of n = 1-4, both lengths."""
        row: NDArray[np.int64] = self._bleu.statistics(self._tokens(hypothesis))[0]
        return row


def sentence_bleu_scores(
    hypotheses: Sequence[str],
    references: References,
    *,
    smoothing: str = "exp",
    smoothing_value: float | None = None,
    effective_order: bool = True,
    tokenise: str = "13a",
    lowercase: bool = False,
    threads: int = 1,
) -> Array:
    """The sentence BLEU of each line of a corpus; ``references`` as in :class:`Metric`."""
    options = bleu_options(smoothing, smoothing_value, effective_order=effective_order)
    lines, streams = encoded(hypotheses, references, tokenise=tokenise, lowercase=lowercase)
    return _core.bleu_scores(_core.bleu_statistics(lines, streams, threads), options)
