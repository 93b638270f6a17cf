"""Learning to search: what a task says of itself, and what learners ask of it.

A *task* has examples (sentences, games).  Each is gone through decision by decision: in a state an
action is chosen, which leads to the next state, until there is nothing left to choose; the end has
a cost.  A *policy* chooses (:mod:`demotic.learn.policies`), features of actions are what it goes
by, and learning finds their weights.

    SampleTask.samples        the policy's own path, and what would have come of another action on
                              it: features summed to the end.  Asked by ``drl``.
    CostTask.cost_examples    the states that one policy comes through, and what each action there
                              would cost if another policy went on.  Asked by learners of the kind
                              of SEARN, DAgger and LOLS.

A task that can say its states and actions (a :class:`Search`) is one class, a
:class:`demotic.learn.decisions.DecisionTask`, and answers both.  A task whose loops are in the core
answers what its learner asks, by one call for each example, from any thread.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from demotic.forest.weights import Floats

if TYPE_CHECKING:
    from demotic.learn.policies import LinearPolicy, Policy

Ids: TypeAlias = NDArray[np.uint32]

Draw: TypeAlias = Callable[[], float]
"""A number in [0, 1), another one at each call."""

State = TypeVar("State")
Action = TypeVar("Action", bound=Hashable)


class Features(NamedTuple):
    """phi(s, a), or a sum or difference of such."""

    dense: Floats
    """One for each of the task's feature names."""
    ids: Ids
    """Sparse features, ascending, each once."""
    values: Floats
    """Those of the sparse features."""

    @classmethod
    def of(cls, dense: ArrayLike = (), sparse: Mapping[int, float] | None = None) -> Features:
        """From numbers by position and by id."""
        sparse = sparse or {}
        ids = sorted(sparse)
        return cls(
            np.asarray(dense, dtype=np.float64),
            np.array(ids, dtype=np.uint32),
            np.array([sparse[i] for i in ids], dtype=np.float64),
        )

    @classmethod
    def summed(cls, rows: Sequence[Features]) -> Features:
        """The sum of at least one."""
        ids = np.concatenate([row.ids for row in rows])
        values = np.concatenate([row.values for row in rows])
        return cls(np.sum([row.dense for row in rows], axis=0), *collected(ids, values))


def collected(ids: Ids, values: Floats) -> tuple[Ids, Floats]:
    """Each id once, ascending, with the sum of its values; those of 0 are left out."""
    if not len(ids):
        return ids, values
    different, place = np.unique(ids, return_inverse=True)
    sums = np.bincount(place, weights=values)
    kept = sums != 0
    return different[kept], sums[kept]


class Search(Protocol[State, Action]):
    """Examples whose states and actions can be said; no state comes twice on one way."""

    @abstractmethod
    def start(self, example: int) -> State:
        """The first state of an example.  States know which example they are of."""

    @abstractmethod
    def actions(self, state: State) -> Sequence[Action]:
        """All that can be done, in an order that never changes; nothing at the end."""

    @abstractmethod
    def features(self, state: State, action: Action) -> Features:
        """phi(s, a)."""

    @abstractmethod
    def next(self, state: State, action: Action) -> State:
        """T(s, a)."""

    @abstractmethod
    def end_cost(self, state: State) -> float:
        """What it costs to end in this state: less is better."""

    @abstractmethod
    def expert(self, state: State) -> Action:
        """The action of one who knows how the example should end, in whatever state."""

    @abstractmethod
    def expert_cost(self, state: State) -> float:
        """The cost of the end that the expert reaches from here."""


class Rollout(Protocol):
    """The rest of an example from one state on."""

    @property
    def action(self) -> Floats:
        """phi(s, a): the dense features of the action taken in that state."""

    @property
    def features(self) -> Floats:
        """PHI(s, a): the sum of the dense features of that action and of all that follow."""

    @property
    def sparse_ids(self) -> Ids:
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


@dataclass(frozen=True, eq=False)
class CostExample:
    """A state with at least two actions, for a cost-sensitive classifier to learn from."""

    place: int
    """Actions done before it."""
    actions: tuple[Any, ...]
    taken: int
    """Which of them the policy that came here took."""
    features: tuple[Features, ...]
    """Of each action."""
    costs: Floats
    """Of each action: how much more than the best one it costs."""


class SearchTask(Protocol):
    """Examples to go through."""

    @property
    def feature_names(self) -> Sequence[str]:
        """The order of dense weights and features."""

    @property
    def sparse_features(self) -> int:
        """How many sparse features there may be; 0 for none."""

    def __len__(self) -> int:
        """The number of examples."""


Kind = TypeVar("Kind", bound=Rollout)


class SampleTask(SearchTask, Protocol[Kind]):
    """A task to learn by comparing roll-outs of one policy."""

    def prepare(self, policy: LinearPolicy) -> None:
        """Told the policy before each epoch, and before the last one is judged."""

    def samples(
        self,
        example: int,
        policy: LinearPolicy,
        draws: Sequence[tuple[float, float]],
        *,
        exponent: float = 1.0,
    ) -> Sequence[Sample[Kind]]:
        """Follow the policy once; then, for each pair of draws from [0, 1), a state of its path and
        another action there.

        States are drawn uniformly from those with at least two actions; no samples where there is
        none.  Actions other than the one taken are ranked by their score, and rank r is drawn with
        a probability proportional to ``r ** -exponent``.
        """

    def cost(self, example: int, rollout: Kind) -> float:
        """Of the end of a roll-out; less is better."""

    def rewards(self, example: int, rollout: Kind) -> Sequence[float]:
        """What each action of a roll-out brings, in order; together they save the cost.

        Asked only by learners that discount what comes later.
        """


class CostTask(SearchTask, Protocol):
    """A task to learn from the costs of single actions."""

    def cost_examples(
        self,
        example: int,
        roll_in: Policy,
        roll_out: Policy | None,
        *,
        seed: int,
        shared: bool = True,
    ) -> Iterable[CostExample]:
        """The states with a choice that ``roll_in`` comes through, in order.

        An action costs what its end does if ``roll_out`` goes on after it; without ``roll_out`` the
        expert's action costs 0 and the others 1.  Policies that draw do so by the seed; with
        ``shared``, all actions of a state are rolled out with the same draws, so that luck tells
        none of them from the others.
        """
