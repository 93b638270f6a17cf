"""Choices to learn from, and the local log-linear model over them.

    events = EventGroups.of(
        features=[[[0.1, 2.0], [0.7, 1.0]]],     # group, candidate, dense feature
        sparse=[[{3: 0.5, 8: 1.0}, {}]],         # sparse features of each candidate
        labels=[(0, 1)],                         # (group, right candidate), one per event
    )
    events = EventGroups.of(..., costs=[[1.5, 0.0]])          # what each candidate costs, instead
    events = EventGroups.of_examples(examples, sparse_size=n) # of a search that is to be learned
    weights = LocalWeights.zeros(events)
    objective(events, weights).loss              # sum of -ln p(label): equation 8
    objective(events, weights, loss="expected-cost").loss
    probabilities(events, weights, 0)

Events are arrays of numbers; what they stand for is the business of who made them.  A candidate may
have one binary feature (``binary``, four bytes each), any sparse features, or both; their weights
are the same.

With y the label, or the first of the cheapest candidates, and c the costs above that of y, an
event's loss is one of

    likelihood       -ln p(y)
    softmax-margin   ln sum_j exp(w.x_j + c_j) - w.x_y          (Gimpel and Smith 2010)
    expected-cost    sum_j p(j) c_j
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from demotic import _core
from demotic.errors import ArgumentError

if TYPE_CHECKING:
    from demotic.learn.search import CostExample

NO_BINARY = 2**32 - 1
EventLoss = Literal["likelihood", "softmax-margin", "expected-cost"]


class EventGroups(_core.EventGroups):
    """Groups of candidates and the events that choose among them; ``len`` counts events."""

    @classmethod
    def of(
        cls,
        features: Sequence[Sequence[Sequence[float]]],
        labels: Sequence[tuple[int, int]] | None = None,
        *,
        costs: Sequence[Sequence[float]] | None = None,
        binary: Sequence[Sequence[int | None]] | None = None,
        sparse: Sequence[Sequence[Mapping[int, float]]] | None = None,
        sparse_size: int = 0,
        width: int | None = None,
    ) -> EventGroups:
        """Events at hand, with labels or with the costs of all candidates.

        ``sparse_size`` and ``width`` are the numbers of features that there are, if these are more
        than are seen.
        """
        if width is None:
            width = len(features[0][0]) if features else 0
        if any(len(row) != width for group in features for row in group):
            raise ArgumentError("every candidate has the same dense features")
        columns = [np.asarray(group, np.float32).T.reshape(-1) for group in features]
        flags: list[int] = []
        for group in binary or []:
            flags += [NO_BINARY if each is None else each for each in group]
        rows = [row for group in sparse or [] for row in group]
        ids = [i for row in rows for i in row]
        return cls._of_arrays(
            width,
            sparse_size
            or max((each + 1 for each in (*flags, *ids) if each != NO_BINARY), default=0),
            [len(group) for group in features],
            np.concatenate([np.zeros(0, np.float32), *columns]),
            labels,
            costs,
            binary=np.array(flags, np.uint32),
            ends=[0, *np.cumsum([len(row) for row in rows])] if sparse is not None else None,
            ids=np.array(ids, np.uint32),
            values=np.array([v for row in rows for v in row.values()], np.float32),
        )

    @classmethod
    def of_examples(
        cls, examples: Iterable[CostExample], *, sparse_size: int = 0, width: int | None = None
    ) -> EventGroups:
        """States of a search with the costs of their actions; see :mod:`demotic.learn.search`."""
        given = list(examples)
        rows = [row for example in given for row in example.features]
        if width is None:
            width = len(rows[0].dense) if rows else 0
        if any(len(row.dense) != width for row in rows):
            raise ArgumentError("every action has the same dense features")
        columns = [
            np.array([row.dense for row in example.features], np.float32).T.reshape(-1)
            for example in given
        ]
        ids = np.concatenate([np.zeros(0, np.uint32), *(row.ids for row in rows)])
        return cls._of_arrays(
            width,
            sparse_size or (int(ids.max()) + 1 if len(ids) else 0),
            [len(example.features) for example in given],
            np.concatenate([np.zeros(0, np.float32), *columns]),
            None,
            [example.costs.tolist() for example in given],
            ends=[0, *np.cumsum([len(row.ids) for row in rows])],
            ids=ids,
            values=np.concatenate([np.zeros(0), *(row.values for row in rows)]),
        )

    @classmethod
    def _of_arrays(
        cls,
        width: int,
        sparse_size: int,
        sizes: Sequence[int],
        features: NDArray[np.float32],
        labels: Sequence[tuple[int, int]] | None,
        costs: Sequence[Sequence[float]] | None,
        *,
        ids: NDArray[np.uint32],
        values: NDArray[np.floating],
        ends: Sequence[int] | None = None,
        binary: NDArray[np.uint32] | None = None,
    ) -> EventGroups:
        if (labels is None) == (costs is None):
            raise ArgumentError("give either labels or costs")
        if costs is not None and [len(group) for group in costs] != list(sizes):
            raise ArgumentError("a cost is needed per candidate")
        if labels is None:
            labels = [(at, int(np.argmin(group))) for at, group in enumerate(costs or []) if group]
        flat = [cost for group in costs or [] for cost in group]
        return cls(
            width,
            sparse_size,
            np.cumsum([0, *sizes], dtype=np.uint64),
            features,
            np.zeros(0, np.uint32) if binary is None else binary,
            np.array([group for group, _ in labels], np.uint32),
            np.array([label for _, label in labels], np.uint32),
            None if ends is None else np.array(ends, np.uint64),
            None if ends is None else ids,
            None if ends is None else values.astype(np.float32),
            None if costs is None else np.array(flat, np.float32),
        )


@dataclass(frozen=True, eq=False)
class LocalWeights:
    """A weight for each dense and each sparse feature."""

    dense: NDArray[np.float64]
    sparse: NDArray[np.float32]

    @classmethod
    def zeros(cls, events: _core.EventGroups) -> LocalWeights:
        """Where learning begins."""
        return cls(np.zeros(events.width), np.zeros(events.sparse_size, np.float32))

    def core(self) -> tuple[NDArray[np.float64], NDArray[np.float32]]:
        """The arrays as the core takes them."""
        return (
            np.ascontiguousarray(self.dense, np.float64),
            np.ascontiguousarray(self.sparse, np.float32),
        )


@dataclass(frozen=True)
class Objective:
    """A sum over events."""

    loss: float
    """Of what is minimised; of a perceptron's margins that were violated."""
    events: int
    right: int
    """Events whose label, or one of whose cheapest candidates, nothing beats."""
    trivial: int
    """Events with one candidate, or all of one cost, from which nothing can be learned."""
    cost: float = 0.0
    """Of the candidates with the highest scores, above the cheapest; 0 without costs."""

    @classmethod
    def of(cls, core: _core.LocalObjective) -> Objective:
        """As the core gives it."""
        return cls(core.loss, core.events, core.right, core.trivial, core.cost)

    def __add__(self, other: Objective) -> Objective:
        return Objective(
            self.loss + other.loss,
            self.events + other.events,
            self.right + other.right,
            self.trivial + other.trivial,
            self.cost + other.cost,
        )

    @property
    def accuracy(self) -> float:
        """The share of events that are right."""
        return self.right / self.events if self.events else 1.0


def objective(
    events: _core.EventGroups,
    weights: LocalWeights,
    *,
    loss: EventLoss = "likelihood",
    threads: int = 1,
) -> Objective:
    """The sum over all events of a loss; equation 8 of Tillmann and Zhang (2005) if not told."""
    return Objective.of(_core.local_objective(events, *weights.core(), loss, threads))


def gradient(
    events: _core.EventGroups,
    weights: LocalWeights,
    *,
    loss: EventLoss = "likelihood",
    threads: int = 1,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The objective's derivatives by dense and by sparse weights."""
    return _core.local_gradient(events, *weights.core(), loss, threads)


def probabilities(
    events: _core.EventGroups, weights: LocalWeights, group: int
) -> NDArray[np.float64]:
    """p(candidate | group) of one group's candidates."""
    return _core.local_probabilities(events, *weights.core(), group)
