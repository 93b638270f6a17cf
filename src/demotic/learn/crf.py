"""Conditional random fields over forests: the global model that local ones stand in for.

    examples = [CrfExample(forest, forest.restrict(reference)) for ...]
    result = crf(examples, {"FirstWord": -0.6, ...}, options=CrfOptions(passes=10))
    result.weights, result.losses

A step costs what the features of one sentence's forests cost, however many there are.

The probability of a derivation is exp(w.f) / Z over all derivations of its forest.  What is
maximised is the probability of the right ones, log Z(right) - log Z(all), whose gradient is
E[f | right] - E[f]: two passes of inside-outside, the feature expectations of both forests.
"""

from __future__ import annotations

import math
import random
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from demotic._core import FeatureSpace
from demotic.errors import ArgumentError
from demotic.features.sparse import SparseVector
from demotic.forest import Forest
from demotic.forest.many import joined_space
from demotic.forest.weights import Weights, weight_array
from demotic.progress import SILENT, Progress


@dataclass(frozen=True, kw_only=True)
class CrfOptions:
    """How to learn: AdaGrad, one sentence at a time in random order.

    ``l2`` pulls weights towards where they began, so much per sentence that has their features.
    """

    passes: int = 10
    eta: float = 0.05
    l2: float = 1e-4


@dataclass(frozen=True, eq=False)
class CrfExample:
    """All derivations of a sentence, and the right ones among them."""

    all: Forest
    right: Forest


@dataclass(frozen=True, eq=False)
class CrfResult:
    """Weights, and the mean loss of each pass, met before each step."""

    weights: dict[str, float]
    losses: tuple[float, ...]


def loss_and_gradient(example: CrfExample, weights: Weights) -> tuple[float, SparseVector]:
    """-log p(right), and its derivatives by the weights of the features that occur.

    Both forests share one feature space.
    """
    everything = example.all.rescore(weights)
    right = example.right.rescore(weights)
    gradient = everything.expected_features() - right.expected_features()
    return everything.log_z() - right.log_z(), gradient


def crf(
    examples: Sequence[CrfExample],
    initial: Mapping[str, float],
    *,
    options: CrfOptions | None = None,
    fixed: Collection[str] = (),
    seed: int = 1,
    progress: Progress = SILENT,
) -> CrfResult:
    """Learn weights that make the right derivations probable; features in ``fixed`` keep theirs."""
    options = options or CrfOptions()
    if not examples:
        raise ArgumentError("there are no forests to learn from")
    if options.passes < 0 or options.eta <= 0 or options.l2 < 0:
        raise ArgumentError("passes and l2 are 0 or more, eta is above 0")
    examples, space = _in_one_space(examples)
    weights = weight_array(space, initial)
    start = weights.copy()
    squares = np.zeros(len(space))
    free = np.ones(len(space), np.bool_)
    free[[at for name in fixed if (at := space.find(name)) is not None]] = False
    losses = []
    with progress.step("learning", options.passes * len(examples), "sentences") as advance:
        for number in range(options.passes):
            order = list(range(len(examples)))
            random.Random(f"{seed} {number}").shuffle(order)
            total = 0.0
            for at in order:
                loss, gradient = loss_and_gradient(examples[at], weights)
                if not math.isfinite(loss):
                    raise ArgumentError(
                        f"the loss of sentence {at + 1} is not finite", remedy="lower eta"
                    )
                total += loss
                trained = free[gradient.ids]
                ids = gradient.ids[trained]
                slope = gradient.values[trained] + options.l2 * (weights[ids] - start[ids])
                squares[ids] += slope * slope
                moved = squares[ids] > 0
                ids, slope = ids[moved], slope[moved]
                weights[ids] -= options.eta * slope / np.sqrt(squares[ids])
                advance(1)
            losses.append(total / len(examples))
    learned = {space.name(i): float(weights[i]) for i in np.flatnonzero(squares).tolist()}
    return CrfResult({name: float(v) for name, v in initial.items()} | learned, tuple(losses))


def _in_one_space(
    examples: Sequence[CrfExample],
) -> tuple[Sequence[CrfExample], FeatureSpace]:
    forests = [forest for each in examples for forest in (each.all, each.right)]
    space = joined_space(forests)
    if all(forest.space is space for forest in forests):
        return examples, space
    return [CrfExample(e.all.in_space(space), e.right.in_space(space)) for e in examples], space
