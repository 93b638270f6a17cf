"""Weights where an objective over forests has its minimum: L-BFGS, Rprop, annealing.

    found = minimise_objective(objective, weights, penalty=Penalty(l2=1.0), threads=2)
    found.weights, found.value

Only features that the forests have, and that are free, are variables.  The objective is not convex:
what is found is near the start.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from demotic.errors import ArgumentError
from demotic.forest.weights import Floats
from demotic.learn import lbfgs
from demotic.learn.objectives import Objective

_HISTORY = 20
_HOTTEST, _COOLEST = 1000.0, 1e-3  # temperatures of annealing, each half of the one before
_FIRST_SCALE, _LAST_SCALE = 0.1, 50.0
_PER_TEMPERATURE = 10  # evaluations


@dataclass(frozen=True, eq=False)
class Penalty:
    """What weights cost beside the objective: |w - centre|^2 / (2 l2) + l1 |w|."""

    l2: float = 1.0
    """The variance of a Gaussian prior; 0: none."""
    l1: float | Floats = 0.0
    """One for all features, or one for each: what absolute values cost."""
    centre: Floats | None = None
    """Where weights cost nothing by ``l2``: 0 unless given."""

    def __post_init__(self) -> None:
        if not (0 <= self.l2 < math.inf and np.all(np.asarray(self.l1) >= 0)):
            raise ArgumentError("l2 and l1 must not be negative")


@dataclass(frozen=True, eq=False)
class Found:
    """The best weights seen."""

    weights: Floats
    value: float
    """Of the objective at these weights, penalties included, without the entropy."""
    scale: float
    """By which the weights were multiplied there; 1 unless annealed."""
    evaluations: int
    path: tuple[float, ...]
    """The values of the steps taken (of the last temperature, if annealed)."""
    optimiser: Literal["lbfgs", "rprop"]
    """Which one came to the end."""


def minimise_objective(
    objective: Objective,
    start: Floats,
    *,
    free: NDArray[np.bool_] | None = None,
    penalty: Penalty | None = None,
    evaluations: int = 100,
    tolerance: float = 1e-6,
    scale: float = 1.0,
    anneal: bool = False,
    rprop: bool = False,
    threads: int = 1,
    say: Callable[[str], None] | None = None,
) -> Found:
    """Descend from ``start``, weights by feature id.

    ``anneal`` begins at a high temperature, where derivations are equally probable, and cools down,
    the scale of the weights a variable of its own (Smith and Eisner 2006).  ``rprop`` uses that
    optimiser from the beginning, not only after a line search of L-BFGS has failed.
    """
    if len(start) != len(objective.space):
        raise ArgumentError(f"{len(start)} weights for {len(objective.space)} features")
    if not np.isfinite(start).all():
        bad = int(np.flatnonzero(~np.isfinite(start))[0])
        raise ArgumentError(f"the weight of feature '{objective.space.name(bad)}' is not finite")
    problem = _Problem(objective, start, free, penalty or Penalty(), threads)
    if anneal:
        return _annealed(problem, evaluations, tolerance, say or _silent)
    point = problem.first()
    way: Descent = _rprop if rprop else _lbfgs
    found = way(problem.at(scale), point, problem.l1, evaluations, tolerance)
    return problem.found(found, scale)


Descent = Callable[
    [lbfgs.Function, Floats, "Floats | None", int, float], "tuple[lbfgs.Descent, str]"
]


def _silent(_: str) -> None:
    pass


class _Problem:
    """An objective as a function of the weights that may change."""

    def __init__(
        self,
        objective: Objective,
        start: Floats,
        free: NDArray[np.bool_] | None,
        penalty: Penalty,
        threads: int,
    ) -> None:
        self.objective, self.threads = objective, threads
        self.weights = np.array(start, dtype=np.float64)
        self.ids = objective.features()
        if free is not None:
            self.ids = self.ids[free[self.ids]]
        l1 = np.broadcast_to(np.asarray(penalty.l1, dtype=np.float64), (len(start),))[self.ids]
        self.l1 = l1 if l1.any() else None
        self.rigour = 1.0 / penalty.l2 if penalty.l2 else 0.0
        self.centre = (
            np.zeros(len(self.ids)) if penalty.centre is None else penalty.centre[self.ids]
        )

    def first(self) -> Floats:
        return self.weights[self.ids]

    def at(self, scale: float, temperature: float = 0.0) -> lbfgs.Function:
        """The function for a scale that stays."""

        def value(point: Floats) -> tuple[float, Floats]:
            total, gradient, _ = self.value(point, scale, temperature)
            return total, gradient

        return value

    def with_scale(self, temperature: float) -> lbfgs.Function:
        """The function of the weights and of the logarithm of their scale."""

        def value(point: Floats) -> tuple[float, Floats]:
            scale = math.exp(min(max(float(point[-1]), -20.0), 20.0))
            total, gradient, slope = self.value(point[:-1], scale, temperature)
            return total, np.append(gradient, slope * scale)

        return value

    def value(self, point: Floats, scale: float, temperature: float) -> tuple[float, Floats, float]:
        self.weights[self.ids] = point
        slope = self.objective.evaluate(
            self.weights, scale=scale, temperature=temperature, threads=self.threads
        )
        gradient = np.zeros(len(point))
        gradient[:] = _picked(slope.gradient.ids, slope.gradient.values, self.ids)
        apart = point - self.centre
        cost = 0.5 * self.rigour * float(apart @ apart)
        return slope.value + cost, gradient + self.rigour * apart, slope.scale_gradient

    def found(self, end: tuple[lbfgs.Descent, str], scale: float) -> Found:
        descent, name = end
        weights = self.weights.copy()
        weights[self.ids] = descent.point[: len(self.ids)]
        return Found(
            weights, descent.value, scale, descent.evaluations, descent.values,
            "rprop" if name == "rprop" else "lbfgs",
        )  # fmt: skip


def _picked(ids: NDArray[np.uint32], values: Floats, wanted: NDArray[np.uint32]) -> Floats:
    """The values of the wanted ids; both are ascending."""
    if not len(ids):
        return np.zeros(len(wanted))
    at = np.minimum(np.searchsorted(ids, wanted), len(ids) - 1)
    return np.where(ids[at] == wanted, values[at], 0.0)


def _lbfgs(
    function: lbfgs.Function,
    start: Floats,
    l1: Floats | None,
    evaluations: int,
    tolerance: float,
) -> tuple[lbfgs.Descent, str]:
    """L-BFGS; Rprop from where a line search of it failed."""
    found = lbfgs.descend(
        function, start, iterations=evaluations, evaluations=evaluations, tolerance=1e-9,
        relative=tolerance, history=_HISTORY, l1=l1,
    )  # fmt: skip
    left = evaluations - found.evaluations
    if not found.stuck or left < 2:
        return found, "lbfgs"
    more, _ = _rprop(function, found.point, l1, left, tolerance, first=1e-3)
    if more.value >= found.value:
        return found, "lbfgs"
    values = (*found.values, *(v for v in more.values[1:] if v < found.value))
    total = found.evaluations + more.evaluations
    return lbfgs.Descent(more.point, values, total, stuck=False), "rprop"


def _rprop(
    function: lbfgs.Function,
    start: Floats,
    l1: Floats | None,
    evaluations: int,
    tolerance: float,
    first: float = 0.1,
) -> tuple[lbfgs.Descent, str]:
    """Resilient propagation (Riedmiller and Braun 1993): steps by the signs of the gradient."""
    here, steps = start.copy(), np.full(len(start), first)
    before = np.zeros(len(start))
    values: list[float] = []
    best, lowest, idle = here, math.inf, 0
    for done in range(1, max(evaluations, 1) + 1):  # noqa: B007
        value, gradient = function(here)
        if l1 is not None:
            value += float(l1 @ np.abs(here))
            at_zero = gradient - np.clip(gradient, -l1, l1)
            gradient = np.where(here == 0, at_zero, gradient + l1 * np.sign(here))
        if value < lowest:
            idle = 0 if lowest - value > tolerance * max(abs(value), 1.0) else idle + 1
            best, lowest = here, value
            values.append(value)
        else:
            idle += 1
        if idle >= 10:
            break
        agree = before * gradient
        steps = np.clip(steps * np.where(agree > 0, 1.2, np.where(agree < 0, 0.5, 1.0)), 1e-6, 50)
        before = np.where(agree < 0, 0.0, gradient)
        there = here - np.sign(before) * steps
        if l1 is not None:  # stop at 0 before a sign changes
            there = np.where((l1 > 0) & (here * there < 0), 0.0, there)
        here = there
    return lbfgs.Descent(best, tuple(values) or (math.inf,), done, stuck=False), "rprop"


def _annealed(
    problem: _Problem, evaluations: int, tolerance: float, say: Callable[[str], None]
) -> Found:
    """Cool down, then sharpen: of all stages the one whose risk, without entropy, is least."""
    point = np.append(problem.first(), math.log(_FIRST_SCALE))
    l1 = None if problem.l1 is None else np.append(problem.l1, 0.0)
    best: Found | None = None
    spent = 0

    def judge(descent: lbfgs.Descent, weights: Floats, scale: float, what: str) -> None:
        nonlocal best, spent
        value = problem.value(weights, scale, 0.0)[0]
        if problem.l1 is not None:
            value += float(problem.l1 @ np.abs(weights))
        spent += descent.evaluations + 1
        say(f"{what}: {value:.4f} with a scale of {scale:.3g}")
        if best is None or value < best.value:
            found = problem.found((descent, "lbfgs"), scale)
            best = Found(found.weights, value, scale, spent, found.path, "lbfgs")

    temperature = _HOTTEST
    while temperature >= _COOLEST:
        descent = lbfgs.descend(
            problem.with_scale(temperature), point, evaluations=_PER_TEMPERATURE,
            relative=tolerance, history=_HISTORY, l1=l1,
        )  # fmt: skip
        point = descent.point
        point[-1] = min(float(point[-1]), math.log(_LAST_SCALE))
        judge(descent, point[:-1], math.exp(float(point[-1])), f"temperature {temperature:g}")
        temperature /= 2
    scale = math.exp(float(point[-1]))
    weights = point[:-1]
    while scale <= _LAST_SCALE:
        descent = lbfgs.descend(
            problem.at(scale), weights, evaluations=evaluations, relative=tolerance,
            history=_HISTORY, l1=problem.l1,
        )  # fmt: skip
        weights = descent.point
        judge(descent, weights, scale, "no entropy")
        scale *= 2
    assert best is not None
    return Found(best.weights, best.value, best.scale, spent, best.path, best.optimiser)
