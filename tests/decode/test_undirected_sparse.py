"""Sparse features of what stands beside a gap."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demotic.decode import UndirectedDecoder, UndirectedSearch
from demotic.errors import ArgumentError
from tests.decode.grammars import grammars, language_model, rule_table, sentences
from tests.decode.undirected import ALL_WEIGHTS, Sentence
from tests.oracles import cky
from tests.oracles.undirected import Choice, Problem, Tree

BITS = 10
RULES = [
    cky.Rule("X", ("A",), ("a",), -0.5),
    cky.Rule("X", ("A",), ("the",), -0.75),
    cky.Rule("X", ("B",), ("b",), -0.25),
    cky.Rule("X", ("[X]", "C"), (0, "of"), -0.5),
    cky.Rule("X", ("C", "[X]"), ("c", 0), -0.5),
]


def decoder(
    rules: list[cky.Rule], sparse: np.ndarray | None, *, order: int = 3, **options: object
) -> UndirectedDecoder:
    return UndirectedDecoder(
        rule_table(rules),
        language_model(order) if order else None,
        ALL_WEIGHTS,
        options=UndirectedSearch(sparse_bits=BITS, **options),  # type: ignore[arg-type]
        sparse=sparse,
    )


def features(problem: Problem, tree: Tree, choice: Choice) -> int:
    """How many fire: one for the rule there, one for each junction of two words."""
    if choice.at is None:
        return 0
    before = problem.symbols(tree)
    edge = problem.edges[choice.edge]
    own = ["<s>", 0, "</s>"] if edge.head == problem.goal else list(edge.target)
    count = 1
    if choice.at == -1:
        place = own.index(choice.child)
        inner = before[1:-1]
        count += place > 0 and isinstance(own[place - 1], str) and inner[:1] not in ([], [None])
        last = place + 1 < len(own) and isinstance(own[place + 1], str)
        count += last and inner[-1:] not in ([], [None])
    else:
        place = _place(problem, tree, choice.at)
        count += before[place - 1] is not None and isinstance(own[0] if own else 0, str)
        count += before[place + 1] is not None and isinstance(own[-1] if own else 0, str)
    return count


def _place(problem: Problem, tree: Tree, node: int) -> int:
    """Where in the symbols of the tree the gap of a node stands."""
    gaps = [i for i, symbol in enumerate(problem.symbols(tree)) if symbol is None]
    order: list[int] = []

    def visit(at: int) -> None:
        edges = {problem.edges[e].head: e for e in tree.edges}
        if at not in edges:
            order.append(at)
            return
        edge = problem.edges[edges[at]]
        for symbol in edge.target:
            if not isinstance(symbol, str):
                visit(edge.tails[symbol])

    visit(problem.edges[tree.top].head)
    inner = gaps if problem.edges[tree.top].head == problem.goal else gaps[1:-1]
    return inner[order.index(node)]


@settings(max_examples=60, deadline=None)
@given(rules=grammars, tokens=sentences, order=st.integers(2, 4))
def test_features_fire_for_the_rule_there_and_for_words_that_come_side_by_side(
    rules: list[cky.Rule], tokens: list[str], order: int
) -> None:
    at = Sentence(rules, tokens, order=order, sparse_bits=BITS)
    found = at.decoder.decode(tokens)
    rollout = at.decoder.episode(tokens).decode(at.array)
    expected = sum(
        features(at.problem, tree, choice)
        for tree, choice in zip(at.states(found), at.choices(found), strict=False)
    )
    assert rollout.sparse_values.sum() == expected
    assert rollout.sparse_ids.tolist() == sorted(set(rollout.sparse_ids.tolist()))
    assert all(0 <= number < 2**BITS for number in rollout.sparse_ids)


@settings(max_examples=60, deadline=None)
@given(rules=grammars, tokens=sentences, order=st.integers(0, 4), seed=st.integers(0, 1000))
def test_lazy_and_eager_argmax_agree_with_sparse_weights(
    rules: list[cky.Rule], tokens: list[str], order: int, seed: int
) -> None:
    sparse = np.random.default_rng(seed).normal(size=2**BITS)
    lazy = decoder(rules, sparse, order=order, kappa=0.5)
    eager = decoder(rules, sparse, order=order, kappa=0.5, argmax="eager")
    assert lazy.decode(tokens).actions == eager.decode(tokens).actions


@settings(max_examples=40, deadline=None)
@given(rules=grammars, tokens=sentences, seed=st.integers(0, 1000))
def test_scores_of_actions_hold_the_weights_of_their_sparse_features(
    rules: list[cky.Rule], tokens: list[str], seed: int
) -> None:
    sparse = np.random.default_rng(seed).normal(size=2**BITS)
    search = decoder(rules, sparse)
    found = search.decode(tokens)
    weights = np.array(list(search.weights.values()))
    rollout = search.episode(tokens).decode(weights, sparse=sparse)
    assert rollout.tokens == found.tokens
    total = weights @ rollout.features + sparse[rollout.sparse_ids] @ rollout.sparse_values
    assert sum(action.score for action in found.actions) == pytest.approx(total, abs=1e-6)


@settings(max_examples=30, deadline=None)
@given(rules=grammars, tokens=sentences, order=st.integers(0, 3))
def test_weights_of_zero_change_nothing(
    rules: list[cky.Rule], tokens: list[str], order: int
) -> None:
    plain = Sentence(rules, tokens, order=order).decoder.decode(tokens)
    for sparse in (None, np.zeros(2**BITS)):
        assert decoder(rules, sparse, order=order).decode(tokens).actions == plain.actions


def test_a_large_weight_decides() -> None:
    tokens = ["A", "C"]
    search = decoder(RULES, np.zeros(2**BITS))
    weights = np.array(list(search.weights.values()))
    actions = search.decode(tokens).actions
    state = next(i for i, action in enumerate(actions) if i > 0 and action.choices > 1)
    sample = search.episode(tokens).alternative(weights, state, 1)
    assert sample.alternative.tokens != sample.taken.tokens
    only = set(sample.alternative.sparse_ids) - set(sample.taken.sparse_ids)
    assert only
    sparse = np.zeros(2**BITS)
    sparse[sorted(only)] = 50.0
    changed = search.with_weights(ALL_WEIGHTS, sparse=sparse)
    assert changed.decode(tokens).tokens != search.decode(tokens).tokens
    assert changed.with_weights(ALL_WEIGHTS).decode(tokens).tokens == changed.decode(tokens).tokens


def test_wrong_numbers_of_sparse_weights_are_refused() -> None:
    search = decoder(RULES, None)
    assert search.sparse_features == 2**BITS
    assert Sentence(RULES, ["A"]).decoder.sparse_features == 0
    weights = list(search.weights.values())
    with pytest.raises(ArgumentError, match="sparse features"):
        search.episode("A").decode(weights, sparse=np.zeros(3))
    with pytest.raises(ArgumentError, match="sparse features"):
        decoder(RULES, np.zeros(2 ** (BITS + 1)))
    with pytest.raises(ArgumentError, match="no number"):
        decoder(RULES, np.full(2**BITS, np.nan))
    with pytest.raises(ArgumentError, match="sparse_bits"):
        Sentence(RULES, ["A"], sparse_bits=40)
