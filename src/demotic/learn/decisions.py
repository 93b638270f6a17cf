"""Episodes of any problem that can say its states, actions and features.

    class Walk:
        start = 0
        def actions(self, state): ...           # none: the end
        def features(self, state, action): ...
        def next(self, state, action): ...

    episode = DecisionEpisode(Walk())
    episode.samples(weights, [(0.3, 0.7)])

The plain way, every action scored in every state; decoders bring faster episodes of their own.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from demotic.forest.weights import Floats

State = TypeVar("State")
Action = TypeVar("Action", bound=Hashable)


class Decisions(Protocol[State, Action]):
    """A deterministic decision process without cycles."""

    @property
    def start(self) -> State:
        """The first state."""

    def actions(self, state: State) -> Sequence[Action]:
        """All that can be done; nothing at the end."""

    def features(self, state: State, action: Action) -> Floats:
        """phi(s, a)."""

    def next(self, state: State, action: Action) -> State:
        """T(s, a)."""


@dataclass(frozen=True, eq=False)
class Path(Generic[State, Action]):
    """A roll-out with its actions."""

    actions: tuple[Action, ...]
    """All of them, those before the state of the sample included."""
    end: State
    action: Floats
    features: Floats
    sparse_ids: NDArray[np.uint32] = field(default_factory=lambda: np.empty(0, dtype=np.uint32))
    sparse_values: Floats = field(default_factory=lambda: np.empty(0))


@dataclass(frozen=True, eq=False)
class PathSample(Generic[State, Action]):
    """Two roll-outs from one state."""

    state: int
    """Its place on the policy's path."""
    rank: int
    """Of the alternative among the actions not taken; 1 is the best."""
    taken: Path[State, Action]
    alternative: Path[State, Action]


class DecisionEpisode(Generic[State, Action]):
    """The policy takes the action of the highest score, the first of equals."""

    def __init__(self, decisions: Decisions[State, Action]) -> None:
        self._decisions = decisions

    def samples(
        self,
        weights: Floats,
        draws: Sequence[tuple[float, float]],
        *,
        exponent: float = 1.0,
        sparse: Floats | None = None,
    ) -> list[PathSample[State, Action]]:
        """See :class:`demotic.learn.episodes.Episode`; there are no sparse features."""
        problem = self._decisions
        states, taken = self._follow(problem.start, weights)
        open_states = [i for i, s in enumerate(states[:-1]) if len(problem.actions(s)) > 1]
        if not open_states:
            return []
        found = []
        for where, which in draws:
            at = open_states[int(where * len(open_states))]
            others = [a for a in self._ranked(states[at], weights) if a != taken[at]]
            rank = zipf_rank(which, len(others), exponent)
            other = others[rank - 1]
            rest_states, rest = self._follow(problem.next(states[at], other), weights)
            before = (*states[: at + 1], *rest_states)
            found.append(
                PathSample(
                    at,
                    rank,
                    self._path(states, taken, at),
                    self._path(before, [*taken[:at], other, *rest], at),
                )
            )
        return found

    def _ranked(self, state: State, weights: Floats) -> list[Action]:
        features = self._decisions.features
        scored = [
            (float(weights @ features(state, action)), action)
            for action in self._decisions.actions(state)
        ]
        return [action for _, action in sorted(scored, key=lambda pair: -pair[0])]

    def _follow(self, state: State, weights: Floats) -> tuple[list[State], list[Action]]:
        states, taken = [state], []
        while ranked := self._ranked(state, weights):
            taken.append(ranked[0])
            state = self._decisions.next(state, ranked[0])
            states.append(state)
        return states, taken

    def _path(
        self, states: Sequence[State], actions: Sequence[Action], at: int
    ) -> Path[State, Action]:
        rows = [self._decisions.features(states[i], actions[i]) for i in range(at, len(actions))]
        return Path(tuple(actions), states[-1], rows[0], np.sum(rows, axis=0))


def zipf_rank(draw: float, count: int, exponent: float) -> int:
    """The rank, 1 to ``count``, that a draw from [0, 1) stands for: P(r) ~ r ** -exponent."""
    shares = np.cumsum(np.arange(1, count + 1, dtype=np.float64) ** -exponent)
    return min(int(np.searchsorted(shares, draw * shares[-1], side="right")) + 1, count)
