"""Scores of a text, line by line and all together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class LineScores:
    """Scores of many lines, in their order; words count ``</s>`` where it was scored."""

    log10: NDArray[np.float64]
    words: NDArray[np.uint32]
    oovs: NDArray[np.uint32]
    oov_log10: NDArray[np.float64]

    @classmethod
    def joined(cls, parts: Sequence[LineScores]) -> LineScores:
        """The scores of several texts, one after the other."""
        if len(parts) == 1:
            return parts[0]
        return cls(
            np.concatenate([np.zeros(0), *(part.log10 for part in parts)]),
            np.concatenate([np.zeros(0, np.uint32), *(part.words for part in parts)]),
            np.concatenate([np.zeros(0, np.uint32), *(part.oovs for part in parts)]),
            np.concatenate([np.zeros(0), *(part.oov_log10 for part in parts)]),
        )

    def __len__(self) -> int:
        return len(self.log10)

    @property
    def total(self) -> float:
        """Log10 probability of everything."""
        return float(self.log10.sum())

    @property
    def perplexity(self) -> float:
        """Per word, unknown words included."""
        return _perplexity(self.total, int(self.words.sum()))

    @property
    def perplexity_without_oov(self) -> float:
        """Per known word."""
        return _perplexity(
            self.total - float(self.oov_log10.sum()), int(self.words.sum()) - int(self.oovs.sum())
        )


def _perplexity(log10: float, words: int) -> float:
    return float(10.0 ** (-log10 / words)) if words else 1.0
