"""What learning from roll-outs is given: examples, each of them a sequence of decisions.

An *episode* is one example (a sentence, a game) that a policy goes through under changing weights.
A *sample* is a state on the policy's path and what would have come of another action there.  The
learner never sees states or actions, only the features of the two roll-outs and the reward of their
ends; :mod:`demotic.learn.decisions` turns any explicit problem into episodes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from demotic.forest.weights import Floats


class Rollout(Protocol):
    """The rest of an episode from one state on."""

    @property
    def action(self) -> Floats:
        """phi(s, a): the features of the action taken in that state."""

    @property
    def features(self) -> Floats:
        """PHI(s, a): the sum of the features of that action and of all that follow."""

    @property
    def sparse_ids(self) -> NDArray[np.uint32]:
        """Sparse features that fire from that state on, each once; empty where there are none."""

    @property
    def sparse_values(self) -> Floats:
        """Their values, summed over the actions."""


Done = TypeVar("Done", bound=Rollout, covariant=True)


class Sample(Protocol[Done]):
    """A state of the policy's path with at least two actions."""

    @property
    def taken(self) -> Done:
        """What the policy did from there on."""

    @property
    def alternative(self) -> Done:
        """Another action, and what the policy would have done after it."""


class Episode(Protocol[Done]):
    """One example."""

    def samples(
        self,
        weights: Floats,
        draws: Sequence[tuple[float, float]],
        *,
        exponent: float = 1.0,
        sparse: Floats | None = None,
    ) -> Sequence[Sample[Done]]:
        """Follow the policy of these weights once; then, for each pair of draws from [0, 1), a
        state of its path and another action there.

        States are drawn uniformly from those with at least two actions; no samples where there is
        none.  Actions other than the one taken are ranked by their score, and rank r is drawn with
        a probability proportional to ``r ** -exponent``.
        """


Kind = TypeVar("Kind", bound=Rollout)


class Task(Protocol[Kind]):
    """Examples and how well one ends."""

    @property
    def feature_names(self) -> Sequence[str]:
        """The order of weights and of a roll-out's features."""

    @property
    def sparse_features(self) -> int:
        """How many sparse features there may be; 0 for none."""

    def __len__(self) -> int:
        """The number of examples."""

    def episode(self, example: int) -> Episode[Kind]:
        """One of them."""

    def reward(self, example: int, rollout: Kind) -> float:
        """How good the end of a roll-out is; more is better."""


@dataclass(frozen=True)
class Epoch:
    """One pass over the examples."""

    number: int
    reward: float
    """The mean reward of the policy's own paths, under the weights of each moment."""
    samples: int
    updates: int
    """Samples that were learned from."""
    score: float | None
    """Of the averaged weights, by whoever evaluates between epochs."""
    seconds: float
    """CPU time, evaluation not included."""
