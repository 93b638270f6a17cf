"""The local log-linear model: probabilities, gradient, learners, and what stays the same."""

from __future__ import annotations

import math
import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from demotic import _core
from demotic.errors import ArgumentError
from demotic.learn import (
    EventGroups,
    LocalWeights,
    Objective,
    SgdOptions,
    gradient,
    objective,
    perceptron,
    probabilities,
    sgd,
)

WIDTH, BINARIES = 3, 4


@st.composite
def events(draw: st.DrawFn) -> EventGroups:
    value = st.floats(-3, 3, width=32)
    row = st.lists(value, min_size=WIDTH, max_size=WIDTH)
    features = draw(st.lists(st.lists(row, min_size=1, max_size=9), min_size=1, max_size=5))
    flag = st.one_of(st.none(), st.integers(0, BINARIES - 1))
    binary = [[draw(flag) for _ in group] for group in features]
    labels = []
    for number, group in enumerate(features):
        some = draw(st.sets(st.integers(0, len(group) - 1), min_size=1, max_size=3))
        labels += [(number, label) for label in sorted(some)]
    return EventGroups.of(features, labels, binary=binary, sparse_size=BINARIES)


@st.composite
def weights(draw: st.DrawFn, size: float = 2.0) -> LocalWeights:
    value = st.floats(-size, size, width=32)
    return LocalWeights(
        np.array(draw(st.lists(value, min_size=WIDTH, max_size=WIDTH))),
        np.array(draw(st.lists(value, min_size=BINARIES, max_size=BINARIES)), np.float32),
    )


def scores(groups: EventGroups, w: LocalWeights, group: int) -> list[float]:
    """w.x of each candidate, by the definition of the layout."""
    begin, end = int(groups.group_ptr[group]), int(groups.group_ptr[group + 1])
    x = groups.features[begin * WIDTH : end * WIDTH].reshape(WIDTH, end - begin)
    found = [
        math.fsum(w.dense[f] * float(x[f, j]) for f in range(WIDTH)) for j in range(end - begin)
    ]
    for j, flag in enumerate(groups.binary[begin:end]):
        if flag != 2**32 - 1:
            found[j] += float(w.sparse[flag])
    return found


def direct_loss(groups: EventGroups, w: LocalWeights) -> float:
    """Equation 8, term by term."""
    total = 0.0
    for group, label in zip(groups.group, groups.label, strict=True):
        s = scores(groups, w, int(group))
        best = max(s)
        total += best + math.log(math.fsum(math.exp(x - best) for x in s)) - s[label]
    return total


@given(events(), weights())
def test_probabilities_are_a_softmax_and_sum_to_one(groups: EventGroups, w: LocalWeights) -> None:
    for group in range(groups.groups):
        p = probabilities(groups, w, group)
        assert abs(math.fsum(p) - 1) <= 1e-12
        s = scores(groups, w, group)
        z = math.fsum(map(math.exp, s))
        np.testing.assert_allclose(p, [math.exp(x) / z for x in s], rtol=1e-12)


@given(st.lists(st.floats(-1e4, 1e4, width=32), min_size=1, max_size=20))
def test_softmax_survives_large_scores_and_shifts(values: list[float]) -> None:
    one = LocalWeights(np.ones(1), np.zeros(0, np.float32))
    p = probabilities(EventGroups.of([[[v] for v in values]], [(0, 0)]), one, 0)
    assert abs(math.fsum(p) - 1) <= 1e-12
    best = max(values)
    z = math.fsum(math.exp(v - best) for v in values)
    np.testing.assert_allclose(p, [math.exp(v - best) / z for v in values], rtol=1e-9, atol=1e-300)
    shifted = EventGroups.of([[[v, 1.0] for v in values]], [(0, 0)])
    for shift in (-1e4, 3.0, 1e4):
        moved = LocalWeights(np.array([1.0, shift]), np.zeros(0, np.float32))
        np.testing.assert_allclose(probabilities(shifted, moved, 0), p, atol=1e-9)


@given(events(), weights())
def test_objective_equals_equation_8(groups: EventGroups, w: LocalWeights) -> None:
    found = objective(groups, w)
    assert found.loss == pytest.approx(direct_loss(groups, w), rel=1e-12, abs=1e-12)
    assert found.events == len(groups)


@given(events(), weights())
def test_gradient_equals_central_differences(groups: EventGroups, w: LocalWeights) -> None:
    dense, binary = gradient(groups, w)
    step = 2.0**-13
    for f in range(WIDTH + BINARIES):

        def at(sign: int, f: int = f) -> float:
            moved = LocalWeights(w.dense.copy(), w.sparse.astype(np.float64))  # type: ignore[arg-type]
            (moved.dense if f < WIDTH else moved.sparse)[f % WIDTH if f < WIDTH else f - WIDTH] += (
                sign * step
            )
            return direct_loss(groups, moved)

        slope = (at(1) - at(-1)) / (2 * step)
        exact = dense[f] if f < WIDTH else binary[f - WIDTH]
        assert exact == pytest.approx(slope, rel=1e-6, abs=1e-5)


@given(events(), weights(), weights(), st.floats(0.1, 0.9))
def test_objective_is_convex_along_segments(
    groups: EventGroups, a: LocalWeights, b: LocalWeights, share: float
) -> None:
    between = LocalWeights(
        share * a.dense + (1 - share) * b.dense, (share * a.sparse + (1 - share) * b.sparse)
    )
    bound = share * objective(groups, a).loss + (1 - share) * objective(groups, b).loss
    assert objective(groups, between).loss <= bound + 1e-4 * (1 + abs(bound))


@given(events(), weights(), st.sampled_from(["event", "group"]))
def test_a_step_is_minus_the_gradient_times_eta(
    groups: EventGroups, w: LocalWeights, unit: str
) -> None:
    # With every event in one batch, a pass is one step of equation 9.
    eta = 2.0**-6
    options = SgdOptions(passes=1, eta_float=eta, eta_binary=eta, minibatch=1000, unit=unit)  # type: ignore[arg-type]
    found = sgd(groups, options=options, initial=w).weights
    dense, binary = gradient(groups, w)
    np.testing.assert_allclose(found.dense, w.dense - eta * dense, atol=1e-10)
    np.testing.assert_allclose(found.sparse, w.sparse - eta * binary, atol=1e-5)


@given(events(), weights(), st.integers(0, 5))
def test_one_event_at_a_time_follows_equation_9(
    groups: EventGroups, w: LocalWeights, seed: int
) -> None:
    """Against the same steps in plain Python, in the order that single visits reveal."""
    eta = 0.125
    dense, binary = w.dense.copy(), w.sparse.astype(np.float64)
    for event in _order(groups, seed):
        now = LocalWeights(dense, binary)  # type: ignore[arg-type]
        group, y = int(groups.group[event]), int(groups.label[event])
        begin, end = int(groups.group_ptr[group]), int(groups.group_ptr[group + 1])
        x = groups.features[begin * WIDTH : end * WIDTH].reshape(WIDTH, end - begin)
        s = scores(groups, now, group)
        z = math.fsum(map(math.exp, s))
        flags = groups.binary[begin:end]
        for j, p in enumerate(math.exp(each) / z for each in s):
            dense += eta * p * (x[:, y].astype(float) - x[:, j].astype(float))
            if flags[y] != 2**32 - 1:
                binary[flags[y]] += eta * p
            if flags[j] != 2**32 - 1:
                binary[flags[j]] -= eta * p
    options = SgdOptions(passes=1, eta_float=eta, eta_binary=eta, unit="event")
    found = sgd(groups, options=options, initial=w, seed=seed).weights
    np.testing.assert_allclose(found.dense, dense, atol=1e-5)
    np.testing.assert_allclose(found.sparse, binary, atol=1e-4)


def _order(groups: EventGroups, seed: int) -> list[int]:
    """The events of pass 0 in their order: each has a binary feature that it alone moves."""
    count = len(groups)
    alone = EventGroups.of(
        [[[0.0], [0.0]] for _ in range(count)],
        [(event, 0) for event in range(count)],
        binary=[[event, None] for event in range(count)],
    )
    seen: list[int] = []
    learner = _core.LocalLearner(
        alone, "sgd", "likelihood", 1.0, 1.0, False, 0.0, [], True, seed, False, 0, False,
        *LocalWeights.zeros(alone).core(),
    )  # fmt: skip
    for place in range(count):
        learner.run(0, place, place + 1, 1)
        (new,) = set(np.flatnonzero(learner.weights()[1])) - set(seen)
        seen.append(int(new))
    return seen


@given(st.integers(1, 200), st.integers(0, 3))
def test_a_pass_visits_every_event_once_in_an_order_of_its_own(count: int, seed: int) -> None:
    groups = EventGroups.of([[[0.0], [0.0]]] * count, [(event, 0) for event in range(count)])
    orders = [_order(groups, seed), _order(groups, seed), _order(groups, seed + 1)]
    assert sorted(orders[0]) == list(range(count))
    assert orders[0] == orders[1]
    assert count < 20 or orders[0] != orders[2]


def test_many_events_are_visited_once_each_in_chunks_of_neighbours() -> None:
    # As many groups as are visited chunk by chunk; each slice of a pass leaves its mark on the
    # features that are its own.
    count = 70_001
    groups = EventGroups(
        1, count, np.arange(0, 2 * count + 1, 2, dtype=np.uint64), np.zeros(2 * count, np.float32),
        np.stack([np.arange(count), np.full(count, 2**32 - 1)], axis=1).ravel().astype(np.uint32),
        np.arange(count, dtype=np.uint32), np.zeros(count, np.uint32),
    )  # fmt: skip
    begins = []
    for number in range(2):
        learner = _core.LocalLearner(
            groups, "sgd", "likelihood", 1.0, 1.0, False, 0.0, [], True, 1, False, 0, False,
            *LocalWeights.zeros(groups).core(),
        )  # fmt: skip
        seen = np.zeros(count, np.float32)
        places = []
        for begin in range(0, count, 1024):
            learner.run(number, begin, begin + 1024, 1)
            now = learner.weights()[1]
            places.append(np.flatnonzero(now != seen))
            seen = now
        assert np.unique(seen).tolist() == [0.5]  # every event moved its weight once
        chunks = places[:-1]
        around = [chunk for chunk in chunks if chunk[-1] - chunk[0] == 1023]
        assert len(around) >= len(chunks) - 1  # one may go beyond the end and on at the beginning
        assert not np.all(np.diff([chunk[0] for chunk in around]) > 0)
        begins.append(sorted(int(chunk[0]) for chunk in around))
    assert begins[0] != begins[1]


def _separable(count: int) -> EventGroups:
    rng = np.random.default_rng(5)
    truth = np.array([1.0, -2.0, 0.5])
    features, labels = [], []
    while len(features) < count:
        x = rng.normal(size=(6, 3))
        ranked = np.sort(x @ truth)
        if ranked[-1] - ranked[-2] > 0.5:
            labels.append((len(features), int(np.argmax(x @ truth))))
            features.append(x.tolist())
    return EventGroups.of(features, labels)


def test_separable_data_is_learned_by_all_and_they_agree() -> None:
    groups = _separable(300)
    learned = [
        sgd(groups, options=SgdOptions(passes=40, eta_float=0.1)),
        sgd(groups, options=SgdOptions(passes=40, eta_float=0.5, adagrad=True)),
        perceptron(groups, passes=60),
        perceptron(groups, passes=60, averaged=True),
    ]
    for result in learned:
        assert objective(groups, result.weights).accuracy > 0.995
        assert result.passes[-1].loss < result.passes[0].loss
    best = [
        [int(np.argmax(probabilities(groups, r.weights, g))) for g in range(groups.groups)]
        for r in learned
    ]
    same = sum(len(set(column)) == 1 for column in zip(*best, strict=True))
    assert same / groups.groups > 0.99


def test_averaged_perceptron_is_the_mean_of_its_states() -> None:
    groups = _separable(12)
    learner = _core.LocalLearner(
        groups, "perceptron", "likelihood", 1.0, 1.0, False, 0.0, [], True, 1, False, 0, False,
        *LocalWeights.zeros(groups).core(),
    )  # fmt: skip
    states = [np.zeros(3)]
    for place in range(len(groups)):
        learner.run(0, place, place + 1, 1)
        states.append(learner.weights()[0])
    found = perceptron(groups, passes=1, averaged=True)
    np.testing.assert_allclose(found.weights.dense, np.mean(states, axis=0), atol=1e-12)


@pytest.mark.parametrize("minibatch", [0, 700])
@pytest.mark.parametrize("rule", ["sgd", "adagrad", "l2", "hogwild", "perceptron"])
def test_frozen_weights_stay_as_they_are(rule: str, minibatch: int) -> None:
    groups, start = _random(2000), np.array([0.1, -0.3, 0.7])
    initial = LocalWeights(start, np.full(50, 0.3, np.float32))
    for train_dense, train_sparse in (([False, True, False], True), ([True] * 3, False)):
        if rule == "perceptron":
            found = perceptron(
                groups, passes=2, initial=initial, train_dense=train_dense,
                train_sparse=train_sparse, averaged=True,
            ).weights  # fmt: skip
        else:
            options = SgdOptions(
                passes=2, eta_float=0.01, eta_binary=0.01, adagrad=rule == "adagrad",
                l2=0.01 if rule == "l2" else 0.0, hogwild=rule == "hogwild",
                minibatch=0 if rule == "hogwild" else minibatch,
            )  # fmt: skip
            found = sgd(
                groups, options=options, initial=initial, train_dense=train_dense,
                train_sparse=train_sparse, threads=2,
            ).weights  # fmt: skip
        moved = found.dense != start
        assert moved.tolist() == train_dense
        assert bool((found.sparse != initial.sparse).any()) == train_sparse


def _random(count: int) -> EventGroups:
    rng = np.random.default_rng(3)
    sizes = rng.integers(1, 12, count)
    flags = np.where(rng.random(sizes.sum()) < 0.4, rng.integers(0, 50, sizes.sum()), 2**32 - 1)
    return EventGroups(
        3, 50, np.cumsum([0, *sizes], dtype=np.uint64),
        rng.normal(size=3 * int(sizes.sum())).astype(np.float32), flags.astype(np.uint32),
        np.arange(count, dtype=np.uint32), rng.integers(0, sizes).astype(np.uint32),
    )  # fmt: skip


@pytest.mark.parametrize("unit", ["event", "group"])
def test_minibatch_weights_are_the_same_for_any_number_of_threads(unit: str) -> None:
    groups = _random(3000)
    options = SgdOptions(passes=2, eta_float=0.01, eta_binary=0.01, minibatch=1000, unit=unit)  # type: ignore[arg-type]
    found = [sgd(groups, options=options, threads=n).weights for n in (1, 2, 8)]
    assert len({w.dense.tobytes() + w.sparse.tobytes() for w in found}) == 1


def test_hogwild_learns() -> None:
    groups = _separable(300)
    found = sgd(groups, options=SgdOptions(passes=40, eta_float=0.1, hogwild=True), threads=2)
    assert objective(groups, found.weights).accuracy > 0.98


def test_single_candidates_are_skipped_but_counted() -> None:
    groups = EventGroups.of([[[1.0]], [[1.0], [2.0]]], [(0, 0), (1, 1)])
    found = sgd(groups, options=SgdOptions(passes=1))
    assert (found.passes[0].trivial, found.passes[0].events) == (1, 2)
    assert objective(groups, found.weights).trivial == 1


@pytest.mark.parametrize("minibatch", [0, 2])
def test_groups_that_nobody_chose_from_teach_nothing(minibatch: int) -> None:
    some = [[[1.0], [2.0]], [[3.0], [1.0]]]
    with_others = EventGroups.of([some[0], [], [[7.0], [8.0]], some[1]], [(0, 0), (3, 1)])
    options = SgdOptions(passes=1, unit="group", minibatch=minibatch, eta_float=1e-9)
    found = sgd(with_others, options=options)
    alone = sgd(EventGroups.of(some, [(0, 0), (1, 1)]), options=options)
    assert found.passes[0].events == 2
    assert found.passes[0].loss == pytest.approx(alone.passes[0].loss)
    assert found.weights.dense == pytest.approx(alone.weights.dense)


def test_regularisation_and_decay_keep_weights_small() -> None:
    groups = _separable(200)
    plain = sgd(groups, options=SgdOptions(passes=20, eta_float=0.1))
    small = sgd(groups, options=SgdOptions(passes=20, eta_float=0.1, l2=0.05))
    assert np.abs(small.weights.dense).sum() < np.abs(plain.weights.dense).sum()
    slow = sgd(groups, options=SgdOptions(passes=20, eta_float=0.1, decay=0.1, stall=0.9))
    assert np.abs(slow.weights.dense).sum() < np.abs(plain.weights.dense).sum()


def test_a_weight_that_runs_away_is_reported_with_its_event() -> None:
    groups = EventGroups.of([[[1e30], [-1e30]]], [(0, 1)])
    with pytest.raises(ArgumentError, match="event 1 is not finite"):
        sgd(groups, options=SgdOptions(passes=3, eta_float=1e300))


@pytest.mark.parametrize(
    "bad",
    [
        {"passes": -1},
        {"sample": 0.0},
        {"decay": 0.0},
        {"eta_float": math.nan},
        {"l2": -1.0},
        {"hogwild": True, "adagrad": True},
    ],
)
def test_bad_options_are_refused(bad: dict[str, float]) -> None:
    with pytest.raises(ArgumentError):
        sgd(_separable(5), options=SgdOptions(**bad))  # type: ignore[arg-type]


def test_events_at_hand_are_laid_out_as_the_core_reads_them() -> None:
    groups = EventGroups.of(
        [[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0]]], [(0, 1), (0, 0), (1, 0)], binary=[[4, None], [2]]
    )
    assert (groups.width, groups.sparse_size, groups.groups) == (2, 5, 2)
    assert groups.group_ptr.tolist() == [0, 2, 3]
    assert groups.features.tolist() == [1.0, 3.0, 2.0, 4.0, 5.0, 6.0]
    assert groups.binary.tolist() == [4, 2**32 - 1, 2]
    assert (groups.group.tolist(), groups.label.tolist()) == ([0, 0, 1], [1, 0, 0])
    more = EventGroups.of([[[1.0]]], [(0, 0)], binary=[[1]], sparse_size=9)
    assert more.sparse_size == 9
    assert EventGroups.of([[[1.0]]], [(0, 0)]).sparse_size == 0
    assert EventGroups.of([], [], width=3).width == 3
    assert EventGroups.of([], []).width == 0


def test_objectives_add_up_and_no_event_is_all_right() -> None:
    assert Objective(1.0, 2, 3, 4) + Objective(10.0, 20, 30, 40) == Objective(11.0, 22, 33, 44)
    assert Objective(1.0, 4, 3, 0).accuracy == 0.75
    assert Objective(0.0, 0, 0, 0).accuracy == 1.0


def test_passes_add_up_what_their_slices_met(monkeypatch: pytest.MonkeyPatch) -> None:
    """Between slices Ctrl-C is heard; neither their size nor that of batches shows in a result."""
    groups, single = _random(500), SgdOptions(passes=2, eta_float=0.01, eta_binary=0.01)
    batches = replace(single, minibatch=70)
    whole = [sgd(groups, options=options) for options in (single, batches)]
    monkeypatch.setattr(sys.modules["demotic.learn.sgd"], "_SLICE", 100)
    parts = [sgd(groups, options=options) for options in (single, batches)]
    for one, other in zip(whole, parts, strict=True):
        assert one.weights.dense.tolist() == other.weights.dense.tolist()
        assert [each.events for each in other.passes] == [500, 500]
        assert [each.loss for each in one.passes] == pytest.approx(
            [each.loss for each in other.passes]
        )


def test_a_mistake_moves_weights_by_the_difference_of_features() -> None:
    groups = EventGroups.of([[[1.0, 0.5], [3.0, -1.0]]], [(0, 0)], binary=[[0, 1]], sparse_size=2)
    initial = LocalWeights(np.array([0.25, 0.0]), np.array([0.5, 0.125], np.float32))
    found = perceptron(groups, passes=1, initial=initial).weights
    assert found.dense.tolist() == [0.25 - 2.0, 1.5]
    assert found.sparse.tolist() == [1.5, -0.875]
    averaged = perceptron(groups, passes=1, initial=initial, averaged=True).weights
    assert averaged.dense.tolist() != found.dense.tolist()


def test_a_sample_visits_its_share_of_groups() -> None:
    groups = _random(200)
    for sample, visited in ((1.0, 200), (0.5, 100), (0.011, 3)):
        options = SgdOptions(passes=1, sample=sample, unit="event")
        assert sgd(groups, options=options).passes[0].events == visited
        assert perceptron(groups, passes=1, sample=sample).passes[0].events == visited
    assert perceptron(groups, passes=1).passes[0].events == 200


def test_steps_shrink_after_a_pass_that_gained_too_little() -> None:
    groups = _separable(50)
    options = SgdOptions(passes=3, eta_float=0.1, decay=0.5, minibatch=1000)
    plain = sgd(groups, options=replace(options, decay=1.0))
    for stall, halved in ((0.0, False), (1.0, True)):
        found = sgd(groups, options=replace(options, stall=stall))
        assert found.passes[:2] == plain.passes[:2], "the first pass has none before it"
        two = [sgd(groups, options=replace(options, stall=stall, passes=n)) for n in (1, 2, 3)]
        steps = np.diff([each.weights.dense for each in two], axis=0)
        again = sgd(groups, options=replace(options, passes=1), initial=two[1].weights)
        whole = again.weights.dense - two[1].weights.dense
        np.testing.assert_allclose(steps[1], whole * (0.5 if halved else 1.0), atol=1e-12)


def test_the_seed_where_none_is_given_is_1() -> None:
    groups = _random(50)
    options = SgdOptions(passes=1, eta_float=0.1, unit="event")
    for first, plain, other in (
        (sgd(groups, options=options, seed=1), sgd(groups, options=options),
         sgd(groups, options=options, seed=2)),
        (perceptron(groups, passes=1, seed=1), perceptron(groups, passes=1),
         perceptron(groups, passes=1, seed=2)),
    ):  # fmt: skip
        assert first.weights.dense.tolist() == plain.weights.dense.tolist()
        assert first.weights.dense.tolist() != other.weights.dense.tolist()


def test_bad_arrays_are_refused() -> None:
    with pytest.raises(ArgumentError, match="not there"):
        EventGroups.of([[[1.0]]], [(0, 1)])
    with pytest.raises(ArgumentError, match="not finite"):
        EventGroups.of([[[math.nan]]], [(0, 0)])
    with pytest.raises(ArgumentError, match="no events"):
        sgd(EventGroups.of([], []))
    with pytest.raises(ArgumentError, match="same dense features"):
        EventGroups.of([[[1.0], [1.0, 2.0]]], [(0, 0)])


def test_sizes_whose_product_is_too_large_are_refused() -> None:
    borders = [0, 2]  # of 2^40 candidates: with 2^24 features, 2^64 values, which wraps to 0
    while borders[-1] < 2**40:
        borders.append(min(borders[-1] + 2**32 - 1, 2**40))
    with pytest.raises(ArgumentError, match="a value is needed"):
        _core.EventGroups(
            width=2**24,
            sparse_size=0,
            group_ptr=np.array(borders, np.uint64),
            features=np.zeros(0, np.float32),
            binary=np.zeros(0, np.uint32),
            group=np.zeros(1, np.uint32),
            label=np.zeros(1, np.uint32),
        )
