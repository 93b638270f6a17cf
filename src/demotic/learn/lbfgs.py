"""Minimising smooth functions of many variables by L-BFGS (Nocedal 1980), with numpy alone.

>>> import numpy as np
>>> found = minimise(lambda x: (float((x - 3) @ (x - 3)), 2 * (x - 3)), np.zeros(2))
>>> found.round(6).tolist()
[3.0, 3.0]

With a cost of absolute values beside the function (L1), many variables end at 0 exactly: OWL-QN
(Andrew and Gao 2007).

>>> function = lambda x: (float((x - [3, 0.5]) @ (x - [3, 0.5])), 2 * (x - [3, 0.5]))
>>> descend(function, np.zeros(2), l1=np.full(2, 2.0)).point.round(6).tolist()
[2.0, 0.0]
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from demotic.forest.weights import Floats

Function: TypeAlias = Callable[[Floats], tuple[float, Floats]]

_HISTORY = 10  # pairs of steps and changes of the gradient
_ENOUGH = 1e-4  # of what the slope promises, for a step to be taken


@dataclass(frozen=True, eq=False)
class Descent:
    """Where a descent came to."""

    point: Floats
    values: tuple[float, ...]
    """Of the start and of each step taken, with the cost of L1; none is above the one before."""
    evaluations: int
    stuck: bool
    """No step along the last direction descended."""

    @property
    def value(self) -> float:
        """At ``point``."""
        return self.values[-1]


def minimise(
    objective: Function, start: Floats, *, iterations: int = 200, tolerance: float = 1e-9
) -> Floats:
    """Where the value and gradient that ``objective`` gives have their minimum, near ``start``.

    Ends where no component of the gradient exceeds ``tolerance``, or where no step descends.
    """
    return descend(objective, start, iterations=iterations, tolerance=tolerance).point


def descend(
    objective: Function,
    start: Floats,
    *,
    iterations: int = 200,
    evaluations: int | None = None,
    tolerance: float = 1e-9,
    relative: float = 0.0,
    history: int = _HISTORY,
    l1: Floats | None = None,
) -> Descent:
    """As :func:`minimise`; also ends after so many evaluations, or where a step gains less than
    ``relative`` of the value.

    ``l1`` is what each variable's absolute value costs beside the objective.
    """
    cost = _Cost(objective, l1)
    here = start
    value, gradient = cost(here)
    values = [value]
    pairs: deque[tuple[Floats, Floats]] = deque(maxlen=history)
    for _ in range(iterations):
        downhill = cost.steepest(here, gradient)
        if np.abs(downhill).max(initial=0.0) <= tolerance or cost.spent(evaluations):
            break
        way = cost.agreeing(-_product(pairs, downhill), downhill)
        size = 1.0 if pairs else min(1.0, 1.0 / float(np.abs(downhill).sum()))
        while True:
            there = cost.orthant(here + size * way, here, downhill)
            step = there - here
            if not step.any():  # rounding is all that is left
                return Descent(here, tuple(values), cost.evaluations, stuck=True)
            reached, slopes = cost(there)
            if reached <= value + _ENOUGH * float(step @ downhill):
                break
            size /= 2
            if cost.spent(evaluations):
                return Descent(here, tuple(values), cost.evaluations, stuck=False)
        change = slopes - gradient
        if float(step @ change) > 1e-12 * float(change @ change):
            pairs.append((step, change))
        gained = value - reached
        here, value, gradient = there, reached, slopes
        values.append(value)
        if gained < relative * max(abs(value), 1.0):
            break
    return Descent(here, tuple(values), cost.evaluations, stuck=False)


class _Cost:
    """A function with the cost of absolute values beside it."""

    def __init__(self, objective: Function, l1: Floats | None) -> None:
        self.objective, self.l1 = objective, l1
        self.evaluations = 0

    def __call__(self, point: Floats) -> tuple[float, Floats]:
        self.evaluations += 1
        value, gradient = self.objective(point)
        return value if self.l1 is None else value + float(self.l1 @ np.abs(point)), gradient

    def spent(self, evaluations: int | None) -> bool:
        return evaluations is not None and self.evaluations >= evaluations

    def steepest(self, point: Floats, gradient: Floats) -> Floats:
        """The gradient with that of the absolute values; at 0 the way that descends, if any."""
        if self.l1 is None:
            return gradient
        at_zero = gradient - np.clip(gradient, -self.l1, self.l1)
        return np.where(point == 0, at_zero, gradient + self.l1 * np.sign(point))

    def agreeing(self, way: Floats, downhill: Floats) -> Floats:
        """Without the components of a direction that lead uphill."""
        if self.l1 is None:
            return way
        return np.where((self.l1 == 0) | (way * downhill < 0), way, 0.0)

    def orthant(self, there: Floats, here: Floats, downhill: Floats) -> Floats:
        """Variables stop at 0 before their sign changes."""
        if self.l1 is None:
            return there
        signs = np.where(here == 0, -np.sign(downhill), np.sign(here))
        crossed = (self.l1 > 0) & (there * signs <= 0)
        return np.where(crossed, 0.0, there)


def _product(history: deque[tuple[Floats, Floats]], gradient: Floats) -> Floats:
    """The inverse Hessian that the history tells, times the gradient: the two-loop recursion."""
    product = gradient.copy()
    shares = []
    for step, change in reversed(history):
        share = float(step @ product) / float(step @ change)
        product -= share * change
        shares.append(share)
    if history:
        step, change = history[-1]
        product *= float(step @ change) / float(change @ change)
    for (step, change), share in zip(history, reversed(shares), strict=True):
        product += (share - float(change @ product) / float(step @ change)) * step
    return product
