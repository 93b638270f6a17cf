"""Corpus BLEU: sacreBLEU's tokenisation and signature, counting in the core."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from demotic._core import BleuOptions, BleuSmoothing, bleu_scores, bleu_statistics
from demotic.errors import ArgumentError
from demotic.metrics.metric import Array, Metric, References
from demotic.metrics.tokenise import check_tokeniser, encoded, tokeniser

_SMOOTHING = {  # name: (the core's, the value when none is given: Chen and Cherry 2014)
    "none": (BleuSmoothing.none, 0.0),
    "floor": (BleuSmoothing.floor, 0.1),
    "add-k": (BleuSmoothing.add_k, 1.0),
    "exp": (BleuSmoothing.exp, 0.0),
}


def bleu_options(smoothing: str, value: float | None, *, effective_order: bool) -> BleuOptions:
    """Options for the core, by sacreBLEU's names."""
    if smoothing not in _SMOOTHING:
        raise ArgumentError(
            f"unknown smoothing '{smoothing}'", remedy="choose from " + ", ".join(_SMOOTHING)
        )
    kind, default = _SMOOTHING[smoothing]
    if value is not None and not value >= 0:
        raise ArgumentError("a smoothing value must not be negative")
    return BleuOptions(kind, default if value is None else value, effective_order)


class Bleu(Metric):
    """BLEU (Papineni et al. 2002), equal to ``sacrebleu.metrics.BLEU().corpus_score``.

    >>> score = Bleu().score(["the house was small"], [["the house is small"]])
    >>> score.name, round(score.value, 2), score.signature.rpartition("|")[0]
    ('BLEU', 35.36, 'nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp')
    """

    name = "BLEU"

    def __init__(
        self,
        *,
        tokenise: str = "13a",
        lowercase: bool = False,
        smoothing: str = "exp",
        smoothing_value: float | None = None,
        effective_order: bool = False,
        threads: int = 1,
    ) -> None:
        check_tokeniser(tokenise)
        self._options = bleu_options(smoothing, smoothing_value, effective_order=effective_order)
        self._sentence_options = bleu_options("exp", None, effective_order=True)
        self._tokenise = tokenise
        self._lowercase = lowercase
        self._smoothing = smoothing
        self._smoothing_value = smoothing_value
        self._effective_order = effective_order
        self._threads = threads

    def words(self, line: str) -> str:
        """The words that are counted, separated by spaces."""
        return tokeniser(self._tokenise, lowercase=self._lowercase)(line)

    def with_effective_order(self) -> Bleu:
        """The same without n-grams that no text is long enough for."""
        return Bleu(
            tokenise=self._tokenise,
            lowercase=self._lowercase,
            smoothing=self._smoothing,
            smoothing_value=self._smoothing_value,
            effective_order=True,
            threads=self._threads,
        )

    def statistics(self, hypotheses: Sequence[str], references: References) -> Array:
        """matches of n = 1-4, hypothesis n-grams of n = 1-4, both lengths."""
        lines, streams = encoded(
            hypotheses, references, tokenise=self._tokenise, lowercase=self._lowercase
        )
        rows = bleu_statistics(lines, streams, self._threads)
        return rows.astype(np.float64)

    def values(self, totals: Array) -> Array:
        return bleu_scores(_whole(totals), self._options)

    def sentence_values(self, statistics: Array) -> Array:
        """Sentence BLEU as ``sacrebleu.sentence_bleu`` gives it: exp smoothing, effective order."""
        return bleu_scores(_whole(statistics), self._sentence_options)

    def signature(self, references: int) -> str:
        from sacrebleu.metrics.bleu import BLEU

        metric = BLEU(
            tokenize=self._tokenise,
            lowercase=self._lowercase,
            smooth_method=self._smoothing,
            smooth_value=self._smoothing_value,
            effective_order=self._effective_order,
        )
        return sacrebleu_signature(metric, references)


def sacrebleu_signature(metric: object, references: int) -> str:
    """The signature of a sacreBLEU metric, which it only tells after having scored something."""
    metric.corpus_score(["x"], [["x"]] * references)  # type: ignore[attr-defined]
    return str(metric.get_signature())  # type: ignore[attr-defined]


def _whole(statistics: Array) -> np.ndarray:
    return np.ascontiguousarray(np.rint(statistics).astype(np.int64))
