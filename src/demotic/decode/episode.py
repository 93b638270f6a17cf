"""What learning from roll-outs sees of one sentence (Gesmundo and Henderson 2014, section 4).

    episode = decoder.episode("das haus ist klein .")           # parses once
    sample = episode.sample(weights, 0.37, 0.82)                # decode, then one other roll-out
    if sample is not None and reward(sample.alternative.tokens) > reward(sample.taken.tokens):
        weights += rate * (sample.alternative.features - sample.taken.features)

Draws are numbers in [0, 1) that the caller brings, so whoever owns the seed owns the randomness.
The policy is the plain one: it takes the best action of each state, without restarts or beam.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from demotic import _core

Floats = NDArray[np.float64]
Weights = Sequence[float] | Floats


@dataclass(frozen=True, eq=False)
class Rollout:
    """A complete translation, its features counted from one state of the search on."""

    tokens: tuple[str, ...]
    """The whole translation."""
    turns: NDArray[np.uint32]
    """How many actions after that state's own wrote each token; 0, too, if it was there before."""
    steps: int
    """Actions from that state on; 0 where there is no derivation."""
    action: Floats
    """phi: the features of the one action taken in that state, in the order of feature_names."""
    features: Floats
    """PHI: the sum of the features of that action and of all that follow."""
    sparse_ids: NDArray[np.uint32]
    """Sparse features that fire from that state on, ascending; empty where they are off."""
    sparse_values: Floats
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


class UndirectedEpisode:
    """One sentence, parsed, to be decoded under changing weights; for one thread at a time.

    ``weights`` are in the order of the decoder's feature_names; ``sparse`` are those of sparse
    features, one for each id, none being all 0.
    """

    def __init__(self, decoder: _core.UndirectedDecoder, source: Sequence[str]) -> None:
        self.source = tuple(source)
        self._decoder = decoder
        self._core = decoder.episode(list(source))

    @property
    def bytes(self) -> int:
        """Memory that it takes."""
        return int(self._core.bytes)

    def decode(self, weights: Weights, *, sparse: Floats | None = None) -> Rollout:
        """The translation under these weights, its features counted from the empty tree on.

        A sentence that has no derivation, or no words, has no features.
        """
        return _rollout(self._decoder.roll_out(self._core, _floats(weights), _floats(sparse)))

    def sample(
        self,
        weights: Weights,
        state: float,
        rank: float,
        *,
        exponent: float = 1.0,
        sparse: Floats | None = None,
    ) -> Sample | None:
        """Decode, pick a state uniformly, an action there by Zipf's law, and roll it out.

        ``state`` and ``rank`` are draws from [0, 1).  States are those with at least two actions;
        ``None`` where there are none.  Rank r has a probability proportional to ``r ** -exponent``
        over the actions that there are, so no rank is ever beyond the last.
        """
        found = self.samples(weights, [(state, rank)], exponent=exponent, sparse=sparse)
        return found[0] if found else None

    def samples(
        self,
        weights: Weights,
        draws: Sequence[tuple[float, float]],
        *,
        exponent: float = 1.0,
        sparse: Floats | None = None,
    ) -> list[Sample]:
        """Several samples of one decoding: a pair (state, rank) of draws for each."""
        found = self._decoder.sample(self._core, _floats(weights), draws, exponent, _floats(sparse))
        return [_sample(sample) for sample in found]

    def alternative(
        self, weights: Weights, state: int, rank: int, *, sparse: Floats | None = None
    ) -> Sample:
        """What comes of one other action: that of a rank, from 1, before action ``state``.

        A rank beyond the last stands for the last.
        """
        return _sample(
            self._decoder.alternative(self._core, _floats(weights), state, rank, _floats(sparse))
        )


class Episodes(Sequence[UndirectedEpisode]):
    """Sentences to be gone through again and again.

    Parses are kept as long as they fit into ``memory`` bytes; the others are made anew each time.
    """

    def __init__(
        self, decoder: _core.UndirectedDecoder, sources: Sequence[Sequence[str]], memory: int
    ) -> None:
        self._decoder, self._sources, self._left = decoder, sources, memory
        self._kept: dict[int, UndirectedEpisode] = {}

    def __len__(self) -> int:
        return len(self._sources)

    def __getitem__(self, number: Any) -> Any:
        if isinstance(number, slice):
            return [self[i] for i in range(*number.indices(len(self)))]
        number = range(len(self))[number]
        if number in self._kept:
            return self._kept[number]
        made = UndirectedEpisode(self._decoder, self._sources[number])
        if made.bytes <= self._left:
            self._left -= made.bytes
            self._kept[number] = made
        return made


def _floats(values: Weights | None) -> Floats:
    return np.ascontiguousarray(() if values is None else values, dtype=np.float64)


def _rollout(made: tuple[Any, ...]) -> Rollout:
    tokens, turns, steps, action, features, ids, values = made
    return Rollout(tuple(tokens), turns, steps, action, features, ids, values)


def _sample(made: tuple[Any, ...]) -> Sample:
    state, steps, choices, rank, taken, alternative = made
    return Sample(state, steps, choices, rank, _rollout(taken), _rollout(alternative))
