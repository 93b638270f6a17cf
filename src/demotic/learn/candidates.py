"""What a learner is given for each sentence of the dev set, and who gives it.

>>> against = statistics_against(["the house is small", "the house is little"])
>>> against(["the house was small"]).tolist()  # matches of n = 1-4, n-grams, both lengths
[[3, 1, 0, 0, 4, 3, 2, 1, 4, 4]]
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from demotic.errors import ArgumentError
from demotic.forest import Forest
from demotic.forest.weights import Floats
from demotic.metrics import SentenceBleu

STATISTICS = 10
"""Columns of BLEU statistics: matches of n = 1-4, hypothesis n-grams of n = 1-4, both lengths."""

Statistics: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class KBestCandidates:
    """A list of hypotheses: a row of features and a row of BLEU statistics for each."""

    features: Floats
    statistics: Statistics
    weight: float = 1.0
    """How often the sentence counts, for tuners that can weigh sentences."""
    judges: bool = True
    """Is the sentence one of those by which a decoding is judged?"""

    def __post_init__(self) -> None:
        _check_weight(self.weight)
        object.__setattr__(self, "features", _matrix(self.features, np.float64, "features"))
        object.__setattr__(self, "statistics", statistics_rows(self.statistics))
        if len(self.features) != len(self.statistics):
            raise ArgumentError(
                f"{len(self.features)} rows of features and {len(self.statistics)} of statistics"
            )
        if len(self.features) == 0:
            raise ArgumentError("a list of no hypotheses", remedy="give at least the best one")


@dataclass(frozen=True, eq=False)
class ForestCandidates:
    """All hypotheses of a forest, and a function from texts to their BLEU statistics.

    A text is the tokens of a derivation, separated by spaces.  Each is asked for once.
    """

    forest: Forest
    statistics: Callable[[Sequence[str]], ArrayLike]
    references: Sequence[Sequence[str]] = ()
    """Their words, for learners that look for good strings in the forest; others need none."""
    full: Forest | None = None
    """The same forest with its sparse features, for learners of their weights; in ``forest`` these
    are one feature, if any."""
    weight: float = 1.0
    """As of a list."""
    judges: bool = True

    def __post_init__(self) -> None:
        _check_weight(self.weight)


Candidates: TypeAlias = KBestCandidates | ForestCandidates


class Task(Protocol):
    """A dev set and a decoder, as a learner sees them."""

    @property
    def feature_names(self) -> Sequence[str]:
        """The order of the columns of k-best features, and of the features of forests."""

    def candidates(self, weights: Mapping[str, float]) -> Sequence[Candidates]:
        """Decode the dev set: what comes out for each sentence, always in the same order."""


def statistics_against(
    references: Sequence[str], *, tokenise: str = "none", lowercase: bool = False
) -> Callable[[Sequence[str]], Statistics]:
    """A function from hypotheses to BLEU statistics against one or more references.

    Counts what ``sacrebleu --tokenize`` with the same name counts; ``none`` splits at spaces.
    """
    bleu = SentenceBleu(references, tokenise=tokenise, lowercase=lowercase)

    def count(hypotheses: Sequence[str]) -> Statistics:
        rows = [bleu.statistics(hypothesis) for hypothesis in hypotheses]
        return np.array(rows, dtype=np.int64).reshape(-1, STATISTICS)

    return count


def statistics_rows(rows: ArrayLike) -> Statistics:
    """BLEU statistics as the core takes them."""
    array = _matrix(rows, np.int64, "BLEU statistics")
    if array.shape[1] != STATISTICS:
        raise ArgumentError(f"BLEU statistics have {STATISTICS} columns, not {array.shape[1]}")
    return array


def _check_weight(weight: float) -> None:
    if not 0 <= weight < math.inf:
        raise ArgumentError(f"a sentence that counts {weight} times")


def _matrix(values: ArrayLike, kind: type, name: str) -> np.ndarray[tuple[int, int], np.dtype]:
    try:
        array: np.ndarray[tuple[int, int], np.dtype] = np.ascontiguousarray(values, dtype=kind)
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"{name}: {error}") from None
    if array.ndim != 2:
        raise ArgumentError(f"{name}: a row per hypothesis is needed, not {array.ndim} dimensions")
    return array
