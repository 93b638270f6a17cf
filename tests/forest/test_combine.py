"""Union and restriction to a string."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demotic.decode import HieroDecoder, HieroSearch
from demotic.errors import ArgumentError
from demotic.forest import Forest, ForestBuilder
from tests.decode.grammars import WEIGHTS, grammars, language_model, rule_table, sentences
from tests.forest.toys import Pair, pair, small_pairs
from tests.oracles.cky import Rule


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


@given(grammars, sentences)
def test_merging_has_each_derivation_of_decoders_forests_once(
    rules: list[Rule], sentence: list[str]
) -> None:
    """Forests of several searches, refined by what the language model looks back."""
    rules = [*{(rule.source, rule.target): rule for rule in rules}.values()]
    table, lm = rule_table(rules), language_model(3)
    forests = []
    for pops, penalty in ((1, 0.3), (3, -2.0), (3, 2.0)):
        weights = WEIGHTS | {"WordPenalty": penalty}
        decoder = HieroDecoder(table, lm, weights, options=HieroSearch(pops=pops))
        forests.append(decoder.forest(sentence).rescore(WEIGHTS).refine(2))
    merged = forests[0].merge(*forests[1:], forests[1])
    found = Counter(d.tree() for d in merged.kbest(5000))
    assert set(found.values()) == {1}
    for forest in forests:
        assert {d.tree() for d in forest.kbest(500)} <= found.keys()


def test_merged_forests_have_what_they_share_once() -> None:
    def made(left: str, right: str, *, shared: str = "c") -> Forest:
        builder = ForestBuilder(features=["f"])
        nodes = [builder.add_node("X", i, i + 1) for i in range(3)]
        root = builder.add_node("S", 0, 3)
        for node, word in zip(nodes, (left, right, shared), strict=True):
            builder.add_edge(node, [], builder.add_rule("X", ["s"], [word], {"f": 1.0}))
        builder.add_edge(root, nodes, builder.add_rule("S", [0, 1, 2], [0, 1, 2]))
        return builder.finalize(root).refine(1)

    merged = made("a", "b").merge(made("a", "b"), made("d", "b"), made("a", "e"))
    assert sorted(d.text for d in merged.kbest(100)) == ["a b c", "a e c", "d b c"]


def test_rules_of_equal_sides_with_other_features_stay_two() -> None:
    builder = ForestBuilder(features=["f"])
    root = builder.add_node("S", 0, 1)
    for value in (1.0, 1.0, 2.0):
        builder.add_edge(root, [], builder.add_rule("S", ["s"], ["t"], {"f": value}))
    merged = builder.finalize(root).refine(1).merge()
    assert sorted(d.features["f"] for d in merged.kbest(9)) == [1.0, 2.0]


def test_forests_without_boundary_words_are_not_merged() -> None:
    forest = pair(2).forest
    with pytest.raises(ArgumentError, match="refine"):
        forest.merge(forest)
