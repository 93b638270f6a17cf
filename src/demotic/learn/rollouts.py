"""Roll-ins, deviations and roll-outs of any search that can say its states and actions.

    samples(search, example, policy, [(0.3, 0.7)])                  what ``drl`` learns from
    list(cost_examples(search, example, roll_in, roll_out, seed=1)) what SEARN, DAgger, LOLS do

The plain way, every action scored in every state; decoders bring faster roll-outs of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Generic

import numpy as np

from demotic.errors import ArgumentError
from demotic.forest.weights import Floats
from demotic.learn.policies import Expert, LinearPolicy, Policy, no_draw
from demotic.learn.search import Action, CostExample, Features, Ids, Search, State


@dataclass(frozen=True, eq=False)
class Path(Generic[State, Action]):
    """A roll-out with its actions."""

    actions: tuple[Action, ...]
    """All of them, those before the state of the sample included."""
    steps: int
    """Those from that state on."""
    end: State
    action: Floats
    features: Floats
    sparse_ids: Ids = field(default_factory=lambda: np.empty(0, dtype=np.uint32))
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


def samples(
    search: Search[State, Action],
    example: int,
    policy: LinearPolicy,
    draws: Sequence[tuple[float, float]],
    *,
    exponent: float = 1.0,
) -> list[PathSample[State, Action]]:
    """See :class:`demotic.learn.search.SampleTask`."""
    walk = policy.follow(search, search.start(example), no_draw)
    choices = [search.actions(state) for state in walk.states[:-1]]
    open_states = [place for place, actions in enumerate(choices) if len(actions) > 1]
    found = []
    for where, which in draws if open_states else ():
        at = open_states[int(where * len(open_states))]
        state, taken = walk.states[at], walk.actions[at]
        others = [a for a in policy.ranked(search, state, choices[at]) if a != taken]
        rank = zipf_rank(which, len(others), exponent)
        other = others[rank - 1]
        rest = policy.follow(search, search.next(state, other), no_draw)
        found.append(
            PathSample(
                at,
                rank,
                _path(search, walk.states, walk.actions, at),
                _path(
                    search,
                    [*walk.states[: at + 1], *rest.states],
                    [*walk.actions[:at], other, *rest.actions],
                    at,
                ),
            )
        )
    return found


def cost_examples(
    search: Search[State, Action],
    example: int,
    roll_in: Policy,
    roll_out: Policy | None,
    *,
    seed: int,
    shared: bool = True,
) -> Iterator[CostExample]:
    """See :class:`demotic.learn.search.CostTask`."""
    draws = Random(seed)
    policy = roll_in.for_rollout(draws.random)
    state, place = search.start(example), 0
    while actions := search.actions(state):
        taken = policy.action(search, state, actions, draws.random)
        if len(actions) > 1:
            if roll_out is None:
                costs = _disagreement(search, state, actions)
            else:
                costs = _rolled_out(search, state, actions, roll_out, draws, shared=shared)
            least = float(costs.min())
            if not np.isfinite(least):
                raise ArgumentError(
                    f"no action of state {place + 1} of example {example + 1} ends at a finite cost"
                )
            features = tuple(search.features(state, action) for action in actions)
            yield CostExample(place, tuple(actions), actions.index(taken), features, costs - least)
        state, place = search.next(state, taken), place + 1


def _disagreement(search: Search[State, Action], state: State, actions: Sequence[Action]) -> Floats:
    right = Expert().action(search, state, actions, no_draw)
    return np.array([0.0 if action == right else 1.0 for action in actions])


def _rolled_out(
    search: Search[State, Action],
    state: State,
    actions: Sequence[Action],
    policy: Policy,
    draws: Random,
    *,
    shared: bool,
) -> Floats:
    seed = draws.getrandbits(64)
    costs = []
    for action in actions:
        draw = Random(seed).random if shared else draws.random
        costs.append(policy.cost(search, search.next(state, action), draw))
    return np.array(costs, dtype=np.float64)


def _path(
    search: Search[State, Action], states: Sequence[State], actions: Sequence[Action], at: int
) -> Path[State, Action]:
    rows = [search.features(states[i], actions[i]) for i in range(at, len(actions))]
    total = Features.summed(rows)
    steps = len(actions) - at
    return Path(
        tuple(actions), steps, states[-1], rows[0].dense, total.dense, total.ids, total.values
    )


def zipf_rank(draw: float, count: int, exponent: float) -> int:
    """The rank, 1 to ``count``, that a draw from [0, 1) stands for: P(r) ~ r ** -exponent."""
    shares = np.cumsum(np.arange(1, count + 1, dtype=np.float64) ** -exponent)
    return min(int(np.searchsorted(shares, draw * shares[-1], side="right")) + 1, count)
