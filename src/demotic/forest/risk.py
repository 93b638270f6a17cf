"""Expected loss of forests with its gradient, for minimum-risk training (Li & Eisner 2009)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from demotic import _core
from demotic.forest.forest import Forest
from demotic.forest.many import shared_weights
from demotic.forest.weights import Floats, Weights


@dataclass(frozen=True, eq=False)
class Risk:
    """F = E[L] - temperature * H, summed over forests, and its derivatives."""

    value: float
    expected_loss: float
    gradient: Floats
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

    All forests must name the same features; ``gradient`` is in their order.
    """
    array = shared_weights(forests, weights)
    cores = [forest.core for forest in forests]
    return Risk(*_core.forest_risk(cores, array, scale, temperature, threads))
