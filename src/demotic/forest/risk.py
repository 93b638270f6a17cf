"""Expected loss of forests with its gradient, for minimum-risk training (Li & Eisner 2009)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from demotic import _core
from demotic.features.sparse import SparseVector
from demotic.forest.forest import Forest
from demotic.forest.many import shared_space
from demotic.forest.weights import Weights, weight_array


@dataclass(frozen=True, eq=False)
class Risk:
    """F = E[L] - temperature * H, summed over forests, and its derivatives."""

    value: float
    expected_loss: float
    gradient: SparseVector
    """Of the features that the forests have."""
    scale_gradient: float


def risk(
    forests: Sequence[Forest],
    weights: Weights,
    *,
    scale: float = 1.0,
    temperature: float = 0.0,
    threads: int = 1,
) -> Risk:
    """Risk under p(d) proportional to exp(scale * w . f(d)); the forests' own scores are not used.

    The forests must share one feature space, in which weights, if they are no mapping, have a value
    for each feature.  The cost follows the features that the forests have, not those of the space.
    """
    space = shared_space(forests)
    array = weight_array(space, weights)
    cores = [forest.core for forest in forests]
    value, loss, gradient, slope = _core.forest_risk(cores, array, scale, temperature, threads)
    return Risk(value, loss, SparseVector(space, *gradient), slope)
