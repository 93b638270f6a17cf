"""A task of one's own: one class that says states, actions, features and costs.

    class Walk(DecisionTask[int, str]):
        feature_names = ("steps", "stones")
        def __len__(self): ...
        def start(self, example): ...
        def actions(self, state): ...              # none: the end
        def features(self, state, action): ...     # Features.of([1.0, 0.0], {17: 1.0})
        def next(self, state, action): ...
        def end_cost(self, state): ...
        def expert(self, state): ...               # if there is one

    drl(Walk(), {"steps": -1.0})
    Walk().cost_examples(0, LinearPolicy(weights), Expert(), seed=1)

:mod:`demotic.learn.labelling` is a complete one.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any

from demotic.errors import ArgumentError
from demotic.learn import rollouts
from demotic.learn.policies import Expert, LinearPolicy, Policy, no_draw
from demotic.learn.rollouts import Path, PathSample
from demotic.learn.search import Action, CostExample, Search, State


class DecisionTask(Search[State, Action]):
    """Answers all that learners ask from what :class:`demotic.learn.search.Search` says."""

    feature_names: Sequence[str] = ()
    sparse_features: int = 0

    @abstractmethod
    def __len__(self) -> int:
        """The number of examples."""

    def expert(self, state: State) -> Action:
        """Nobody, unless the task knows one."""
        raise ArgumentError(
            f"{type(self).__name__} has no expert", remedy="roll in and out by learned policies"
        )

    def expert_cost(self, state: State) -> float:
        """By following the expert; a task that knows the cost at once may say so."""
        return self.end_cost(Expert().follow(self, state, no_draw).states[-1])

    def prepare(self, policy: LinearPolicy) -> None:
        """Nothing to prepare."""

    def samples(
        self,
        example: int,
        policy: LinearPolicy,
        draws: Sequence[tuple[float, float]],
        *,
        exponent: float = 1.0,
    ) -> list[PathSample[State, Action]]:
        """See :class:`demotic.learn.search.SampleTask`."""
        return rollouts.samples(self, example, policy, draws, exponent=exponent)

    def cost(self, example: int, rollout: Path[State, Any]) -> float:
        """Of the state in which a roll-out ends."""
        return self.end_cost(rollout.end)

    def rewards(self, example: int, rollout: Path[State, Any]) -> Sequence[float]:
        """All of it at the end, unless the task says otherwise."""
        return [*([0.0] * (rollout.steps - 1)), 0.0 - self.cost(example, rollout)]

    def cost_examples(
        self,
        example: int,
        roll_in: Policy,
        roll_out: Policy | None,
        *,
        seed: int,
        shared: bool = True,
    ) -> Iterator[CostExample]:
        """See :class:`demotic.learn.search.CostTask`."""
        return rollouts.cost_examples(self, example, roll_in, roll_out, seed=seed, shared=shared)
