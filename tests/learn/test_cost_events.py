"""Events with sparse features and costs: losses, gradients and learners against plain Python."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from demotic import _core
from demotic.errors import ArgumentError
from demotic.learn import (
    EventGroups,
    LocalWeights,
    SgdOptions,
    gradient,
    objective,
    perceptron,
    sgd,
)
from demotic.learn.events import EventLoss
from demotic.learn.labelling import Labelling
from demotic.learn.policies import Expert, LinearPolicy
from tests.oracles import events as oracle
from tests.oracles.events import Choice

WIDTH, SPARSE = 2, 6
LOSSES: list[EventLoss] = ["likelihood", "softmax-margin", "expected-cost"]
quarters = st.integers(-12, 12).map(lambda n: n / 4)
costs = st.integers(0, 8).map(lambda n: n / 2)


@st.composite
def choices(draw: st.DrawFn) -> list[Choice]:
    """Dense features d0, d1 of every candidate, and some of s0 ... s5."""
    found = []
    for _ in range(draw(st.integers(1, 4))):
        rows = []
        for _ in range(draw(st.integers(1, 7))):
            row = {f"d{f}": draw(quarters) for f in range(WIDTH)}
            some = draw(st.dictionaries(st.integers(0, SPARSE - 1), quarters, max_size=4))
            rows.append(row | {f"s{i}": value for i, value in some.items()})
        found.append(Choice(rows, [draw(costs) for _ in rows]))
    return found


@st.composite
def weights(draw: st.DrawFn) -> LocalWeights:
    return LocalWeights(
        np.array([draw(quarters) for _ in range(WIDTH)]) / 2,
        np.array([draw(quarters) for _ in range(SPARSE)], np.float32) / 2,
    )


def events_of(given: list[Choice]) -> EventGroups:
    return EventGroups.of(
        [[[row[f"d{f}"] for f in range(WIDTH)] for row in choice.rows] for choice in given],
        costs=[choice.costs for choice in given],
        sparse=[
            [{int(n[1:]): v for n, v in row.items() if n[0] == "s"} for row in choice.rows]
            for choice in given
        ],
        sparse_size=SPARSE,
        width=WIDTH,
    )


def named(dense: np.ndarray, sparse: np.ndarray) -> dict[str, float]:
    found = {f"d{f}": float(value) for f, value in enumerate(dense)}
    return found | {f"s{i}": float(value) for i, value in enumerate(sparse)}


@given(choices(), weights(), st.sampled_from(LOSSES))
def test_losses_equal_their_definitions(
    given_choices: list[Choice], w: LocalWeights, loss: EventLoss
) -> None:
    found = objective(events_of(given_choices), w, loss=loss)
    by_name = named(w.dense, w.sparse)
    expected = sum(oracle.loss(choice, by_name, loss) for choice in given_choices)
    assert found.loss == pytest.approx(expected, rel=1e-9, abs=1e-9)
    assert found.events == len(given_choices)


@given(choices(), weights(), st.sampled_from(LOSSES))
def test_gradients_equal_central_differences(
    given_choices: list[Choice], w: LocalWeights, loss: EventLoss
) -> None:
    found = named(*gradient(events_of(given_choices), w, loss=loss))
    by_name = named(w.dense, w.sparse)
    for name, value in found.items():
        slope = sum(oracle.slope(choice, by_name, loss, name) for choice in given_choices)
        assert value == pytest.approx(slope, rel=1e-5, abs=1e-6)


@given(choices(), weights())
def test_cost_is_what_the_best_candidates_cost_above_the_cheapest(
    given_choices: list[Choice], w: LocalWeights
) -> None:
    found = objective(events_of(given_choices), w)
    by_name = named(w.dense, w.sparse)
    cost, right, trivial = 0.0, 0, 0
    for choice in given_choices:
        scores = [oracle.score(row, by_name) for row in choice.rows]
        best = min(c for s, c in zip(scores, choice.costs, strict=True) if s == max(scores))
        cost += best - min(choice.costs)
        right += best == min(choice.costs)
        trivial += len(set(choice.costs)) == 1
    assert (found.cost, found.right, found.trivial) == (pytest.approx(cost), right, trivial)


@given(choices(), weights(), st.sampled_from(LOSSES), st.sampled_from(["event", "group"]))
def test_a_step_is_minus_the_gradient_times_eta(
    given_choices: list[Choice], w: LocalWeights, loss: EventLoss, unit: str
) -> None:
    given_choices = [c for c in given_choices if len(set(c.costs)) > 1]  # the others are skipped
    if not given_choices:
        return
    events, eta = events_of(given_choices), 2.0**-6
    options = SgdOptions(passes=1, eta_float=eta, eta_binary=eta, minibatch=1000, unit=unit)  # type: ignore[arg-type]
    found = sgd(events, options=options, loss=loss, initial=w).weights
    dense, sparse = gradient(events, w, loss=loss)
    np.testing.assert_allclose(found.dense, w.dense - eta * dense, atol=1e-10)
    np.testing.assert_allclose(found.sparse, w.sparse - eta * sparse, atol=1e-5)


@given(choices(), weights(), st.sampled_from(LOSSES))
def test_adagrad_sees_one_direction_for_each_feature(
    given_choices: list[Choice], w: LocalWeights, loss: EventLoss
) -> None:
    events = events_of(given_choices[:1])
    options = SgdOptions(passes=1, eta_float=0.5, eta_binary=0.5, adagrad=True)
    found = sgd(events, options=options, loss=loss, initial=w).weights
    dense, sparse = gradient(events, w, loss=loss)
    if len(set(given_choices[0].costs)) == 1:
        dense, sparse = 0 * dense, 0 * sparse
    for before, after, slope in ((w.dense, found.dense, dense), (w.sparse, found.sparse, sparse)):
        clear = np.abs(slope) > 1e-6  # the first step of AdaGrad is eta, whatever the size
        np.testing.assert_allclose((after - before)[clear], -0.5 * np.sign(slope[clear]), atol=1e-4)


@given(choices(), weights())
def test_the_perceptron_follows_its_definition(
    given_choices: list[Choice], w: LocalWeights
) -> None:
    """One event at a time, so that the order does not matter; averaged over both states."""
    for choice in given_choices:
        events = events_of([choice])
        before = named(w.dense, w.sparse)
        after = dict(before)
        change = oracle.perceptron_step(choice, before)
        for name, value in change.items():
            after[name] += value
        plain = perceptron(events, passes=1, initial=w)
        assert named(plain.weights.dense, plain.weights.sparse) == pytest.approx(after, abs=1e-5)
        mean = perceptron(events, passes=1, initial=w, averaged=True).weights
        trivial = len(set(choice.costs)) == 1
        expected = {k: v if trivial else (before[k] + v) / 2 for k, v in after.items()}
        assert named(mean.dense, mean.sparse) == pytest.approx(expected, abs=1e-5)
        if change:
            assert plain.passes[0].right == 0


def random_choices(count: int, seed: int = 3) -> list[Choice]:
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(count):
        rows = []
        for _ in range(int(rng.integers(2, 8))):
            row = {f"d{f}": float(rng.normal()) for f in range(WIDTH)}
            some = rng.choice(SPARSE, size=int(rng.integers(0, 4)), replace=False)
            rows.append(row | {f"s{i}": float(rng.normal()) for i in some})
        found.append(Choice(rows, rng.integers(0, 4, len(rows)).astype(float).tolist()))
    return found


@pytest.mark.parametrize("averaged", [False, True])
def test_a_run_of_the_perceptron_follows_its_definition(averaged: bool) -> None:
    given_choices = random_choices(40)
    events = events_of(given_choices)
    order = visiting_order(events)
    weights: dict[str, float] = {}
    states = [dict(weights)]
    for at in order:
        for name, value in oracle.perceptron_step(given_choices[at], weights).items():
            weights[name] = float(np.float32(weights.get(name, 0.0) + value))
        if len(set(given_choices[at].costs)) > 1:  # others are no steps
            states.append(dict(weights))
    names = named(np.zeros(WIDTH), np.zeros(SPARSE))
    mean = {n: sum(s.get(n, 0.0) for s in states) / len(states) for n in names}
    found = perceptron(events, passes=1, averaged=averaged).weights
    expected = mean if averaged else {n: weights.get(n, 0.0) for n in names}
    assert named(found.dense, found.sparse) == pytest.approx(expected, abs=1e-3)


def visiting_order(events: EventGroups) -> list[int]:
    """The events of pass 0 in their order: each has a feature that it alone moves."""
    count = len(events)
    alone = EventGroups.of(
        [[[0.0], [0.0]]] * count, costs=[[0.0, 1.0]] * count,
        sparse=[[{event: 1.0}, {}] for event in range(count)],
    )  # fmt: skip
    learner = _core.LocalLearner(
        alone, "perceptron", "likelihood", 1.0, 1.0, False, 0.0, [], True, 1, False, 0, False,
        *LocalWeights.zeros(alone).core(),
    )  # fmt: skip
    seen: list[int] = []
    for place in range(count):
        learner.run(0, place, place + 1, 1)
        (new,) = set(np.flatnonzero(learner.weights()[1]).tolist()) - set(seen)
        seen.append(new)
    return seen


@given(st.integers(0, 1000), st.sampled_from(["sgd", "perceptron"]))
def test_the_two_layouts_of_binary_features_learn_the_same(seed: int, learner: str) -> None:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, 6, 12)
    flags = [[int(f) if f < 5 else None for f in rng.integers(0, 7, n)] for n in sizes]
    features = [rng.normal(size=(n, WIDTH)).tolist() for n in sizes]
    labels = [(g, int(rng.integers(0, n))) for g, n in enumerate(sizes)]
    compact = EventGroups.of(features, labels, binary=flags, sparse_size=5)
    rows = [[{} if flag is None else {flag: 1.0} for flag in group] for group in flags]
    general = EventGroups.of(features, labels, sparse=rows, sparse_size=5)
    costly = EventGroups.of(
        features, sparse=rows, sparse_size=5,
        costs=[[float(j != y) for j in range(n)] for n, (_, y) in zip(sizes, labels, strict=True)],
    )  # fmt: skip
    found = []
    for events in (compact, general, costly):
        if learner == "sgd":
            options = SgdOptions(passes=3, eta_float=0.1, eta_binary=0.1, unit="event")
            found.append(sgd(events, options=options).weights)
        else:
            found.append(perceptron(events, passes=3, averaged=True).weights)
    for other in found[1:]:
        assert other.dense.tobytes() == found[0].dense.tobytes()
        assert other.sparse.tobytes() == found[0].sparse.tobytes()


@pytest.mark.parametrize("loss", LOSSES)
def test_sums_and_minibatches_are_the_same_for_any_number_of_threads(loss: EventLoss) -> None:
    events = events_of(random_choices(3000))
    w = LocalWeights(np.array([0.3, -0.4]), np.linspace(-1, 1, SPARSE).astype(np.float32))
    options = SgdOptions(passes=2, eta_float=0.01, eta_binary=0.01, minibatch=1000)
    bits = set()
    for threads in (1, 2, 7):
        dense, sparse = gradient(events, w, loss=loss, threads=threads)
        learned = sgd(events, options=options, loss=loss, threads=threads).weights
        arrays = (dense, sparse, learned.dense, learned.sparse)
        value = objective(events, w, loss=loss, threads=threads)
        bits.add((value.loss, value.cost, *(array.tobytes() for array in arrays)))
    assert len(bits) == 1


def classified(count: int, seed: int) -> EventGroups:
    """Three classes, their sparse features by class; the costs of mistakes differ."""
    rng = np.random.default_rng(seed)
    matrix = np.array([[0, 1, 4], [2, 0, 1], [8, 1, 0]], dtype=float)
    truth = np.random.default_rng(0).normal(size=(3, 10))
    sparse, all_costs = [], []
    for _ in range(count):
        x = rng.choice(10, size=4, replace=False)
        right = int(np.argmax(truth[:, x].sum(axis=1)))
        sparse.append([{c * 10 + int(i): 1.0 for i in x} for c in range(3)])
        all_costs.append(matrix[right].tolist())
    return EventGroups.of(
        [[[], [], []]] * count, costs=all_costs, sparse=sparse, sparse_size=30, width=0
    )


def test_all_learners_lower_the_cost_of_unseen_events() -> None:
    train, test = classified(600, 1), classified(300, 2)
    before = objective(test, LocalWeights.zeros(test))
    assert before.cost == 0  # of equal scores the cheapest counts
    rng = np.random.default_rng(3)
    chance = objective(test, LocalWeights(np.zeros(0), rng.normal(size=30).astype(np.float32)))
    options = SgdOptions(passes=20, eta_binary=0.1)
    learned = {loss: sgd(train, options=options, loss=loss).weights for loss in LOSSES}
    for averaged in (False, True):
        learned[f"perceptron {averaged}"] = perceptron(train, passes=20, averaged=averaged).weights
    for name, weights in learned.items():
        found = objective(test, weights)
        assert found.cost < 0.25 * chance.cost, name
        if name != "expected-cost":  # not convex: it may end where one class is safe for all
            assert found.accuracy > 0.85, name


def test_costs_move_what_cannot_be_told_apart_to_the_safe_side() -> None:
    """Half of the events are right with 0, half with 1, and only one mistake is dear."""
    costs = [[0.0, 1.0], [5.0, 0.0]] * 50
    events = EventGroups.of(
        [[[], []]] * 100, costs=costs, sparse=[[{0: 1.0}, {1: 1.0}]] * 100, width=0
    )
    options = SgdOptions(passes=30, eta_binary=0.05)
    blind = sgd(events, options=options, loss="likelihood").weights.sparse
    assert abs(blind[0] - blind[1]) < 0.2
    for loss in ("softmax-margin", "expected-cost"):
        careful = sgd(events, options=options, loss=loss).weights.sparse  # type: ignore[arg-type]
        assert careful[1] - careful[0] > 0.5
        assert objective(events, LocalWeights(np.zeros(0), careful)).cost == 50.0


def test_examples_of_a_search_become_events() -> None:
    text = [("the old house", "D A N"), ("the house", "D N"), ("old old man", "A A N")]
    task = Labelling([(words.split(), labels.split()) for words, labels in text])
    start = LinearPolicy(np.empty(0), np.zeros(task.sparse_features))
    examples = [
        example
        for number in range(len(task))
        for example in task.cost_examples(number, start, Expert(), seed=number)
    ]
    events = EventGroups.of_examples(examples, sparse_size=task.sparse_features)
    assert (len(events), events.width, events.sparse_size) == (8, 0, task.sparse_features)
    flat = [row for example in examples for row in example.features]
    assert events.sparse_ids.tolist() == [i for row in flat for i in row.ids]
    assert events.sparse_values.tolist() == [v for row in flat for v in row.values]
    assert events.cost.tolist() == [c for example in examples for c in example.costs]
    learned = perceptron(events, passes=10, averaged=True).weights
    policy = LinearPolicy(np.empty(0), learned.sparse.astype(np.float64))
    assert task.accuracy(policy) == 1.0 > task.accuracy(start)
    assert len(EventGroups.of_examples([])) == 0


def test_events_without_a_choice_are_skipped_but_counted() -> None:
    events = EventGroups.of(
        [[[1.0]], [[1.0], [2.0]], [[1.0], [3.0]]], costs=[[2.0], [1.0, 1.0], [0.0, 1.0]]
    )
    for found in (
        sgd(events, options=SgdOptions(passes=1), loss="expected-cost").passes[0],
        perceptron(events, passes=1).passes[0],
        objective(events, LocalWeights.zeros(events), loss="softmax-margin"),
    ):
        assert (found.trivial, found.events) == (2, 3)


def test_bad_costs_and_rows_are_refused() -> None:
    rows = [[[1.0], [2.0]]]
    with pytest.raises(ArgumentError, match="either labels or costs"):
        EventGroups.of(rows)
    with pytest.raises(ArgumentError, match="either labels or costs"):
        EventGroups.of(rows, [(0, 0)], costs=[[0.0, 1.0]])
    with pytest.raises(ArgumentError, match="a cost is needed per candidate"):
        EventGroups.of(rows, costs=[[0.0]])
    with pytest.raises(ArgumentError, match="a cost is not finite"):
        EventGroups.of(rows, costs=[[0.0, math.inf]])
    with pytest.raises(ArgumentError, match="an unknown feature"):
        EventGroups.of(rows, [(0, 0)], sparse=[[{7: 1.0}, {}]], sparse_size=5)
    with pytest.raises(ArgumentError, match="differ in number"):
        EventGroups.of(rows, [(0, 0)], sparse=[[{1: 1.0}]])
    with pytest.raises(ArgumentError, match="a value is not finite"):
        EventGroups.of(rows, [(0, 0)], sparse=[[{1: math.nan}, {}]])
    with pytest.raises(ArgumentError, match="needs costs"):
        sgd(EventGroups.of(rows, [(0, 0)]), loss="expected-cost")
    with pytest.raises(ArgumentError, match="no loss 'hinge'"):
        objective(
            EventGroups.of(rows, [(0, 0)]), LocalWeights(np.zeros(1), np.zeros(0)), loss="hinge"
        )  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="another candidate costs less than its label"):
        _core.EventGroups(
            1, 0, np.array([0, 2], np.uint64), np.ones(2, np.float32), np.zeros(0, np.uint32),
            np.zeros(1, np.uint32), np.zeros(1, np.uint32), None, None, None,
            np.array([1.0, 0.0], np.float32),
        )  # fmt: skip
