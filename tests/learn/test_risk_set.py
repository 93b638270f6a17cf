"""Expected counts and their slopes, against enumeration and central differences."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demotic.errors import ArgumentError
from demotic.features import FeatureSpace
from demotic.forest import Forest, ForestBuilder, risk
from demotic.learn.risk_set import RiskSet, with_bleu_counts
from tests.forest.toys import FEATURES, Pair, pair, small_pairs

weights = st.lists(st.floats(-1, 1), min_size=3, max_size=3)
REFERENCES = [("a", "b", "a"), ("c", "a", "b", "b")]


def counted(forest: Forest, columns: int, seed: int) -> np.ndarray:
    rng = random.Random(seed)
    values = [rng.randint(-4, 4) / 2 for _ in range(forest.edges * columns)]
    return np.array(values, dtype=np.float32).reshape(forest.edges, columns)


def single(forest: Forest, counts: np.ndarray) -> RiskSet:
    examples = RiskSet(forest.space, counts.shape[1])
    examples.add(forest, counts)
    return examples


def derivations(case: Pair, w: list[float], scale: float) -> list[tuple[float, list[int]]]:
    """Probabilities and the edges, by their numbers in the forest."""
    number = {toy: edge for edge, toy in enumerate(case.edge_of)}
    scores, edges = [], []
    for tree in case.trees():
        found = case.toy.features(tree)
        scores.append(scale * sum(x * found.get(n, 0.0) for x, n in zip(w, FEATURES, strict=True)))
        edges.append([number[e] for e in tree.edges()])
    z = sum(math.exp(s) for s in scores)
    return [(math.exp(s) / z, path) for s, path in zip(scores, edges, strict=True)]


@given(small_pairs, weights, st.floats(0.1, 2), st.integers(0, 99))
def test_expected_counts_equal_enumeration(
    case: Pair, w: list[float], scale: float, seed: int
) -> None:
    counts = counted(case.forest, 3, seed)
    examples = single(case.forest, counts)
    now = examples.expect(w, scale=scale)
    want = sum(p * counts[path].sum(axis=0, dtype=float) for p, path in derivations(case, w, scale))
    assert now.counts == pytest.approx(want, rel=1e-9, abs=1e-8)
    assert now.each[0] == pytest.approx(now.counts)
    scaled = [scale * x for x in w]
    assert now.log_z == pytest.approx(case.forest.rescore(scaled).log_z(), abs=1e-9)
    expected = case.forest.rescore(scaled).expected_features()
    found = examples.expected_features()
    assert found.dense() == pytest.approx(expected.dense(), abs=1e-8)


@settings(max_examples=60)
@given(
    small_pairs, weights, st.floats(0.3, 2), st.sampled_from([0.0, 0.3, 2.0]), st.integers(0, 99)
)
def test_slopes_equal_central_differences(
    case: Pair, w: list[float], scale: float, temperature: float, seed: int
) -> None:
    examples = single(case.forest, counted(case.forest, 2, seed))
    gain = [0.5, -1.25]

    def value(v: list[float], g: float) -> float:
        examples.expect(v, scale=g)
        return examples.slope(gain, temperature=temperature).value

    step = 1e-5
    examples.expect(w, scale=scale)
    slope = examples.slope(gain, temperature=temperature)
    gradient = slope.gradient.dense()
    for i in range(3):
        up, down = list(w), list(w)
        up[i] += step
        down[i] -= step
        want = (value(up, scale) - value(down, scale)) / (2 * step)
        assert gradient[i] == pytest.approx(want, rel=1e-6, abs=1e-6)
    want = (value(w, scale + step) - value(w, scale - step)) / (2 * step)
    assert slope.scale_gradient == pytest.approx(want, rel=1e-6, abs=1e-6)


@given(small_pairs, weights, st.sampled_from([0.0, 0.7]))
def test_the_loss_as_a_column_is_risk(case: Pair, w: list[float], temperature: float) -> None:
    examples = RiskSet(case.forest.space)
    examples.add(case.forest)
    examples.expect(w)
    slope = examples.slope([1.0], temperature=temperature)
    want = risk([case.forest], w, temperature=temperature)
    assert slope.value == pytest.approx(want.value, rel=1e-12, abs=1e-12)
    assert slope.gradient.dense() == pytest.approx(want.gradient.dense(), rel=1e-12, abs=1e-12)


@given(small_pairs)
def test_bleu_counts_of_edges_sum_to_those_of_strings(case: Pair) -> None:
    forest, counts = with_bleu_counts(case.forest, REFERENCES)
    assert forest.count() == case.forest.count()
    known = {r[i : i + n] for r in REFERENCES for n in range(1, 5) for i in range(len(r) - n + 1)}
    for derivation in forest.kbest(20):
        words = tuple(derivation.tokens)
        grams = [words[i : i + n] for n in range(1, 5) for i in range(len(words) - n + 1)]
        want = [len(words), *(sum(len(g) == n and g in known for g in grams) for n in range(1, 5))]
        assert counts[derivation.edges].sum(axis=0).tolist() == want


def many() -> RiskSet:
    cases = [pair(seed).forest for seed in range(40)]
    examples = RiskSet(cases[0].space, 2)
    for seed, forest in enumerate(cases):
        examples.add(forest.in_space(cases[0].space), counted(forest, 2, seed))
    return examples


@pytest.mark.parametrize("threads", [2, 3, 7])
def test_the_number_of_threads_does_not_change_a_bit(threads: int) -> None:
    results = []
    for number in (1, threads):
        examples = many()
        now = examples.expect([0.3, -0.2, 0.9], threads=number)
        slope = examples.slope([1.0, 0.5], temperature=0.5, threads=number)
        features = examples.expected_features(threads=number)
        results.append(
            (now.log_z, now.counts.tobytes(), slope.value, slope.scale_gradient,
             slope.gradient.values.tobytes(), features.values.tobytes())
        )  # fmt: skip
    assert results[0] == results[1]


def test_a_part_of_the_forests() -> None:
    examples = many()
    w = [0.3, -0.2, 0.9]
    whole = examples.expect(w)
    total = examples.slope([1.0, 0.5]).gradient.dense()
    parts = []
    for only in (list(range(10)), list(range(10, 40))):
        part = examples.expect(w, only=only)
        assert part.each == pytest.approx(whole.each[only])
        parts.append(examples.slope([1.0, 0.5]).gradient.dense())
    assert sum(parts) == pytest.approx(total)
    assert len(examples) == 40
    assert examples.features().tolist() == [0, 1, 2]
    support = examples.support(np.array([0, 2], np.uint32))
    assert support.min() > 0
    assert support.max() <= 40
    twice = examples.support(np.array([0, 2], np.uint32), [*range(20), *range(20)])
    assert twice.max() <= 20
    assert (twice <= support).all()
    assert examples.support(np.array([1, 7], np.uint32), [5] * 40).tolist() == [1, 0]


def test_features_are_those_of_rules_in_use() -> None:
    space = FeatureSpace(["dense"], ["used", "unused", "own"])
    builder = ForestBuilder(space=space)
    root = builder.add_node("S", 0, 1)
    builder.add_rule("S", [], ["w"], {"unused": 1.0})
    rule = builder.add_rule("S", [], ["w"], {"used": 1.0})
    builder.add_edge(root, [], rule, features={"own": 2.0})
    examples = RiskSet(space)
    examples.add(builder.finalize(root))
    assert [space.name(i) for i in examples.features().tolist()] == ["used", "own"]


def test_nonsense_is_refused() -> None:
    forest = pair(1).forest
    examples = RiskSet(forest.space, 2)
    with pytest.raises(ArgumentError, match="at least one column"):
        RiskSet(forest.space, 0)
    with pytest.raises(ArgumentError, match="2 counts each"):
        examples.add(forest, np.zeros((forest.edges, 3), np.float32))
    bad = np.zeros((forest.edges, 2), np.float32)
    bad[-1, 1] = math.nan
    with pytest.raises(ArgumentError, match=f"count of edge {forest.edges - 1} is not finite"):
        examples.add(forest, bad)
    examples.add(forest, np.zeros((forest.edges, 2), np.float32))
    with pytest.raises(ArgumentError, match="expect counts first"):
        examples.slope([1.0, 1.0])
    with pytest.raises(ArgumentError, match="expect counts first"):
        examples.expected_features()
    with pytest.raises(ArgumentError, match="2 weights for 3 features"):
        examples.expect([0.0, 0.0])
    with pytest.raises(ArgumentError, match="feature 'g'"):
        examples.expect([0.0, math.inf, 0.0])
    with pytest.raises(ArgumentError, match="expect counts first"):
        examples.slope([1.0, 1.0])  # what failed left nothing
    with pytest.raises(ArgumentError, match="scale must be a positive number"):
        examples.expect([0.0] * 3, scale=0)
    with pytest.raises(ArgumentError, match="no forest 7"):
        examples.expect([0.0] * 3, only=[7])
    with pytest.raises(ArgumentError, match="forest 0 is chosen twice"):
        examples.expect([0.0] * 3, only=[0, 0])
    examples.expect([0.0] * 3)
    with pytest.raises(ArgumentError, match="1 gains for 2 counts"):
        examples.slope([1.0])
    with pytest.raises(ArgumentError, match="gain is not finite"):
        examples.slope([1.0, math.inf])
    with pytest.raises(ArgumentError, match="temperature must be finite"):
        examples.slope([1.0, 1.0], temperature=math.nan)
    with pytest.raises(ArgumentError, match="a group for each forest"):
        examples.support(np.array([0], np.uint32), [1, 2, 3])
    other = ForestBuilder(features=["z"])
    root = other.add_node("S", 0, 1)
    other.add_edge(root, [], other.add_rule("S", [], ["w"]))
    with pytest.raises(ArgumentError, match="names other features"):
        examples.add(other.finalize(root), np.zeros((1, 2), np.float32))
    with pytest.raises(ArgumentError, match="at least one word"):
        forest.bleu_counts(REFERENCES, 0)
    with pytest.raises(ArgumentError, match="no reference"):
        forest.refine(3).bleu_counts([])


@given(small_pairs, weights, st.sampled_from([0.0, 0.7]))
def test_a_forest_that_counts_twice_is_there_twice(
    case: Pair, w: list[float], temperature: float
) -> None:
    other = pair(3).forest.in_space(case.forest.space)
    mine, others = counted(case.forest, 2, 1), counted(other, 2, 2)
    twice, heavy = RiskSet(case.forest.space, 2), RiskSet(case.forest.space, 2)
    for forest, counts in ((case.forest, mine), (case.forest, mine), (other, others)):
        twice.add(forest, counts)
    heavy.add(case.forest, mine, weight=2.0)
    heavy.add(other, others)
    heavy.add(pair(4).forest.in_space(case.forest.space), counted(pair(4).forest, 2, 3), weight=0.0)
    assert (twice.weight, heavy.weight) == (3.0, 3.0)
    one, same = twice.expect(w), heavy.expect(w)
    assert same.counts == pytest.approx(one.counts, abs=1e-9)
    assert same.log_z == pytest.approx(one.log_z, abs=1e-9)
    assert same.each[0] == pytest.approx(2 * one.each[0], abs=1e-9)
    for made in (
        lambda examples: examples.slope([0.5, -1.25], temperature=temperature).gradient,
        lambda examples: examples.expected_features(),
    ):
        assert made(heavy).dense() == pytest.approx(made(twice).dense(), abs=1e-9)
    slopes = [e.slope([0.5, -1.25], temperature=temperature) for e in (twice, heavy)]
    assert slopes[1].value == pytest.approx(slopes[0].value, abs=1e-9)
    assert slopes[1].scale_gradient == pytest.approx(slopes[0].scale_gradient, abs=1e-9)


def test_features_that_are_all_zero_are_fine() -> None:
    """Nothing can be learned then: all derivations stay equally probable."""
    space = FeatureSpace(FEATURES)
    builder = ForestBuilder(space=space)
    root = builder.add_node("S", 0, 1)
    for word, loss in (("a", 1.0), ("b", 3.0)):
        rule = builder.add_rule("S", ["s"], [word], {})
        builder.add_edge(root, [], rule, features={}, loss=loss)
    examples = RiskSet(space)
    examples.add(builder.finalize(root))
    now = examples.expect([1.0, -2.0, 3.0])
    assert now.counts.tolist() == [2.0]
    assert now.log_z == pytest.approx(math.log(2))
    slope = examples.slope([1.0], temperature=0.5)
    assert slope.gradient.dense().tolist() == [0.0, 0.0, 0.0]
    assert slope.scale_gradient == 0.0


def test_weights_that_are_none_are_refused() -> None:
    forest = pair(1).forest
    for weight in (-1.0, math.nan, math.inf):
        with pytest.raises(ArgumentError, match="its weight is no number from 0 up"):
            RiskSet(forest.space).add(forest, weight=weight)
