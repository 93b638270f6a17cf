"""Minimising smooth functions of many variables by L-BFGS (Nocedal 1980), with numpy alone.

>>> import numpy as np
>>> found = minimise(lambda x: (float((x - 3) @ (x - 3)), 2 * (x - 3)), np.zeros(2))
>>> found.round(6).tolist()
[3.0, 3.0]
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from demotic.forest.weights import Floats

Objective: TypeAlias = Callable[[Floats], tuple[float, Floats]]

_HISTORY = 10  # pairs of steps and changes of the gradient
_ENOUGH = 1e-4  # of what the slope promises, for a step to be taken


def minimise(
    objective: Objective, start: Floats, *, iterations: int = 200, tolerance: float = 1e-9
) -> Floats:
    """Where the value and gradient that ``objective`` gives have their minimum, near ``start``.

    Ends where no component of the gradient exceeds ``tolerance``, or where no step descends.
    """
    here = start
    value, gradient = objective(here)
    history: deque[tuple[Floats, Floats]] = deque(maxlen=_HISTORY)
    for _ in range(iterations):
        if np.abs(gradient).max(initial=0.0) <= tolerance:
            break
        way = -_product(history, gradient)
        size = 1.0 if history else min(1.0, 1.0 / float(np.abs(gradient).sum()))
        slope = float(way @ gradient)
        for _ in range(60):
            there = here + size * way
            reached, slopes = objective(there)
            if reached <= value + _ENOUGH * size * slope:
                break
            size /= 2
        else:
            break  # rounding is all that is left
        step, change = there - here, slopes - gradient
        if float(step @ change) > 1e-12 * float(change @ change):
            history.append((step, change))
        here, value, gradient = there, reached, slopes
    return here


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
