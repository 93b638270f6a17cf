"""Conditional random fields over forests: the global model that local ones stand in for.

    examples = [CrfExample(forest, forest.restrict(reference)) for ...]
    result = crf(examples, {"FirstWord": -0.6, ...}, options=CrfOptions(passes=10))
    result.weights, result.losses

The probability of a derivation is exp(w.f) / Z over all derivations of its forest.  What is
maximised is the probability of the right ones, log Z(right) - log Z(all), whose gradient is
E[f | right] - E[f]: two passes of inside-outside, the feature expectations of both forests.
"""

from __future__ import annotations

import math
import random
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from demotic.errors import ArgumentError
from demotic.forest import Forest
from demotic.progress import SILENT, Progress


@dataclass(frozen=True, kw_only=True)
class CrfOptions:
    """How to learn: AdaGrad, one sentence at a time in random order.

    ``l2`` pulls weights towards where they began, so much per sentence.
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


def loss_and_gradient(
    example: CrfExample, weights: Mapping[str, float]
) -> tuple[float, dict[str, float]]:
    """-log p(right), and its derivatives by the weights of the features that occur."""
    everything = example.all.rescore(weights)
    right = example.right.rescore(weights)
    gradient = dict(zip(everything.features, everything.expected_features(), strict=True))
    for name, value in zip(right.features, right.expected_features(), strict=True):
        gradient[name] = gradient.get(name, 0.0) - value
    return everything.log_z() - right.log_z(), {k: float(v) for k, v in gradient.items()}


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
    weights = {name: float(value) for name, value in initial.items()}
    squares: dict[str, float] = {}
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
                for name, slope in gradient.items():
                    if name in fixed:
                        continue
                    old = weights.get(name, 0.0)
                    slope += options.l2 * (old - initial.get(name, 0.0))
                    squares[name] = squares.get(name, 0.0) + slope * slope
                    if squares[name] > 0:
                        weights[name] = old - options.eta * slope / math.sqrt(squares[name])
                advance(1)
            losses.append(total / len(examples))
    return CrfResult(weights, tuple(losses))
