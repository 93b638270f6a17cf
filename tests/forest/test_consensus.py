"""Consensus in forests agrees with comparing all of their strings with each other."""

from __future__ import annotations

import random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from demotic.errors import ArgumentError
from demotic.forest import ForestBuilder, consensus, linear_bleu
from tests.forest.toys import Pair, built, pair, small_pairs
from tests.oracles.consensus import linear_gains, weights_for
from tests.oracles.forest import linear_gain, random_toy

WEIGHTS = linear_bleu(0.7, 0.6)
scales = st.sampled_from([0.0, 0.3, 1.0, 4.0])
orders = st.integers(1, 4)


def best_scores(case: Pair) -> dict[tuple[str, ...], float]:
    """Of each string the best score of its derivations."""
    found: dict[tuple[str, ...], float] = {}
    for tree in case.trees():
        words = case.toy.words(tree)
        found[words] = max(found.get(words, -1e9), case.toy.score(tree))
    return found


@given(small_pairs, scales, orders, st.sampled_from([0.0, 0.7]))
def test_gains_equal_enumeration(case: Pair, scale: float, order: int, model: float) -> None:
    weights = WEIGHTS[: order + 1]
    expected = linear_gains(case.toy, weights, scale, model)
    [found] = consensus([case.forest], 1000, scale=scale, weights=weights, model=model)
    assert {each.tokens: gain for each, gain in found.best} == pytest.approx(expected, abs=1e-9)
    gains = [gain for _, gain in found.best]
    assert gains == pytest.approx(sorted(gains, reverse=True), abs=1e-6)
    [only] = consensus([case.forest], scale=scale, weights=weights, model=model)
    assert [gain for _, gain in only.best] == pytest.approx([max(expected.values())], abs=1e-6)


@given(small_pairs, scales)
def test_each_string_has_its_best_derivation(case: Pair, scale: float) -> None:
    [found] = consensus([case.forest], 1000, scale=scale, weights=WEIGHTS)
    scores = {each.tokens: each.score for each, _ in found.best}
    assert scores == pytest.approx(best_scores(case), abs=1e-9)
    own, gain = found.own
    assert own.score == pytest.approx(case.forest.viterbi().score)
    assert gain == pytest.approx(linear_gains(case.toy, WEIGHTS, scale)[own.tokens], abs=1e-9)


@given(small_pairs)
def test_a_large_scale_compares_with_the_best_alone(case: Pair) -> None:
    ranked = sorted((case.toy.score(tree) for tree in case.trees()), reverse=True)
    assume(len(ranked) < 2 or ranked[0] - ranked[1] > 1e-3)
    [found] = consensus([case.forest], scale=1e6, weights=WEIGHTS)
    best = case.forest.viterbi().tokens
    weights = weights_for(len(best), WEIGHTS)
    most = max(linear_gain(words, [best], weights) for words in best_scores(case))
    assert found.best[0][1] == pytest.approx(most)
    [own] = consensus([case.forest], scale=1e6, weights=WEIGHTS, model=1.0)
    assert own.best[0][0].tokens == best


@given(st.integers(0, 2**32))
def test_a_large_scale_gives_the_best_where_no_string_repeats_a_word(seed: int) -> None:
    toy = random_toy(random.Random(seed), nodes=4, arity=2, most=60, words="abcdefghijklmnopqrstuv")
    case = Pair(toy, built(toy))
    assume(all(len({*words}) == len(words) for words in best_scores(case)))
    ranked = sorted((toy.score(tree) for tree in case.trees()), reverse=True)
    assume(len(ranked) < 2 or ranked[0] - ranked[1] > 1e-3)
    [found] = consensus([case.forest], scale=1e6, weights=WEIGHTS)
    assert found.best[0][0].tokens == case.forest.viterbi().tokens


@given(small_pairs, st.integers(1, 4))
def test_pruning_leaves_derivations_of_the_forest(case: Pair, density: int) -> None:
    [found] = consensus([case.forest], 1000, weights=WEIGHTS, density=density)
    known = {tuple(tree.edges()) for tree in case.trees()}
    assert {case.toy_edges(each) for each, _ in [found.own, *found.best]} <= known
    assert found.own[0].score == pytest.approx(case.forest.viterbi().score)
    pruned = case.forest.prune(max_edges=density)
    assert {each.tokens for each, _ in found.best} == {each.tokens for each in pruned.kbest(1000)}


def test_a_forest_of_one_derivation_gives_it() -> None:
    builder = ForestBuilder()
    node = builder.add_node("X", 0, 2)
    builder.add_edge(node, [], builder.add_rule("X", [], ["a", "b"]), -1.5)
    forest = builder.finalize(node)
    [found] = consensus([forest], 3, weights=WEIGHTS)
    assert [each.text for each, _ in found.best] == ["a b"]
    _, one, two, *_ = weights_for(2, WEIGHTS)
    assert found.best[0][1] == pytest.approx(2 * WEIGHTS[0] + 2 * one + two)


def test_a_word_that_all_agree_on_is_not_left_out() -> None:
    builder = ForestBuilder()
    node = builder.add_node("X", 0, 1)
    for text, score in (("yes", 0.0), ("", -3.0)):
        builder.add_edge(node, [], builder.add_rule("X", [], text.split()), score)
    [found] = consensus([builder.finalize(node)], weights=WEIGHTS)
    assert found.best[0][0].text == "yes"


def test_the_crowd_outvotes_the_best() -> None:
    builder = ForestBuilder()
    node = builder.add_node("X", 0, 3)
    for text, score in (("x y z", 0.0), ("a b c", -0.1), ("a b d", -0.1), ("e b c", -0.1)):
        builder.add_edge(node, [], builder.add_rule("X", [], text.split()), score)
    [found] = consensus([builder.finalize(node)], weights=WEIGHTS)
    assert found.own[0].text == "x y z"
    assert found.best[0][0].text == "a b c"


def test_threads_do_not_show() -> None:
    forests = [pair(seed).forest for seed in range(20)]
    one, three = (consensus(forests, 5, weights=WEIGHTS, threads=n) for n in (1, 3))
    for a, b in zip(one, three, strict=True):
        assert [gain for _, gain in a.best] == [gain for _, gain in b.best]
        assert [[*each.edges] for each, _ in a.best] == [[*each.edges] for each, _ in b.best]


@pytest.mark.parametrize(
    ("k", "settings"),
    [
        (0, {}),
        (1, {"scale": -1.0}),
        (1, {"scale": float("nan")}),
        (1, {"model": -1.0}),
        (1, {"weights": (1.0,)}),
        (1, {"weights": (1.0, float("inf"))}),
    ],
)
def test_nonsense_is_refused(k: int, settings: dict[str, object]) -> None:
    with pytest.raises(ArgumentError):
        consensus([pair(1).forest], k, **{"weights": WEIGHTS, **settings})  # type: ignore[arg-type]
