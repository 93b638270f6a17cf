"""What every metric is: statistics per sentence that add up, and a score of their sum.

Because statistics add up, one pass over the text serves the score, its confidence interval and
every significance test.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from demotic.errors import ArgumentError
from demotic.metrics.score import Score

Array = NDArray[np.float64]
References = Sequence[Sequence[str]]  # one sequence per reference translation, as in sacreBLEU


class Metric(ABC):
    """A corpus metric over sentences and one or more references of each."""

    name: str
    higher_is_better: ClassVar[bool] = True

    @abstractmethod
    def statistics(self, hypotheses: Sequence[str], references: References) -> Array:
        """One row of additive statistics per sentence."""

    @abstractmethod
    def values(self, totals: Array) -> Array:
        """The score of each row of summed statistics."""

    @abstractmethod
    def signature(self, references: int) -> str:
        """What someone else needs to know to compute the same score."""

    def sentence_values(self, statistics: Array) -> Array:
        """The score of each sentence alone, smoothed where the metric needs it."""
        return self.values(statistics)

    def corpus_value(self, statistics: Array) -> float:
        """The score of all sentences together."""
        return float(self.values(statistics.sum(axis=0, keepdims=True))[0])

    def score(self, hypotheses: Sequence[str], references: References) -> Score:
        """The corpus score; ``references`` holds one sequence per reference translation."""
        value = self.corpus_value(self.statistics(hypotheses, references))
        return Score(self.name, value, self.signature(len(references)))


def check_parallel(hypotheses: Sequence[str], references: References) -> None:
    """Refuse what no metric can score."""
    if isinstance(hypotheses, str) or any(isinstance(stream, str) for stream in references):
        raise ArgumentError(
            "a string where sentences are expected", remedy="pass lists of sentences"
        )
    if not references:
        raise ArgumentError("no reference")
    if not hypotheses:
        raise ArgumentError("no sentences to score")
    for number, stream in enumerate(references, start=1):
        if len(stream) != len(hypotheses):
            raise ArgumentError(
                f"{len(hypotheses)} hypotheses, but {len(stream)} sentences in reference {number}"
            )
