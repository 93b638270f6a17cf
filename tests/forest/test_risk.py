"""Risk, its entropy term and all derivatives, against enumeration and central differences."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demotic.errors import ArgumentError
from demotic.forest import ForestBuilder, risk
from tests.forest.toys import FEATURES, Pair, pair, small_pairs

weights = st.lists(st.floats(-1, 1), min_size=3, max_size=3)
temperatures = st.sampled_from([0.0, 0.3, 2.0])


def enumerated(case: Pair, w: list[float], scale: float, temperature: float) -> tuple[float, float]:
    scores, losses = [], []
    for tree in case.trees():
        features = case.toy.features(tree)
        scores.append(
            scale * sum(x * features.get(n, 0.0) for x, n in zip(w, FEATURES, strict=True))
        )
        losses.append(case.toy.loss(tree))
    top = max(scores)
    z = sum(math.exp(s - top) for s in scores)
    p = [math.exp(s - top) / z for s in scores]
    loss = sum(x * y for x, y in zip(p, losses, strict=True))
    entropy = -sum(x * math.log(x) for x in p if x > 0)
    return loss - temperature * entropy, loss


@given(small_pairs, weights, st.floats(0.1, 2), temperatures)
def test_risk_equals_enumeration(
    case: Pair, w: list[float], scale: float, temperature: float
) -> None:
    result = risk([case.forest], w, scale=scale, temperature=temperature)
    value, loss = enumerated(case, w, scale, temperature)
    assert result.value == pytest.approx(value, rel=1e-9, abs=1e-8)
    assert result.expected_loss == pytest.approx(loss, rel=1e-9, abs=1e-8)


@settings(max_examples=60)
@given(small_pairs, weights, st.floats(0.3, 2), temperatures)
def test_gradients_equal_central_differences(
    case: Pair, w: list[float], scale: float, temperature: float
) -> None:
    step = 1e-5
    result = risk([case.forest], w, scale=scale, temperature=temperature)

    gradient = result.gradient.dense()

    def value(v: list[float], g: float) -> float:
        return risk([case.forest], v, scale=g, temperature=temperature).value

    for i in range(3):
        up, down = list(w), list(w)
        up[i] += step
        down[i] -= step
        slope = (value(up, scale) - value(down, scale)) / (2 * step)
        assert gradient[i] == pytest.approx(slope, rel=1e-6, abs=1e-6)
    slope = (value(w, scale + step) - value(w, scale - step)) / (2 * step)
    assert result.scale_gradient == pytest.approx(slope, rel=1e-6, abs=1e-6)


@given(small_pairs, weights)
def test_gradient_is_the_covariance_of_the_second_order_semiring(
    case: Pair, w: list[float]
) -> None:
    forest = case.forest.rescore(w)
    gradient = risk([forest], w).gradient.dense()
    for i, name in enumerate(FEATURES):
        values = [forest.edge_features(e).get(name, 0.0) for e in range(forest.edges)]
        covariance = forest.inside("mean2", r=forest.loss, s=values)[-1, 3]
        assert gradient[i] == pytest.approx(covariance, rel=1e-9, abs=1e-9)


@given(small_pairs, weights, st.integers(-40, 40))
def test_a_constant_loss_at_the_root_shifts_risk_only(
    case: Pair, w: list[float], quarters: int
) -> None:
    shift = quarters / 4
    forest = case.forest
    loss = forest.loss + np.where(forest.head == forest.nodes - 1, shift, 0.0)
    before, after = risk([forest], w), risk([forest.with_loss(loss)], w)
    assert after.value == pytest.approx(before.value + shift, abs=1e-8)
    assert after.gradient.dense() == pytest.approx(before.gradient.dense(), abs=1e-8)


@pytest.mark.parametrize("threads", [2, 3, 7])
def test_the_number_of_threads_does_not_change_a_bit(threads: int) -> None:
    forests = [pair(seed).forest for seed in range(40)]
    one = risk(forests, [0.3, -0.2, 0.9], temperature=0.5)
    many = risk(forests, [0.3, -0.2, 0.9], temperature=0.5, threads=threads)
    assert one.value == many.value
    assert one.gradient.ids.tobytes() == many.gradient.ids.tobytes()
    assert one.gradient.values.tobytes() == many.gradient.values.tobytes()
    assert one.scale_gradient == many.scale_gradient


def test_many_forests_add_up() -> None:
    forests = [pair(seed).forest for seed in range(20)]
    w = [0.3, -0.2, 0.9]
    assert risk(forests, w).value == pytest.approx(sum(risk([f], w).value for f in forests))
    assert risk([], {}).value == 0.0


def test_nonsense_is_refused() -> None:
    forest = pair(1).forest
    with pytest.raises(ArgumentError, match="scale must be a positive number"):
        risk([forest], [0.0] * 3, scale=0.0)
    with pytest.raises(ArgumentError, match="temperature must be finite"):
        risk([forest], [0.0] * 3, temperature=math.nan)
    other = ForestBuilder(features=["z"])
    root = other.add_node("S", 0, 1)
    other.add_edge(root, [], other.add_rule("S", [], ["w"]))
    with pytest.raises(ArgumentError, match="forest 1 names other features"):
        risk([forest, other.finalize(root)], [0.0] * 3)
