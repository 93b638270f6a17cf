"""Objectives over forests: values by enumeration, gradients by central differences."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demotic.errors import ArgumentError
from demotic.forest import linear_bleu
from demotic.forest.weights import Floats
from demotic.learn.objectives import (
    ExpectedBleu,
    Likelihood,
    LinearRisk,
    Objective,
    estimated_gain,
    expected_bleu,
)
from demotic.learn.risk_set import RiskSet, with_bleu_counts
from tests.forest.toys import Pair, pair, small_pairs
from tests.oracles.forest import linear_gain

weights = st.lists(st.floats(-1, 1), min_size=3, max_size=3).map(np.array)
temperatures = st.sampled_from([0.0, 0.5])
REFERENCES = [("a", "b", "a"), ("c", "a", "b", "b")]
SEEDS = range(5)


def bleu_set() -> RiskSet:
    forests = [pair(seed).forest for seed in SEEDS]
    examples = RiskSet(forests[0].space, 5)
    for forest in forests:
        examples.add(*with_bleu_counts(forest, REFERENCES))
    return examples


def objectives() -> list[Objective]:
    lengths = [3.0] * len(SEEDS)
    forests = [pair(seed).forest for seed in SEEDS]
    right = [forest.restrict(forest.kbest(5)[-1].tokens) for forest in forests]
    return [
        LinearRisk(bleu_set()),
        ExpectedBleu(bleu_set(), lengths),
        Likelihood(forests, [forest for forest in right if forest is not None]),
    ]


@settings(max_examples=30)
@given(st.sampled_from(objectives()), weights, st.floats(0.3, 2), temperatures)
def test_gradients_equal_central_differences(
    objective: Objective, w: Floats, scale: float, temperature: float
) -> None:
    def value(v: Floats, g: float) -> float:
        return objective.evaluate(v, scale=g, temperature=temperature).value

    slope = objective.evaluate(w, scale=scale, temperature=temperature)
    gradient = slope.gradient.dense()
    step = 1e-5
    for i in range(3):
        off = np.eye(3)[i] * step
        want = (value(w + off, scale) - value(w - off, scale)) / (2 * step)
        assert gradient[i] == pytest.approx(want, rel=1e-5, abs=1e-5)
    want = (value(w, scale + step) - value(w, scale - step)) / (2 * step)
    assert slope.scale_gradient == pytest.approx(want, rel=1e-5, abs=1e-5)


@given(small_pairs, weights)
def test_linear_risk_is_the_expected_gain_of_strings(case: Pair, w: Floats) -> None:
    forest = case.forest
    examples = RiskSet(forest.space, 5)
    examples.add(*with_bleu_counts(forest, REFERENCES))
    found = LinearRisk(examples).evaluate(w).value
    scores = []
    for tree in case.trees():
        features = case.toy.features(tree)
        scores.append(sum(x * features.get(n, 0.0) for x, n in zip(w, "fgh", strict=True)))
    z = sum(math.exp(s) for s in scores)
    want = -sum(
        math.exp(s) / z * linear_gain(case.toy.words(tree), REFERENCES, list(linear_bleu()))
        for s, tree in zip(scores, case.trees(), strict=True)
    )
    assert found == pytest.approx(want, rel=1e-6, abs=1e-6)


def test_expected_bleu_is_bleu_where_nothing_is_uncertain() -> None:
    counts = np.array([1000.0, 600.0, 300.0, 150.0, 80.0])
    totals = np.array([1000, 900, 800, 700])
    precision = np.prod(counts[1:] / totals) ** 0.25
    value, _ = expected_bleu(counts, 500.0, 100)
    assert value == pytest.approx(-500 * precision, rel=1e-6)  # long enough
    value, _ = expected_bleu(counts, 2000.0, 100)
    assert value == pytest.approx(-2000 * precision * math.exp(1 - 2), rel=1e-6)


def test_expected_bleu_survives_counts_of_nothing() -> None:
    for counts in ([0.0] * 5, [0.5, 0, 0, 0, 0], [1e6, 0, 0, 0, 0]):
        value, slope = expected_bleu(np.array(counts), 10.0, 3)
        assert math.isfinite(value)
        assert np.isfinite(slope).all()


def test_likelihood_is_of_the_right_derivations() -> None:
    case = pair(3)
    forest = case.forest
    tokens = forest.kbest(3)[-1].tokens
    right = forest.restrict(tokens)
    assert right is not None
    w = np.array([0.3, -0.2, 0.4])
    objective = Likelihood([forest], [right])
    total = wanted = 0.0
    for tree in case.trees():
        features = case.toy.features(tree)
        p = math.exp(sum(x * features.get(n, 0.0) for x, n in zip(w, "fgh", strict=True)))
        total += p
        wanted += p if case.toy.words(tree) == tuple(tokens) else 0.0
    assert objective.evaluate(w).value == pytest.approx(-math.log(wanted / total))


def test_a_part_is_seen_beside_the_others_as_they_were() -> None:
    examples = bleu_set()
    objective = ExpectedBleu(examples, [3.0] * len(SEEDS))
    w = np.array([0.3, -0.2, 0.4])
    whole = objective.evaluate(w)
    part = objective.evaluate(w, only=[1, 3])
    assert part.value == pytest.approx(whole.value)
    rest = objective.evaluate(w, only=[0, 2, 4])
    both = part.gradient + rest.gradient
    assert both.dense() == pytest.approx(whole.gradient.dense())
    fresh = ExpectedBleu(bleu_set(), [3.0] * len(SEEDS))
    assert fresh.evaluate(w, only=[1, 3]).value == pytest.approx(whole.value)


def test_gains_follow_the_corpus() -> None:
    row = [75, 40, 20, 10, 100, 90, 80, 70, 100, 100]
    gain, usual = estimated_gain([row])
    assert not usual
    precision = np.array([75 / 100, 40 / 90, 20 / 80, 10 / 70])
    ratio = (precision[1:] / precision[:-1]).mean()
    assert gain == pytest.approx(linear_bleu(0.75, ratio))
    # At exactly these precisions a corpus gains little: about 0.
    low, usual = estimated_gain([[10, 1, 0, 0, 100, 90, 80, 70, 100, 100]])
    assert usual
    assert low == linear_bleu()
    poor, usual = estimated_gain([[20, 18, 16, 15, 100, 90, 80, 70, 100, 100]])
    assert usual
    assert poor == linear_bleu()
    assert estimated_gain([[0] * 10]) == (linear_bleu(), True)


def test_nonsense_is_refused() -> None:
    examples = bleu_set()
    with pytest.raises(ArgumentError, match="2 gains for 5 counts"):
        LinearRisk(examples, [1.0, 2.0])
    with pytest.raises(ArgumentError, match="2 reference lengths for 5 forests"):
        ExpectedBleu(examples, [1.0, 2.0])
    with pytest.raises(ArgumentError, match="from 0 up"):
        ExpectedBleu(examples, [1.0, 2.0, 3.0, 4.0, math.nan])
    with pytest.raises(ArgumentError, match="needs 5 counts, not 1"):
        ExpectedBleu(RiskSet(examples.space), [])
    with pytest.raises(ArgumentError, match="1 forests and 0 of right"):
        Likelihood([pair(1).forest], [])
