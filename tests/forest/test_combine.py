"""Union and restriction to a string."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demotic.forest import Forest, ForestBuilder
from tests.forest.toys import Pair, pair, small_pairs


def listed(forest: Forest) -> Counter[tuple[object, ...]]:
    return Counter(
        (d.tokens, round(d.score, 9), round(d.loss, 5), tuple(sorted(d.features.items())))
        for d in forest.kbest(5000)
    )


@given(small_pairs, small_pairs, small_pairs)
def test_union_has_the_derivations_of_all(one: Pair, two: Pair, three: Pair) -> None:
    union = one.forest.union(two.forest, three.forest)
    assert listed(union) == listed(one.forest) + listed(two.forest) + listed(three.forest)
    assert union.count() == sum(c.forest.count() for c in (one, two, three))


@given(small_pairs)
def test_union_with_a_rescored_self_shares_the_rules(case: Pair) -> None:
    other = case.forest.with_score(case.forest.score - 1.0)
    union = case.forest.union(other)
    assert len(union.core.rule_lhs) == len(case.forest.core.rule_lhs)
    assert listed(union) == listed(case.forest) + listed(other)


def test_union_matches_names_and_makes_differing_dense_features_sparse() -> None:
    builder = ForestBuilder(features=["z", "h"], dense=["z", "h"])
    root = builder.add_node("Q", 0, 2)
    rule = builder.add_rule("Q", ["zz"], ["c", "zz"], {"h": 1.0})
    builder.add_edge(root, [], rule, -3.0, 2.0, {"z": 4.0, "h": 0.5})
    other = builder.finalize(root)
    first = pair(2).forest
    union = first.union(other)
    assert union.features == ["f", "g", "h", "z"]
    assert listed(union) == listed(first) + listed(other)


@given(small_pairs)
def test_union_keeps_contexts_of_equal_width(case: Pair) -> None:
    refined = case.forest.refine(2)
    union = refined.union(refined)
    assert union.expected_ngrams(3) == pytest.approx(refined.expected_ngrams(3), abs=1e-9)


@given(small_pairs, st.integers(0, 1000))
def test_restriction_has_exactly_the_derivations_of_the_string(case: Pair, choice: int) -> None:
    strings = sorted({case.toy.words(tree) for tree in case.trees()})
    words = strings[choice % len(strings)]
    part = case.forest.restrict(words)
    assert part is not None
    expected = Counter(
        tuple(tree.edges()) for tree in case.trees() if case.toy.words(tree) == words
    )
    assert Counter(Pair(case.toy, part).toy_edges(d) for d in part.kbest(1000)) == expected


@given(small_pairs, st.lists(st.sampled_from("abcz"), max_size=6).map(tuple))
def test_a_string_out_of_reach_gives_none(case: Pair, words: tuple[str, ...]) -> None:
    reachable = words in {case.toy.words(tree) for tree in case.trees()}
    assert (case.forest.restrict(words) is not None) == reachable
