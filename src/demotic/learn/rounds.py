"""Rounds of tuning: what tuners have in common, and the records of how far they came."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from demotic.errors import ArgumentError
from demotic.forest.weights import Floats
from demotic.learn.known import Known


@dataclass(frozen=True)
class Decoded:
    """BLEU of the decoder's best hypotheses under some weights."""

    bleu: float
    """Of the sentences that are tuned on."""
    held_out: float | None = None
    """Of the others, if there are any."""

    @property
    def judged(self) -> float:
        """What rounds are compared by."""
        return self.bleu if self.held_out is None else self.held_out


@dataclass(frozen=True)
class Round:
    """One decoding of the dev set and the optimisation after it."""

    number: int
    weights: dict[str, float]
    """Those decoded with."""
    decoded: Decoded
    reached: float
    """BLEU of the best known hypotheses under the weights that the round found."""
    gain: float
    """``reached`` minus the BLEU of the best known hypotheses before."""
    moved: float
    """By how much the weights changed: the sum of differences over the sum of weights."""
    new: int
    """By how many hypotheses the lists grew."""
    truncated: int
    """Sentences whose envelope reached the cap on segments."""

    @property
    def bleu(self) -> float:
        """Of the decoder's best hypotheses for the sentences that are tuned on."""
        return self.decoded.bleu


@dataclass(frozen=True)
class State:
    """Between two rounds."""

    weights: dict[str, float]
    """Those to decode with next."""
    rounds: tuple[Round, ...] = ()
    converged: bool = False
    """The last round found nothing that is worth another one."""
    final: Decoded | None = None
    """With the last weights, or with their mean, when all rounds are done."""


@dataclass(frozen=True, eq=False)
class Situation:
    """Where a tuner stands when it looks for better weights."""

    weights: Floats
    """Those decoded with."""
    start: Floats
    """Those that tuning began with."""
    free: Floats
    """1 for features whose weight may change, 0 for the others."""
    rounds: tuple[Round, ...]
    """Those before this one."""
    rng: np.random.Generator
    """Of this round alone, so that one can resume here."""
    threads: int
    decoded: Decoded = Decoded(0.0)
    """What ``weights`` gave."""
    names: tuple[str, ...] = ()
    """The features of ``weights``."""
    sparse: Mapping[str, float] = field(default_factory=dict)
    """Weights of further features, of tuners that learn these; others are 0."""

    def split(self, weights: Mapping[str, float]) -> tuple[Floats, dict[str, float]]:
        """Weights by name, as those of the features that are always there, and of others."""
        dense = np.array([weights[name] for name in self.names], dtype=np.float64)
        own = {*self.names}
        return dense, {name: value for name, value in weights.items() if name not in own}


@dataclass(frozen=True, eq=False)
class Optimum:
    """The weights that a tuner found, and their BLEU on what is known."""

    weights: Floats
    reached: float
    gain: float
    converged: bool
    """Nothing was found that is worth another round; the weights are the present ones."""
    truncated: int = 0
    sparse: Mapping[str, float] = field(default_factory=dict)
    """Weights of further features that are not 0."""


@dataclass(frozen=True, kw_only=True)
class TunerOptions(ABC):
    """A way to tune: what it is told, and how it finds better weights on what is known."""

    LEARNS_SPARSE: ClassVar[bool] = False
    """Does it learn weights of sparse features, which candidates have beside the task's own?"""
    WEIGHS: ClassVar[bool] = False
    """Does it let sentences count as often as their candidates say?"""

    iterations: int = 10
    """Rounds of decoding and optimising, at most."""
    average: int = 1
    """The result is the mean of the weights of the last so many rounds; 1 takes those of the round
    that decoded best."""
    holdout: float = 0.0
    """The share of the development set that is not tuned on: its BLEU chooses the round."""
    patience: int = 0
    """Tuning ends after so many rounds without a better decoding; 0 goes on."""
    fixed: tuple[str, ...] = ()
    """Features whose weight is not to be changed, but for a factor common to all."""

    def __post_init__(self) -> None:
        for name in ("iterations", "average", "holdout", "patience", *self._numbers()):
            if not 0 <= getattr(self, name) < math.inf:
                raise ArgumentError(f"{name} must be a number that is not negative")
        if self.average < 1:
            raise ArgumentError("average must be at least 1")
        if self.holdout >= 1:
            raise ArgumentError("holdout must be below 1")

    def _numbers(self) -> tuple[str, ...]:
        """Options of its own that must not be negative."""
        return ()

    @property
    def remembered(self) -> int:
        """Rounds before the present one whose candidates are needed, beside what lists keep."""
        return 0

    @property
    def kept_edges(self) -> int:
        """The best edges of a forest that it looks at, for each source word; 0: all."""
        return 0

    def known(self, features: Sequence[str], sentences: int, threads: int) -> Known:
        """Room for what will be known."""
        return Known(features, sentences, threads=threads)

    @abstractmethod
    def optimise(self, known: Known, at: Situation) -> Optimum:
        """Better weights than those of ``at``, from what is known after decoding with them."""


def scaled(weights: Floats, like: Floats) -> Floats:
    """A common factor changes no decision; the sum of absolute weights becomes that of ``like``."""
    size = np.abs(weights).sum()
    return weights if size == 0 else weights * ((np.abs(like).sum() or 1.0) / size)
