"""Roll-ins, deviations and roll-outs, against trying everything."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demotic.errors import ArgumentError
from demotic.learn import CostExample, Expert, LinearPolicy, Mixture, Policy
from demotic.learn.policies import no_draw
from tests.learn.test_decisions import OneWay
from tests.learn.trees import SPARSE, Anything, Node, Trees
from tests.oracles import search as oracle

SEEDS = st.integers(0, 10_000)


def linear(seed: int) -> LinearPolicy:
    rng = np.random.default_rng(seed)
    return LinearPolicy(rng.normal(size=2), rng.normal(size=SPARSE))


def visited(task: Trees, example: int, found: list[CostExample]) -> Iterator[tuple[Node, int]]:
    """The states that cost examples are of, each with what was taken there."""
    state = task.start(example)
    left = iter(found)
    while actions := task.actions(state):
        taken = 0
        if len(actions) > 1:
            each = next(left)
            assert each.place == len(state) - 1
            assert each.actions == tuple(actions)
            taken = each.taken
            yield state, taken
        state = task.next(state, taken)
    assert next(left, None) is None, "an example for each state with a choice, no more"


@settings(max_examples=60)
@given(SEEDS, st.integers(1, 4), st.integers(0, 3))
def test_costs_with_the_expert_are_those_of_all_ends(seed: int, depth: int, example: int) -> None:
    task = Trees(seed, depth)
    for roll_in in (Anything(), linear(seed), Expert(), Mixture.of(linear(seed), Expert(), 0.5)):
        found = list(task.cost_examples(example, roll_in, Expert(), seed=seed))
        for (state, _), each in zip(visited(task, example, found), found, strict=True):
            assert each.costs.tolist() == oracle.costs_above_best(task, state)
            for action, features in zip(each.actions, each.features, strict=True):
                expected = task.features(state, action)
                assert features.dense.tolist() == expected.dense.tolist()
                assert features.ids.tolist() == expected.ids.tolist()
                assert features.values.tolist() == expected.values.tolist()


@given(SEEDS)
def test_the_expert_reaches_the_best_end_and_its_cost_is_known(seed: int) -> None:
    task = Trees(seed)
    start = task.start(0)
    best = oracle.least_cost(task, start)
    assert task.expert_cost(start) == best
    assert Expert().cost(task, start, no_draw) == best
    assert task.end_cost(Expert().follow(task, start, no_draw).states[-1]) == best


@given(SEEDS)
def test_the_states_are_those_of_the_roll_in(seed: int) -> None:
    task, policy = Trees(seed), linear(seed)
    found = list(task.cost_examples(1, policy, None, seed=0))
    walk = policy.follow(task, task.start(1), no_draw)
    taken = dict(zip(walk.states, walk.actions, strict=False))
    for state, action in visited(task, 1, found):
        assert taken[state] == action
        scores = [policy.score(task.features(state, a)) for a in task.actions(state)]
        assert action == int(np.argmax(scores))


@given(SEEDS)
def test_costs_with_a_policy_are_those_of_its_ends(seed: int) -> None:
    task, policy = Trees(seed), linear(seed + 1)
    found = list(task.cost_examples(2, Anything(), policy, seed=seed))
    for (state, _), each in zip(visited(task, 2, found), found, strict=True):
        ends = [policy.follow(task, task.next(state, a), no_draw).states[-1] for a in each.actions]
        costs = [task.end_cost(end) for end in ends]
        assert each.costs.tolist() == [cost - min(costs) for cost in costs]


@given(SEEDS)
def test_without_roll_outs_all_but_the_experts_action_cost_1(seed: int) -> None:
    task = Trees(seed)
    found = list(task.cost_examples(0, Anything(), None, seed=seed))
    for (state, _), each in zip(visited(task, 0, found), found, strict=True):
        assert each.costs.tolist() == [float(a != task.expert(state)) for a in each.actions]


@given(SEEDS, st.sampled_from(["step", "rollout"]))
def test_the_same_seed_gives_the_same_examples(seed: int, drawn: str) -> None:
    task = Trees(seed)
    policy = Mixture.of(linear(seed), Expert(), 0.5, drawn=drawn)  # type: ignore[arg-type]
    one, two = (list(task.cost_examples(3, policy, policy, seed=7)) for _ in range(2))
    assert [each.taken for each in one] == [each.taken for each in two]
    assert [each.costs.tolist() for each in one] == [each.costs.tolist() for each in two]


def test_another_seed_gives_other_roll_ins_and_roll_outs() -> None:
    task = Trees(5)
    ways, costs = set(), set()
    for seed in range(9):
        ways.add(tuple(each.taken for each in task.cost_examples(0, Anything(), None, seed=seed)))
        costs.add(tuple(next(task.cost_examples(0, Expert(), Anything(), seed=seed)).costs))
    assert len(ways) > 1
    assert len(costs) > 1


def test_sampled_costs_are_on_average_those_expected() -> None:
    task = Trees(16, depth=4)
    policy = Mixture.of(Mixture.of(Expert(), linear(1), 0.5), linear(2), 0.3)
    start = task.start(0)
    expected = oracle.expected_cost(task, start, policy)
    draw = np.random.default_rng(1).random
    costs = [policy.cost(task, start, draw) for _ in range(1_000)]
    assert np.std(costs) > 0.5
    assert np.mean(costs) == pytest.approx(expected, abs=4 * np.std(costs) / np.sqrt(len(costs)))


@dataclass(frozen=True)
class Luck(Trees):
    """The first action does not matter: what comes after it is the same."""

    def next(self, state: Node, action: int) -> Node:
        return (*state, 0) if len(state) == 1 else (*state, action)

    def actions(self, state: Node) -> range:
        return range(4 if len(state) <= self.depth else 0)


def test_shared_draws_leave_luck_out_and_others_do_not() -> None:
    task = Luck(3)
    shared = [next(task.cost_examples(0, Expert(), Anything(), seed=s)).costs for s in range(20)]
    apart = [
        next(task.cost_examples(0, Expert(), Anything(), seed=s, shared=False)).costs
        for s in range(20)
    ]
    assert all(not costs.any() for costs in shared)
    assert any(costs.any() for costs in apart)


def test_draws_of_a_mixture_are_shared_step_by_step() -> None:
    policy = Mixture((Anything(), linear(0)), (0.5, 0.5))
    for seed in range(20):
        assert not next(Luck(3).cost_examples(0, Expert(), policy, seed=seed)).costs.any()


class HopelessBranch(Trees):
    """Where the first branch ends, all is lost."""

    def end_cost(self, state: Node) -> float:
        return math.inf if state[1] == 0 else super().end_cost(state)


def hopeless() -> HopelessBranch:
    return next(
        task for task in map(HopelessBranch, range(100)) if len(task.actions((0,))) > 1
        and any(len(task.actions((0, *rest))) > 1 for rest in ((0,), (0, 0)))
    )  # fmt: skip


def test_an_infinite_cost_is_avoided_and_nothing_but_infinite_costs_refused() -> None:
    class First(Policy):
        def action(self, search, state, actions, draw):  # type: ignore[no-untyped-def]
            return actions[0]

    task = hopeless()
    first = next(task.cost_examples(0, Expert(), Expert(), seed=1))
    assert first.costs[0] == math.inf
    assert first.costs[1:].min() == 0
    with pytest.raises(ArgumentError, match="of example 1 ends at a finite cost"):
        list(task.cost_examples(0, First(), First(), seed=1))


def test_an_expert_that_is_missing_or_beside_itself_is_named() -> None:
    class Alone(Trees):
        def expert(self, state: Node) -> int:
            return super(Trees, self).expert(state)  # type: ignore[safe-super]

    class Wild(Trees):
        def expert(self, state: Node) -> int:
            return 99

    assert len(Alone(4).actions((0,))) > 1
    for task, message in ((Alone(4), "Alone has no expert"), (Wild(4), "action 99 is none")):
        for roll_in, roll_out in ((Expert(), None), (Anything(), Expert()), (Anything(), None)):
            with pytest.raises(ArgumentError, match=message):
                list(task.cost_examples(0, roll_in, roll_out, seed=1))


def test_a_task_that_knows_what_its_expert_costs_is_believed() -> None:
    class Known(Trees):
        def expert(self, state: Node) -> int:
            raise AssertionError("nobody needs to go there")

        def expert_cost(self, state: Node) -> float:
            return float(state[-1])

    for roll_out in (Expert(), Mixture.of(linear(1), Expert(), 1.0, drawn="rollout")):
        found = next(Known(4).cost_examples(0, Anything(), roll_out, seed=1))
        assert found.costs.tolist() == list(map(float, found.actions))


def test_an_expert_is_not_asked_where_there_is_no_choice() -> None:
    task = OneWay()
    assert Expert().follow(task, task.start(0), no_draw).actions == ["on", "on"]


@given(SEEDS, st.integers(0, 3))
def test_samples_sum_dense_and_sparse_features_to_the_end(seed: int, example: int) -> None:
    task, policy = Trees(seed), linear(seed)
    draws = [(0.0, 0.0), (0.5, 0.9), (0.99, 0.4)]
    for sample in task.samples(example, policy, draws):
        assert sample.taken.actions != sample.alternative.actions
        for path in (sample.taken, sample.alternative):
            assert path.end == (example, *path.actions)
            dense, sparse = np.zeros(2), np.zeros(SPARSE)
            for place in range(sample.state, len(path.actions)):
                row = task.features(path.end[: place + 1], path.actions[place])
                dense += row.dense
                sparse[row.ids] += row.values
            assert path.features == pytest.approx(dense)
            assert path.sparse_ids.tolist() == sorted(set(path.sparse_ids.tolist()))
            found = np.zeros(SPARSE)
            found[path.sparse_ids] = path.sparse_values
            assert found == pytest.approx(sparse)


@given(SEEDS)
def test_the_policy_of_samples_goes_by_sparse_features_too(seed: int) -> None:
    task, policy = Trees(seed), linear(seed)
    for sample in task.samples(0, policy, [(0.0, 0.0)]):
        walk = policy.follow(task, task.start(0), no_draw)
        assert sample.taken.actions == tuple(walk.actions)
        state = walk.states[sample.state]
        scores = [
            float(policy.dense @ f.dense + policy.sparse[f.ids] @ f.values)
            for f in (task.features(state, a) for a in task.actions(state))
        ]
        order = sorted(range(len(scores)), key=lambda a: -scores[a])
        assert sample.taken.actions[sample.state] == order[0]
        assert sample.alternative.actions[sample.state] == order[1]
