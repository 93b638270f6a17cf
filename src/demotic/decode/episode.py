"""What learning from roll-outs sees of one sentence (Gesmundo and Henderson 2014, section 4).

    episode = decoder.episode("das haus ist klein .")           # parses once
    sample = episode.sample(weights, 0.37, 0.82)                # decode, then one other roll-out
    if sample is not None and reward(sample.alternative.tokens) > reward(sample.taken.tokens):
        weights += rate * (sample.alternative.features - sample.taken.features)

Draws are numbers in [0, 1) that the caller brings, so whoever owns the seed owns the randomness.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Rollout:
    """A complete translation, its features counted from one state of the search on."""

    tokens: tuple[str, ...]
    """The whole translation."""
    action: NDArray[np.float64]
    """phi: the features of the one action taken in that state, in the order of feature_names."""
    features: NDArray[np.float64]
    """PHI: the sum of the features of that action and of all that follow."""
    sparse_ids: NDArray[np.uint32]
    """Sparse features that fire from that state on, ascending; empty where they are off."""
    sparse_values: NDArray[np.float64]
    """How often each of them fires."""


@dataclass(frozen=True, eq=False)
class Sample:
    """A state of the decoded path, and what would have come of another action there."""

    state: int
    """Actions done before it; 0 is the empty tree."""
    steps: int
    """Actions of the decoded path."""
    choices: int
    """Actions to choose from in that state, at least 2."""
    rank: int
    """Of the other action among those not taken, by score: 1 is the best."""
    taken: Rollout
    alternative: Rollout


class Episode(Protocol):
    """One sentence, parsed, to be decoded under changing weights."""

    @property
    def source(self) -> tuple[str, ...]: ...

    def sample(
        self,
        weights: Sequence[float] | NDArray[np.float64],
        state: float,
        rank: float,
        *,
        exponent: float = 1.0,
        sparse: NDArray[np.float64] | None = None,
    ) -> Sample | None:
        """Decode, pick a state uniformly, an action there by Zipf's law, and roll it out.

        ``state`` and ``rank`` are draws from [0, 1).  States are those with at least two actions;
        ``None`` where there are none.  Rank r has probability proportional to ``r ** -exponent``
        over the actions that there are, so no rank is ever beyond the last.  ``weights`` are in
        the order of the decoder's feature_names; ``sparse`` are the weights of sparse features,
        one for each id.
        """
        ...

    def samples(
        self,
        weights: Sequence[float] | NDArray[np.float64],
        draws: Sequence[tuple[float, float]],
        *,
        exponent: float = 1.0,
        sparse: NDArray[np.float64] | None = None,
    ) -> list[Sample]:
        """Several samples of one decoding: a pair (state, rank) of draws for each."""
        ...

    def decode(
        self,
        weights: Sequence[float] | NDArray[np.float64],
        *,
        sparse: NDArray[np.float64] | None = None,
    ) -> Rollout:
        """The translation under these weights, its features counted from the empty tree on."""
        ...
