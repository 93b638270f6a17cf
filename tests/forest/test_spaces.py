"""Forests that share a feature space, small, large or hashed: sums do not depend on its size."""

from __future__ import annotations

import math
import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from demotic.errors import ArgumentError
from demotic.features import FeatureSpace
from demotic.forest import Forest, ForestBuilder, risk
from tests.forest.toys import FEATURES, Pair, pair, small_pairs

WEIGHTS = {"f": 0.3, "g": -0.2, "h": 0.9}


def larger(seed: int, count: int = 50) -> FeatureSpace:
    """A space with the toys' features somewhere among others."""
    names = [*FEATURES, *(f"other{i}" for i in range(count))]
    random.Random(seed).shuffle(names)
    return FeatureSpace(names[:5], names[5:])


@given(small_pairs, st.integers(0, 100), st.sampled_from([0.0, 0.5]))
def test_the_size_of_the_space_does_not_change_a_bit(
    case: Pair, seed: int, temperature: float
) -> None:
    moved = case.forest.in_space(larger(seed))
    one, other = (risk([f], WEIGHTS, temperature=temperature) for f in (case.forest, moved))
    assert one.value == other.value
    assert other.gradient.named() == one.gradient.named()
    assert moved.rescore(WEIGHTS).score.tobytes() == case.forest.rescore(WEIGHTS).score.tobytes()
    assert moved.expected_features().named() == case.forest.expected_features().named()
    assert moved.viterbi().features == case.forest.viterbi().features


@given(small_pairs, st.integers(0, 100))
def test_sparse_sums_name_only_what_the_forest_has(case: Pair, seed: int) -> None:
    moved = case.forest.in_space(larger(seed))
    gradient = risk([moved], WEIGHTS).gradient
    assert set(gradient.named()) <= set(FEATURES)
    dense = gradient.dense()
    assert len(dense) == len(moved.space)
    assert dense[gradient.ids].tolist() == gradient.values.tolist()
    assert np.count_nonzero(dense) == np.count_nonzero(gradient.values)


@pytest.mark.parametrize("threads", [2, 3, 7])
def test_many_features_are_summed_alike_by_any_number_of_threads(threads: int) -> None:
    space = FeatureSpace([], [f"s{i}" for i in range(3000)])
    rng = random.Random(4)
    forests = [flat(space, [(rng.randrange(3000), rng.gauss(0, 1)) for _ in range(400)])]
    forests += [flat(space, [(rng.randrange(3000), 1.0) for _ in range(90)]) for _ in range(60)]
    w = np.linspace(-1, 1, 3000)
    one, many = risk(forests, w), risk(forests, w, threads=threads)
    assert one.value == many.value
    assert one.gradient.ids.tobytes() == many.gradient.ids.tobytes()
    assert one.gradient.values.tobytes() == many.gradient.values.tobytes()
    alone = np.zeros(3000)
    for forest in forests:
        risk([forest], w).gradient.add_to(alone)
    np.testing.assert_allclose(one.gradient.dense(), alone, atol=1e-12)


def flat(space: FeatureSpace, values: list[tuple[int, float]]) -> Forest:
    """One node with an edge for each value of a feature."""
    builder = ForestBuilder(space=space)
    root = builder.add_node("S", 0, 1)
    rule = builder.add_rule("S", [], ["w"])
    for number, (feature, value) in enumerate(values):
        named = {space.name(feature): value}
        builder.add_edge(root, [], rule, math.sin(number), math.cos(number), named)
    return builder.finalize(root)


@pytest.mark.parametrize("features", [1, 40, 5000, 100_000])
def test_sums_are_those_of_an_array_to_the_bit(features: int) -> None:
    """More terms than are kept before they are added up."""
    space = FeatureSpace([], [f"s{i}" for i in range(features)])
    rng = random.Random(features)
    values = [(rng.randrange(features), rng.gauss(0, 1)) for _ in range(30_000)]
    forest = flat(space, values)
    expected = np.zeros(features)
    for p, (feature, value) in zip(forest.posteriors().edge, values, strict=True):
        expected[feature] += p * np.float64(np.float32(value))
    found = forest.expected_features()
    assert found.ids.tolist() == sorted({feature for feature, _ in values})
    assert found.dense().tolist() == expected.tolist()


def test_hashed_features_that_collide_are_added() -> None:
    space = FeatureSpace(["g"], bits=1)
    builder = ForestBuilder(space=space, dense=["g"])
    root = builder.add_node("S", 0, 1)
    names = [f"s{i}" for i in range(6)]
    features = {"g": 2.0} | dict.fromkeys(names, 1.0)
    rule = builder.add_rule("S", [], ["w"], dict.fromkeys(names, 1.0))
    builder.add_edge(root, [], rule, features=features)
    forest = builder.finalize(root)
    places = [space.find(name) for name in names]
    expected = {space.name(place): 2.0 * places.count(place) for place in set(places)}  # type: ignore[arg-type]
    assert forest.expected_features().named() == {"g": 2.0} | expected
    assert forest.viterbi().features == {"g": 2.0} | expected
    loaded = Forest.from_json(forest.to_json())
    assert loaded.expected_features().named() == {"g": 2.0} | expected
    assert loaded.in_space(space).expected_features().named() == {"g": 2.0} | expected


def test_a_file_holds_dense_names_and_the_sparse_ones_that_are_used(tmp_path: Path) -> None:
    space = larger(3)
    forest = pair(5).forest.in_space(space)
    forest.save(tmp_path / "f.forest")
    loaded = Forest.load(tmp_path / "f.forest")
    used = [space.name(int(i)) for i in forest.expected_features().ids if i >= space.dense]
    assert loaded.features == [*(space.name(i) for i in range(space.dense)), *used]
    assert loaded.viterbi().features == forest.viterbi().features
    back = loaded.in_space(space)
    assert back.space is space
    one, two = (risk([f], WEIGHTS) for f in (forest, back))
    assert (one.value, one.gradient.named()) == (two.value, two.gradient.named())
    assert Forest.from_json(forest.to_json()).features == loaded.features


def test_what_is_made_of_forests_of_one_space_shares_it() -> None:
    space = larger(1)
    forests = [pair(seed).forest.in_space(space) for seed in range(4)]
    assert all(f.space is space for f in forests)
    first = forests[0]
    assert first.union(*forests[1:]).space is space
    assert first.prune(0.5).space is space
    assert first.refine(2).space is space
    words = first.viterbi().tokens
    right = first.restrict(words)
    assert right is not None
    assert right.space is space


def test_the_union_of_different_spaces_has_the_names_of_both() -> None:
    one = pair(1).forest.in_space(larger(1, 3))
    other = flat(FeatureSpace(["z"], ["y", "f"]), [(1, 2.0), (2, 3.0)])
    both = one.union(other)
    assert set(both.features) == {*one.features, "z", "y"}
    assert both.space.dense == 6
    assert both.log_z() == pytest.approx(np.logaddexp(one.log_z(), other.log_z()))
    hashed = [flat(FeatureSpace([], bits=bits), [(0, 1.0)]) for bits in (2, 3)]
    with pytest.raises(ArgumentError, match="2\\^2 and to 2\\^3 places"):
        hashed[0].union(hashed[1])


def test_a_feature_that_the_space_lacks_is_named() -> None:
    with pytest.raises(ArgumentError, match="'h' is not in the feature space"):
        pair(1).forest.in_space(FeatureSpace(["f", "g"]))
    builder = ForestBuilder(space=FeatureSpace(["f"]))
    with pytest.raises(ArgumentError, match="'q' is not in the feature space"):
        builder.add_rule("S", [], ["w"], {"q": 1.0})
    with pytest.raises(ArgumentError, match="either features or a space"):
        ForestBuilder(features=["f"], space=FeatureSpace(["f"]))


def test_equal_spaces_need_not_be_one_object() -> None:
    spaces = [FeatureSpace(["a"], ["b"]) for _ in range(2)]
    forests = [flat(space, [(0, 1.0), (1, 2.0)]) for space in spaces]
    assert risk(forests, {"a": 1.0}).gradient.space is spaces[0]


def test_weights_of_features_that_no_forest_has_are_not_looked_at() -> None:
    forest = flat(FeatureSpace(["a", "b", "c"]), [(0, 1.0), (2, 2.0)])
    assert risk([forest], [0.5, math.nan, 0.5]).value == risk([forest], [0.5, 0.0, 0.5]).value
    for bad in (math.nan, math.inf):
        with pytest.raises(ArgumentError, match="the weight of feature 'c' is not finite"):
            risk([forest], [0.5, 0.0, bad])


def test_many_rules_behind_few_edges_change_nothing() -> None:
    """A pruned forest keeps the rules of the whole one."""
    case = pair(11, nodes=8)
    best = case.forest.prune(0.0)
    assert len(best.core.rule_lhs) > best.edges
    small = Forest.from_json(best.to_json())
    assert len(small.core.rule_lhs) <= small.edges
    assert best.expected_features().dense() == pytest.approx(small.expected_features().dense())
    assert best.rescore(WEIGHTS).score.tobytes() == small.rescore(WEIGHTS).score.tobytes()
