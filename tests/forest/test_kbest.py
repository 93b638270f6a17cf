"""K-best lists equal sorted enumeration."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demotic.errors import ArgumentError
from demotic.forest import ForestBuilder, kbest
from tests.forest.toys import Pair, pair, pairs


@given(pairs, st.integers(1, 400))
def test_kbest_equals_sorted_enumeration(case: Pair, k: int) -> None:
    best = case.forest.kbest(k)
    scores = sorted((case.toy.score(tree) for tree in case.trees()), reverse=True)
    assert [d.score for d in best] == pytest.approx(scores[:k], abs=1e-9)
    assert len({case.toy_edges(d) for d in best}) == len(best)
    for d in best:
        assert d.score == pytest.approx(d.total(case.forest.score), abs=1e-9)


@given(pairs)
def test_k_beyond_the_size_returns_every_derivation(case: Pair) -> None:
    every = {tuple(tree.edges()) for tree in case.trees()}
    assert {case.toy_edges(d) for d in case.forest.kbest(len(every) + 10)} == every


@pytest.mark.parametrize("k", [2**31, 2**63 - 20, 2**64 - 1])
def test_more_than_anybody_can_want_is_everything(k: int) -> None:
    case = pair(3)
    assert len(case.forest.kbest(k)) == len(list(case.trees()))


@given(pairs, st.integers(1, 100))
def test_unique_kbest_equals_the_best_of_each_string(case: Pair, k: int) -> None:
    best: dict[tuple[str, ...], float] = {}
    for tree in case.trees():
        words = case.toy.words(tree)
        best[words] = max(best.get(words, -1e300), case.toy.score(tree))
    expected = sorted(best.values(), reverse=True)[:k]
    found = case.forest.kbest(k, unique=True)
    assert [d.score for d in found] == pytest.approx(expected, abs=1e-9)
    assert len({d.tokens for d in found}) == len(found)
    for d in found:
        assert d.score == pytest.approx(best[d.tokens], abs=1e-9)


@given(pairs)
def test_the_first_is_viterbi(case: Pair) -> None:
    best = max(case.toy.score(tree) for tree in case.trees())
    viterbi = case.forest.viterbi()
    assert viterbi.score == pytest.approx(best, abs=1e-9)
    assert case.forest.kbest(1)[0].edges.tolist() == viterbi.edges.tolist()
    assert case.forest.kbest(1, unique=True)[0].edges.tolist() == viterbi.edges.tolist()


@given(pairs)
def test_equal_scores_lose_nothing(case: Pair) -> None:
    level = case.forest.with_score([0.0] * case.forest.edges)
    assert len({tuple(d.edges) for d in level.kbest(1000)}) == len(case.trees())
    strings = {case.toy.words(tree) for tree in case.trees()}
    assert {d.tokens for d in level.kbest(1000, unique=True)} == strings


def test_a_cap_on_candidates_is_reported() -> None:
    # 12 binary choices that all spell the same string: 4096 derivations, one string.
    builder = ForestBuilder()
    same = [builder.add_rule("X", [], ["w"]) for _ in range(2)]
    join = builder.add_rule("S", [], list(range(12)))
    parts = [builder.add_node("X", i, i + 1) for i in range(12)]
    for part in parts:
        builder.add_edge(part, [], same[0], -1.0)
        builder.add_edge(part, [], same[1], -2.0)
    root = builder.add_node("S", 0, 12)
    builder.add_edge(root, parts, join)
    forest = builder.finalize(root)
    exact = kbest([forest], 5, unique=True)[0]
    assert len(exact.derivations) == 1
    assert not exact.truncated
    plain = builder.add_node("T", 0, 12)
    for number in range(20):
        builder.add_edge(plain, [], builder.add_rule("T", [], ["w"]), -float(number))
    capped = kbest([builder.finalize(plain)], 5, unique=True, max_pops=10)[0]
    assert len(capped.derivations) == 1
    assert capped.truncated


def test_nonsense_is_refused() -> None:
    forest = pair(1).forest
    with pytest.raises(ArgumentError, match="k must be at least 1"):
        forest.kbest(0)
