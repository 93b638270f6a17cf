"""Choices to learn from, and the local log-linear model over them.

    events = EventGroups.of(
        features=[[[0.1, 2.0], [0.7, 1.0]]],     # group, candidate, dense feature
        binary=[[3, None]],                      # the binary feature of each candidate, if any
        labels=[(0, 1)],                         # (group, right candidate), one per event
    )
    weights = LocalWeights.zeros(events)
    objective(events, weights).loss              # sum of -ln p(label): equation 8
    probabilities(events, weights, 0)

Events are arrays of numbers; what they stand for is the business of who made them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from demotic import _core
from demotic.errors import ArgumentError

NO_BINARY = 2**32 - 1


class EventGroups(_core.EventGroups):
    """Groups of candidates and the events that choose among them; ``len`` counts events."""

    @classmethod
    def of(
        cls,
        features: Sequence[Sequence[Sequence[float]]],
        labels: Sequence[tuple[int, int]],
        *,
        binary: Sequence[Sequence[int | None]] | None = None,
        binaries: int = 0,
        width: int | None = None,
    ) -> EventGroups:
        """Events at hand; ``binaries`` and ``width`` are the numbers of features that there are."""
        if width is None:
            width = len(features[0][0]) if features else 0
        if any(len(row) != width for group in features for row in group):
            raise ArgumentError("every candidate has the same features")
        columns = [np.asarray(group, np.float32).T.reshape(-1) for group in features]
        flags: list[int] = []
        for group in binary or []:
            flags += [NO_BINARY if each is None else each for each in group]
        return cls(
            width,
            binaries or max((each + 1 for each in flags if each != NO_BINARY), default=0),
            np.cumsum([0, *(len(group) for group in features)], dtype=np.uint64),
            np.concatenate([np.zeros(0, np.float32), *columns]),
            np.array(flags, np.uint32),
            np.array([group for group, _ in labels], np.uint32),
            np.array([label for _, label in labels], np.uint32),
        )


@dataclass(frozen=True, eq=False)
class LocalWeights:
    """A weight for each dense and each binary feature."""

    dense: NDArray[np.float64]
    binary: NDArray[np.float32]

    @classmethod
    def zeros(cls, events: _core.EventGroups) -> LocalWeights:
        """Where learning begins."""
        return cls(np.zeros(events.width), np.zeros(events.binaries, np.float32))

    def core(self) -> tuple[NDArray[np.float64], NDArray[np.float32]]:
        """The arrays as the core takes them."""
        return (
            np.ascontiguousarray(self.dense, np.float64),
            np.ascontiguousarray(self.binary, np.float32),
        )


@dataclass(frozen=True)
class Objective:
    """A sum over events."""

    loss: float
    """Of -ln p(label); of a perceptron's margins that were violated."""
    events: int
    right: int
    """Events whose label nothing beats."""
    trivial: int
    """Events with one candidate, from which nothing can be learnt."""

    @classmethod
    def of(cls, core: _core.LocalObjective) -> Objective:
        """As the core gives it."""
        return cls(core.loss, core.events, core.right, core.trivial)

    def __add__(self, other: Objective) -> Objective:
        return Objective(
            self.loss + other.loss,
            self.events + other.events,
            self.right + other.right,
            self.trivial + other.trivial,
        )

    @property
    def accuracy(self) -> float:
        """The share of events whose label nothing beats."""
        return self.right / self.events if self.events else 1.0


def objective(events: _core.EventGroups, weights: LocalWeights, *, threads: int = 1) -> Objective:
    """The sum over all events of -ln p(label), equation 8 of Tillmann and Zhang (2005)."""
    return Objective.of(_core.local_objective(events, *weights.core(), threads))


def gradient(
    events: _core.EventGroups, weights: LocalWeights, *, threads: int = 1
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The objective's derivatives by dense and by binary weights."""
    return _core.local_gradient(events, *weights.core(), threads)


def probabilities(
    events: _core.EventGroups, weights: LocalWeights, group: int
) -> NDArray[np.float64]:
    """p(candidate | group) of one group's candidates."""
    return _core.local_probabilities(events, *weights.core(), group)
