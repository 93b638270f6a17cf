"""Optimisers of objectives over forests."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demotic.errors import ArgumentError
from demotic.features import SparseVector
from demotic.forest.weights import Floats
from demotic.learn import lbfgs
from demotic.learn.objectives import Likelihood, LinearRisk, Objective
from demotic.learn.online import Online, learn_online
from demotic.learn.optimise import Found, Penalty, _lbfgs, _rprop, minimise_objective
from demotic.learn.risk_set import RiskSet
from tests.forest.toys import pair

SEEDS = range(12)


def losses() -> LinearRisk:
    forests = [pair(seed).forest for seed in SEEDS]
    examples = RiskSet(forests[0].space)
    for forest in forests:
        examples.add(forest)
    return LinearRisk(examples, (-1.0,))


def convex() -> Likelihood:
    forests = [pair(seed).forest for seed in SEEDS]
    right = [forest.restrict(forest.kbest(5)[-1].tokens) for forest in forests]
    return Likelihood(forests, [forest for forest in right if forest is not None])


def penalised(objective: Objective, weights: Floats, penalty: Penalty) -> float:
    cost = float(np.sum(np.asarray(penalty.l1) * np.abs(weights)))
    centre = np.zeros(len(weights)) if penalty.centre is None else penalty.centre
    apart = weights - centre
    cost += float(apart @ apart) / (2 * penalty.l2) if penalty.l2 else 0.0
    return objective.evaluate(weights).value + cost


@settings(max_examples=20, deadline=None)
@given(st.lists(st.floats(-1, 1), min_size=3, max_size=3), st.sampled_from([0.0, 1.0, 20.0]))
def test_risk_never_rises_between_steps(start: list[float], l2: float) -> None:
    objective = losses()
    first = np.array(start)
    penalty = Penalty(l2=l2)
    found = minimise_objective(objective, first, penalty=penalty, evaluations=40)
    assert all(b <= a for a, b in itertools.pairwise(found.path))
    assert found.value == pytest.approx(penalised(objective, found.weights, penalty))
    assert found.value <= penalised(objective, first, penalty) + 1e-12
    assert found.evaluations <= 40


def test_a_convex_objective_is_minimised() -> None:
    objective, penalty = convex(), Penalty(l2=0.5, centre=np.array([0.1, 0.0, -0.1]))
    found = minimise_objective(objective, np.zeros(3), penalty=penalty, tolerance=0.0)
    near = [found.weights + 0.01 * way for way in (*np.eye(3), *-np.eye(3))]
    assert found.value < min(penalised(objective, other, penalty) for other in near)


def test_what_is_not_free_stays() -> None:
    start = np.array([0.5, -0.25, 0.125])
    free = np.array([True, False, True])
    found = minimise_objective(losses(), start, free=free)
    assert found.weights[1] == -0.25
    assert found.weights[0] != 0.5


def test_l1_leaves_zeros_and_is_a_minimum() -> None:
    objective, penalty = convex(), Penalty(l2=0.0, l1=np.array([1.0, 0.0, 1.0]))
    found = minimise_objective(objective, np.zeros(3), penalty=penalty, tolerance=0.0)
    assert found.value == pytest.approx(penalised(objective, found.weights, penalty))
    slope = objective.evaluate(found.weights).gradient.dense()
    assert abs(slope[1]) < 1e-3
    for i in (0, 2):
        if found.weights[i] == 0:
            assert abs(slope[i]) <= 1.0 + 1e-6
        else:
            assert slope[i] == pytest.approx(-np.sign(found.weights[i]), abs=1e-3)
    none = minimise_objective(objective, np.ones(3), penalty=Penalty(l2=0.0, l1=1e3))
    assert none.weights.tolist() == [0.0] * 3


def test_rprop_finds_the_same_minimum() -> None:
    objective, penalty = convex(), Penalty(l2=0.5)
    one = minimise_objective(objective, np.zeros(3), penalty=penalty, tolerance=0.0)
    other = minimise_objective(
        objective, np.zeros(3), penalty=penalty, tolerance=0.0, rprop=True, evaluations=200
    )
    assert (one.optimiser, other.optimiser) == ("lbfgs", "rprop")
    assert other.weights == pytest.approx(one.weights, abs=1e-3)


def test_rprop_respects_l1() -> None:
    found, _ = _rprop(lambda x: (0.0, np.zeros(2)), np.array([3.0, -2.0]), np.ones(2), 200, 0.0)
    assert found.point.tolist() == [0.0, 0.0]


def test_a_gradient_that_leads_uphill_is_noticed() -> None:
    found = lbfgs.descend(lambda x: (float(x @ x), -2 * x), np.ones(2))
    assert found.stuck
    assert found.point.tolist() == [1.0, 1.0]


def test_a_failed_line_search_hands_over_to_rprop() -> None:
    calls = 0

    def rough(x: Floats) -> tuple[float, Floats]:
        nonlocal calls
        calls += 1
        if 1 < calls <= 55:  # the whole of the first line search, down to the last bit of x
            return math.inf, np.ones(1)
        return float(x @ x), 2 * x

    found, name = _lbfgs(rough, np.array([1.0]), None, 200, 0.0)
    assert name == "rprop"
    assert found.value < 0.5
    assert found.evaluations == calls


def test_annealing_ends_at_less_risk() -> None:
    objective = losses()
    start = np.array([0.3, 0.1, -0.2])
    said: list[str] = []
    found = minimise_objective(
        objective, start, penalty=Penalty(l2=0.0), anneal=True, evaluations=20, say=said.append
    )
    assert said[0].startswith("temperature 1000")
    assert any(line.startswith("no entropy") for line in said)
    value = objective.evaluate(found.weights, scale=found.scale).value
    assert found.value == pytest.approx(value)
    plain = minimise_objective(objective, start, penalty=Penalty(l2=0.0))
    assert found.value <= plain.value + 0.5
    assert 0 < found.scale <= 50


def same(one: Found, other: Found) -> bool:
    return one.weights.tobytes() == other.weights.tobytes() and one.value == other.value


@pytest.mark.parametrize("anneal", [False, True])
def test_threads_do_not_show(anneal: bool) -> None:
    one, other = (
        minimise_objective(losses(), np.zeros(3), anneal=anneal, evaluations=8, threads=threads)
        for threads in (1, 3)
    )
    assert same(one, other)


@pytest.mark.parametrize("method", ["adagrad", "adam"])
def test_minibatches_come_near_the_minimum(method: str) -> None:
    objective = convex()
    best = minimise_objective(objective, np.zeros(3), penalty=Penalty(l2=1.0), tolerance=0.0)
    learner = Online(np.zeros(3), method=method, rate=0.1, l2=1.0)  # type: ignore[arg-type]
    values = learn_online(objective, learner, passes=40, batch=4, rng=np.random.default_rng(1))
    assert values[-1] < values[0]
    reached = penalised(objective, learner.weights, Penalty(l2=1.0))
    assert reached < best.value + 0.1 * (objective.evaluate(np.zeros(3)).value - best.value)


def test_minibatches_are_the_same_for_any_number_of_threads() -> None:
    found = []
    for threads in (1, 3):
        learner = Online(np.zeros(3), rate=0.1, l1=0.01)
        learn_online(
            convex(), learner, passes=2, batch=5, rng=np.random.default_rng(1), threads=threads
        )
        found.append(learner.weights.tobytes())
    assert found[0] == found[1]


def test_penalties_are_paid_by_features_that_come_seldom() -> None:
    space = pair(1).forest.space

    def gradient(ids: list[int], values: list[float]) -> SparseVector:
        return SparseVector(space, np.array(ids, np.uint32), np.array(values))

    learner = Online(np.zeros(3), rate=1.0, l1=0.5)
    learner.step(gradient([0, 1], [-1.0, -1.0]), share=0.5)
    first = learner.weights  # one half of a pass later: 1 - 0.5 * 0.5
    assert first == pytest.approx([0.75, 0.75, 0.0])
    for _ in range(4):
        learner.step(gradient([0], [0.0]), share=0.5)
    assert learner.weights.tolist() == [0.0, 0.0, 0.0]

    learner = Online(np.array([2.0, 2.0, 2.0]), rate=1.0, l2=1.0, centre=np.ones(3))
    learner.step(gradient([0], [1.0]), share=1.0)
    assert learner.weights == pytest.approx([1.0, 2.0, 2.0])  # no feature, no step, no penalty
    fixed = Online(np.zeros(3), free=np.array([True, False, True]))
    fixed.step(gradient([0, 1], [1.0, 1.0]))
    assert fixed.weights[1] == 0.0
    assert fixed.weights[0] < 0.0


def test_nonsense_is_refused() -> None:
    objective = losses()
    with pytest.raises(ArgumentError, match="2 weights for 3 features"):
        minimise_objective(objective, np.zeros(2))
    with pytest.raises(ArgumentError, match="feature 'g' is not finite"):
        minimise_objective(objective, np.array([0.0, math.nan, 0.0]))
    with pytest.raises(ArgumentError, match="must not be negative"):
        Penalty(l2=-1.0)
    with pytest.raises(ArgumentError, match="must not be negative"):
        Penalty(l1=np.array([0.0, -1.0]))
    with pytest.raises(ArgumentError, match="no such method"):
        Online(np.zeros(3), method="sgd")  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="rate must be above 0"):
        Online(np.zeros(3), rate=0.0)
    with pytest.raises(ArgumentError, match="batch must be at least 1"):
        learn_online(objective, Online(np.zeros(3)), batch=0, rng=np.random.default_rng(1))
    bad = SparseVector(objective.space, np.array([1], np.uint32), np.array([math.inf]))
    with pytest.raises(ArgumentError, match="gradient of feature 'g' is not finite"):
        Online(np.zeros(3)).step(bad)
