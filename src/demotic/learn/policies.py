"""Who acts: weights, an expert, or now one and now the other.

    LinearPolicy(weights)                                    the action of the highest score
    Expert()                                                 what the task's expert does
    Mixture.of(policy, learned, 0.3)                         SEARN: drawn anew at each step
    Mixture.of(learned, Expert(), beta)                      DAgger: the expert with chance beta
    Mixture.of(learned, Expert(), 0.5, drawn="rollout")      LOLS: drawn once for each roll-out

Policies are plain records: a task whose loops are in the core can read them.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import Any, Generic, Literal

import numpy as np
from numpy.typing import NDArray

from demotic.errors import ArgumentError
from demotic.forest.weights import Floats
from demotic.learn.search import Action, Draw, Features, Search, State


@dataclass(frozen=True, eq=False)
class Walk(Generic[State, Action]):
    """The way from a state to an end."""

    states: list[State]
    """One more than actions: the last one is the end."""
    actions: list[Action]


def no_draw() -> float:
    """For policies that leave nothing to chance."""
    raise AssertionError("this policy draws")


class Policy(ABC):
    """Chooses actions."""

    @abstractmethod
    def action(
        self, search: Search[State, Action], state: State, actions: Sequence[Action], draw: Draw
    ) -> Action:
        """One of the actions of a state."""

    def for_rollout(self, draw: Draw) -> Policy:
        """The policy of one roll-out: itself, unless it is drawn for each."""
        return self

    def follow(
        self, search: Search[State, Action], state: State, draw: Draw
    ) -> Walk[State, Action]:
        """One roll-out, from a state to an end."""
        policy = self.for_rollout(draw)
        states, taken = [state], []
        while actions := search.actions(state):
            taken.append(policy.action(search, state, actions, draw))
            state = search.next(state, taken[-1])
            states.append(state)
        return Walk(states, taken)

    def cost(self, search: Search[State, Action], state: State, draw: Draw) -> float:
        """Of the end of one roll-out."""
        return search.end_cost(self.follow(search, state, draw).states[-1])


class LearnedPolicy(Policy):
    """Made of examples: it can be kept on disk, and summed up with others of its kind."""

    @abstractmethod
    def arrays(self) -> dict[str, NDArray[Any]]:
        """What it consists of; see :func:`policy_of_arrays`."""

    @abstractmethod
    def blend(self, factor: float, others: Sequence[tuple[float, LearnedPolicy]]) -> LearnedPolicy:
        """Scores are the sum of its own and others', each times a factor."""


def policy_of_arrays(arrays: Mapping[str, NDArray[Any]]) -> LearnedPolicy:
    """What was kept as :meth:`LearnedPolicy.arrays`; KeyError if these are none."""
    if "trees" in arrays:
        from demotic.learn.tree_policy import TreePolicy

        return TreePolicy.of_bytes(arrays["trees"])
    dense, sparse = (np.asarray(arrays[name], dtype=np.float64) for name in ("dense", "sparse"))
    return LinearPolicy(dense, sparse)


@dataclass(frozen=True, eq=False)
class LinearPolicy(LearnedPolicy):
    """Takes the action of the highest score w·phi(s, a), the first of equals.

    The arrays are not copied: weights that change, change the policy.
    """

    dense: Floats
    sparse: Floats = field(default_factory=lambda: np.empty(0))
    """By id; empty where there are no sparse features."""

    def score(self, features: Features) -> float:
        """w·phi."""
        score = float(self.dense @ features.dense)
        if len(features.ids):
            score += float(self.sparse[features.ids] @ features.values)
        return score

    def ranked(
        self, search: Search[State, Action], state: State, actions: Sequence[Action]
    ) -> list[Action]:
        """The actions by their scores, the best first."""
        scores = [self.score(search.features(state, action)) for action in actions]
        return [actions[i] for i in sorted(range(len(actions)), key=lambda i: -scores[i])]

    def action(
        self, search: Search[State, Action], state: State, actions: Sequence[Action], draw: Draw
    ) -> Action:
        """See :class:`Policy`."""
        if len(actions) == 1:
            return actions[0]
        return max(actions, key=lambda action: self.score(search.features(state, action)))

    def arrays(self) -> dict[str, NDArray[Any]]:
        """See :class:`LearnedPolicy`."""
        return {"dense": self.dense, "sparse": self.sparse}

    def blend(self, factor: float, others: Sequence[tuple[float, LearnedPolicy]]) -> LinearPolicy:
        """See :class:`LearnedPolicy`."""
        dense, sparse = factor * self.dense, factor * self.sparse
        for weight, other in others:
            if not isinstance(other, LinearPolicy):
                raise ArgumentError("policies of several kinds have no mean")
            dense = dense + weight * other.dense
            sparse = sparse + weight * other.sparse
        return LinearPolicy(dense, sparse)


@dataclass(frozen=True)
class Expert(Policy):
    """Does what the task's expert does."""

    def action(
        self, search: Search[State, Action], state: State, actions: Sequence[Action], draw: Draw
    ) -> Action:
        """See :class:`Policy`; a state without a choice is not the expert's business."""
        if len(actions) == 1:
            return actions[0]
        chosen = search.expert(state)
        if chosen not in actions:
            raise ArgumentError(
                f"the expert's action {chosen!r} is none of the state's",
                remedy="let the expert choose among the actions that there are",
            )
        return chosen

    def cost(self, search: Search[State, Action], state: State, draw: Draw) -> float:
        """A task may know where its expert ends without going there."""
        return search.expert_cost(state)


@dataclass(frozen=True)
class Mixture(Policy):
    """One of several policies by chance."""

    policies: tuple[Policy, ...]
    shares: tuple[float, ...]
    """The probability of each; their sum is 1."""
    drawn: Literal["step", "rollout"] = "step"
    """At each step, or once for each roll-out."""

    def __post_init__(self) -> None:
        if not self.policies or len(self.policies) != len(self.shares):
            raise ArgumentError("a mixture needs policies, and a share for each of them")
        if not all(share >= 0 for share in self.shares):
            raise ArgumentError("the shares of a mixture must not be negative")
        if not math.isclose(math.fsum(self.shares), 1.0, abs_tol=1e-9):
            raise ArgumentError(
                f"the shares of a mixture add up to {math.fsum(self.shares):g}, not 1"
            )

    @classmethod
    def of(
        cls,
        old: Policy,
        new: Policy,
        share: float,
        *,
        drawn: Literal["step", "rollout"] = "step",
    ) -> Mixture:
        """``new`` with the given share, and otherwise ``old``.

        An old mixture of the same kind is taken apart, so that SEARN's policy after any number of
        rounds is one mixture: ``beta * new + (1 - beta) * old``.
        """
        if not 0 <= share <= 1:
            raise ArgumentError(f"a share of {share:g}", remedy="it must be between 0 and 1")
        policies: tuple[Policy, ...] = (old,)
        shares: tuple[float, ...] = (1.0,)
        if isinstance(old, Mixture) and old.drawn == drawn:
            policies, shares = old.policies, old.shares
        return cls((*policies, new), (*((1 - share) * each for each in shares), share), drawn)

    def without_expert(self) -> Mixture:
        """What was learned alone, its shares made to add up to 1: what SEARN gives at the end."""
        kept = [
            (policy, share)
            for policy, share in zip(self.policies, self.shares, strict=True)
            if not isinstance(policy, Expert)
        ]
        total = math.fsum(share for _, share in kept)
        if not total:
            raise ArgumentError("without its expert nothing is left of the mixture")
        return replace(
            self,
            policies=tuple(policy for policy, _ in kept),
            shares=tuple(share / total for _, share in kept),
        )

    def for_rollout(self, draw: Draw) -> Policy:
        """See :class:`Policy`."""
        if self.drawn == "rollout":
            return self._pick(draw).for_rollout(draw)
        return replace(self, policies=tuple(each.for_rollout(draw) for each in self.policies))

    def action(
        self, search: Search[State, Action], state: State, actions: Sequence[Action], draw: Draw
    ) -> Action:
        """Of one of the policies; always one draw, so that equal draws stay in step."""
        return self._pick(draw).action(search, state, actions, draw)

    def cost(self, search: Search[State, Action], state: State, draw: Draw) -> float:
        """Of the policy drawn, which may know where it ends, or of one roll-out of all."""
        if self.drawn == "rollout":
            return self._pick(draw).cost(search, state, draw)
        return super().cost(search, state, draw)

    def _pick(self, draw: Draw) -> Policy:
        reached = list(accumulate(self.shares))
        return self.policies[bisect_right(reached, draw() * reached[-1])]
