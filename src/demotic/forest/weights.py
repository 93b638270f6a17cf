"""Feature weights as the core takes them: one number per feature of the forest's space."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from demotic._core import FeatureSpace

Floats: TypeAlias = NDArray[np.float64]
Weights: TypeAlias = Mapping[str, float] | Sequence[float] | Floats


def weight_array(space: FeatureSpace, weights: Weights) -> Floats:
    """By name (a feature without a weight counts as 0) or already by id, which copies nothing."""
    if not isinstance(weights, Mapping):
        return np.ascontiguousarray(weights, dtype=np.float64)
    array = np.zeros(len(space))
    for name, value in weights.items():
        if (found := space.find(name)) is not None:
            array[found] = value
    return array
