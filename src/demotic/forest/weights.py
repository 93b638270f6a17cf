"""Feature weights as the core takes them: one number per feature name, in the forest's order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Weights: TypeAlias = Mapping[str, float] | Sequence[float] | Floats


def weight_array(features: Sequence[str], weights: Weights) -> Floats:
    """By name (a feature without a weight counts as 0) or already in the order of ``features``."""
    if isinstance(weights, Mapping):
        return np.array([weights.get(name, 0.0) for name in features], dtype=np.float64)
    return np.ascontiguousarray(weights, dtype=np.float64)
