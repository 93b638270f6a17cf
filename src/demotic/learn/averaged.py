"""Weights whose mean over all steps of learning is known at any time.

>>> weights = AveragedWeights(np.zeros(1))
>>> weights.add(np.array([1.0])); weights.step()      # the step's own weights count after it
>>> weights.step()
>>> weights.mean().tolist()                           # of 0, 1, 1
[0.6666666666666666]
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from demotic.forest.weights import Floats


class AveragedWeights:
    """The averaging trick: with u the sum of c times each change in step c, the mean of w_0 ... w_T
    is ``w - u / c``; no step costs more than its change.

    Dense features by position, sparse ones by id.
    """

    def __init__(self, dense: Floats, sparse: int = 0) -> None:
        self.dense = np.array(dense, dtype=np.float64)
        self.sparse = np.zeros(sparse)
        self.dense_sum = np.zeros_like(self.dense)
        self.sparse_sum = np.zeros(sparse)
        self.count = 1

    def add(
        self,
        change: Floats,
        ids: NDArray[np.uint32] | None = None,
        values: Floats | None = None,
    ) -> None:
        """Change the weights within the present step; ``ids`` are all different."""
        self.dense += change
        self.dense_sum += self.count * change
        if ids is not None and values is not None:
            self.sparse[ids] += values
            self.sparse_sum[ids] += self.count * values

    def step(self) -> None:
        """The present step ends, whether it changed anything or not."""
        self.count += 1

    def mean(self) -> Floats:
        """The mean of the dense weights before the first step and after each."""
        return np.asarray(self.dense - self.dense_sum / self.count)

    def sparse_mean(self) -> Floats:
        """The same of the sparse weights."""
        return np.asarray(self.sparse - self.sparse_sum / self.count)

    @property
    def finite(self) -> bool:
        """Has nothing grown beyond all numbers?"""
        return bool(np.isfinite(self.dense).all() and np.isfinite(self.dense_sum).all())
