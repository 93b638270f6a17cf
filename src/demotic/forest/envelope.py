"""The best derivation as a function of a step x along a direction: MERT's exact line search."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from demotic import _core
from demotic.forest.derivation import ForestDerivation
from demotic.forest.forest import Forest
from demotic.forest.many import shared_weights
from demotic.forest.weights import Floats, Weights

MAX_SEGMENTS = 4096


class Envelope:
    """The upper envelope of a forest's derivations as lines over x (Kumar et al. 2009).

    Segment i is the best derivation from ``start[i]`` (the first from minus infinity) to
    ``start[i + 1]``; its score at x is ``intercept[i] + x * slope[i]``.
    """

    def __init__(self, forest: Forest, core: Any) -> None:
        self._forest = forest
        self._core = core
        self.start: Floats = np.asarray(core.start())
        self.slope: Floats = np.asarray(core.slope())
        self.intercept: Floats = np.asarray(core.intercept())

    @property
    def truncated(self) -> bool:
        """The cap on segments was reached somewhere: values are lower bounds."""
        return bool(self._core.truncated)

    def derivation(self, segment: int) -> ForestDerivation:
        """The derivation of a segment; its score is the one under the forest's own weights."""
        edges = self._core.derivation(segment)
        return ForestDerivation(self._forest, edges, float(self._forest.score[edges].sum()))

    def value(self, x: float) -> float:
        """The best score at x."""
        segment = max(int(np.searchsorted(self.start, x, side="right")) - 1, 0)
        return float(self.intercept[segment] + x * self.slope[segment])

    def __len__(self) -> int:
        return len(self.start)


def envelopes(
    forests: Sequence[Forest],
    weights: Weights,
    direction: Weights,
    *,
    max_segments: int = MAX_SEGMENTS,
    threads: int = 1,
) -> list[Envelope]:
    """Each forest's envelope for the weights ``weights + x * direction``."""
    searches = _core.forest_envelopes(
        [forest.core for forest in forests],
        shared_weights(forests, weights),
        shared_weights(forests, direction),
        max_segments,
        threads,
    )
    return [Envelope(f, search) for f, search in zip(forests, searches, strict=True)]
