"""Vectors over a feature space that say where they are not zero.

gradient = risk(forests, weights).gradient
weights[gradient.ids] -= 0.1 * gradient.values     # costs what the forests have
scipy.optimize.minimize(..., jac=gradient.dense()) # costs what there is
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from demotic._core import FeatureSpace


@dataclass(frozen=True, eq=False)
class SparseVector:
    """Values of some features; all others are 0."""

    space: FeatureSpace
    ids: NDArray[np.uint32]
    """Ascending, each once."""
    values: NDArray[np.float64]

    def dense(self) -> NDArray[np.float64]:
        """A value for each feature of the space."""
        return self.add_to(np.zeros(len(self.space)))

    def add_to(self, total: NDArray[np.float64]) -> NDArray[np.float64]:
        """Add to an array with a value for each feature of the space; that array."""
        total[self.ids] += self.values
        return total

    def named(self) -> dict[str, float]:
        """The values by name."""
        name = self.space.name
        return {name(i): v for i, v in zip(self.ids.tolist(), self.values.tolist(), strict=True)}

    def __add__(self, other: SparseVector) -> SparseVector:
        """The sum, where either has a value; both are of one space."""
        ids = np.union1d(self.ids, other.ids)
        values = np.zeros(len(ids))
        values[np.searchsorted(ids, self.ids)] = self.values
        values[np.searchsorted(ids, other.ids)] += other.values
        return SparseVector(self.space, ids, values)

    def __sub__(self, other: SparseVector) -> SparseVector:
        """The difference, where either has a value; both are of one space."""
        return self + other * -1.0

    def __mul__(self, factor: float) -> SparseVector:
        """All values times a factor."""
        return SparseVector(self.space, self.ids, self.values * factor)

    def __len__(self) -> int:
        """The number of features that have a value."""
        return len(self.ids)
