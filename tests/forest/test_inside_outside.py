"""Sums over derivations in every semiring equal what enumeration gives."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from demotic.errors import ArgumentError
from demotic.forest import Forest
from tests.forest.toys import Pair, pair, pairs, small_pairs


def edge_weight(case: Pair, edges: list[int]) -> float:
    return math.exp(sum(case.toy.edges[e].score for e in edges))


def node_of(case: Pair) -> dict[int, int]:
    """The toy's number of each node of the forest."""
    return {
        int(h): case.toy.edges[e].head for h, e in zip(case.forest.head, case.edge_of, strict=True)
    }


@given(pairs)
def test_inside_equals_enumeration(case: Pair) -> None:
    forest, toy = case.forest, case.toy
    trees = {v: toy.trees(u) for v, u in node_of(case).items()}
    nodes = range(forest.nodes)
    scores = [[toy.score(tree) for tree in trees[v]] for v in nodes]
    assert forest.inside("boolean").tolist() == [1.0] * forest.nodes
    assert forest.inside("count").tolist() == [len(trees[v]) for v in nodes]
    assert forest.inside("max") == pytest.approx([max(s) for s in scores], abs=1e-9)
    expected = [math.log(math.fsum(map(math.exp, s))) for s in scores]
    assert forest.inside("log") == pytest.approx(expected, abs=1e-9)
    assert forest.log_z() == pytest.approx(expected[-1], abs=1e-9)


@given(small_pairs)
def test_outside_equals_enumeration(case: Pair) -> None:
    forest, toy = case.forest, case.toy
    contexts = {v: toy.outside_trees(u) for v, u in node_of(case).items()}
    nodes = range(forest.nodes)
    assert forest.outside("count").tolist() == [len(contexts[v]) for v in nodes]
    scores = [[sum(toy.edges[e].score for e in edges) for edges in contexts[v]] for v in nodes]
    assert forest.outside("max") == pytest.approx([max(s) for s in scores], abs=1e-9)
    expected = [math.log(math.fsum(map(math.exp, s))) for s in scores]
    assert forest.outside("log") == pytest.approx(expected, abs=1e-9)


@given(pairs, st.integers(0, 1000))
def test_expectation_semirings_equal_enumeration(case: Pair, seed: int) -> None:
    forest, toy = case.forest, case.toy
    rng = np.random.default_rng(seed)
    r_of, s_of = rng.normal(size=(2, len(toy.edges)))
    r, s = case.per_edge(list(r_of)), case.per_edge(list(s_of))
    weights, rs, ss = [], [], []
    for tree in toy.derivations():
        weights.append(math.exp(toy.score(tree)))
        rs.append(sum(r_of[e] for e in tree.edges()))
        ss.append(sum(s_of[e] for e in tree.edges()))
    w, big_r, big_s = np.array(weights), np.array(rs), np.array(ss)
    z = w.sum()
    sums = [z, (w * big_r).sum(), (w * big_s).sum(), (w * big_r * big_s).sum()]
    close = {"rel": 1e-9, "abs": 1e-9 * max(1.0, z)}
    assert forest.inside("exp1", r=r)[-1] == pytest.approx(sums[:2], **close)
    assert forest.inside("exp2", r=r, s=s)[-1] == pytest.approx(sums, **close)
    mean_r, mean_s = sums[1] / z, sums[2] / z
    covariance = sums[3] / z - mean_r * mean_s
    normal = [math.log(z), mean_r, mean_s, covariance]
    assert forest.inside("mean1", r=r)[-1] == pytest.approx(normal[:2], rel=1e-9, abs=1e-9)
    assert forest.inside("mean2", r=r, s=s)[-1] == pytest.approx(normal, rel=1e-9, abs=1e-9)


@given(pairs, st.integers(0, 1000))
def test_inside_outside_trick_equals_the_second_order_semiring(case: Pair, seed: int) -> None:
    # Li & Eisner (2009), section 4: run on <p, r> only, then sum k_e . x_e over edges.
    forest = case.forest
    r, s = np.random.default_rng(seed).normal(size=(2, forest.edges))
    beta, alpha = forest.inside("exp1", r=r), forest.outside("exp1", r=r)
    total = np.zeros(2)
    for e in range(forest.edges):
        k = alpha[forest.head[e]]
        for tail in forest.tails_of(e):
            b = beta[tail]
            k = np.array([k[0] * b[0], k[0] * b[1] + k[1] * b[0]])
        p = math.exp(forest.score[e])
        x = np.array([p * s[e], p * r[e] * s[e]])
        total += [k[0] * x[0], k[0] * x[1] + k[1] * x[0]]
    z, _, ps, prs = forest.inside("exp2", r=r, s=s)[-1]
    assert total == pytest.approx([ps, prs], rel=1e-9, abs=1e-9 * max(1.0, z))


@given(pairs, st.integers(0, 1000))
def test_normalised_outside_equals_the_plain_one(case: Pair, seed: int) -> None:
    forest = case.forest
    r, s = np.random.default_rng(seed).normal(size=(2, forest.edges))
    for plain, normal in (
        (forest.outside("exp2", r=r, s=s), forest.outside("mean2", r=r, s=s)),
        (forest.outside("exp1", r=r), forest.outside("mean1", r=r)),
    ):
        p = plain[:, 0]
        assert normal[:, 0] == pytest.approx(np.log(p), rel=1e-9, abs=1e-9)
        assert normal[:, 1] == pytest.approx(plain[:, 1] / p, rel=1e-8, abs=1e-9)


@given(pairs)
def test_posteriors_are_expected_uses(case: Pair) -> None:
    forest, toy = case.forest, case.toy
    uses = dict.fromkeys(case.edge_of, 0.0)
    for tree, p in zip(toy.derivations(), toy.probabilities(), strict=True):
        for e in tree.edges():
            uses[e] += p
    posteriors = forest.posteriors()
    assert posteriors.edge == pytest.approx([uses[e] for e in case.edge_of], abs=1e-9)


@given(pairs)
def test_posteriors_flow(case: Pair) -> None:
    forest, p = case.forest, case.forest.posteriors()
    incoming = np.add.reduceat(p.edge, forest.in_off[:-1])
    assert incoming == pytest.approx(p.node, abs=1e-9)
    assert p.node[-1] == pytest.approx(1.0)
    product = np.exp(forest.inside("log") + forest.outside("log") - p.log_z)
    assert p.node == pytest.approx(product, abs=1e-9)


@given(pairs)
def test_expected_features_equal_enumeration(case: Pair) -> None:
    toy = case.toy
    expected = dict.fromkeys(case.forest.features, 0.0)
    for tree, p in zip(toy.derivations(), toy.probabilities(), strict=True):
        for name, value in toy.features(tree).items():
            expected[name] += p * value
    assert case.forest.expected_features().dense() == pytest.approx(
        list(expected.values()), abs=1e-9
    )


@given(pairs)
def test_entropy_equals_enumeration(case: Pair) -> None:
    expected = -sum(p * math.log(p) for p in case.toy.probabilities())
    assert case.forest.entropy() == pytest.approx(expected, abs=1e-9)
    score = case.forest.score
    mean = case.forest.inside("mean1", r=score)[-1]
    assert case.forest.entropy() == pytest.approx(mean[0] - mean[1], abs=1e-8)


@given(pairs)
def test_entropy_of_one_derivation_is_zero(case: Pair) -> None:
    best = case.forest.viterbi()
    single = case.forest.restrict(best.tokens)
    assert single is not None
    keep = np.zeros(case.forest.edges, dtype=bool)
    keep[best.edges] = True
    if case.forest.keep(keep).count() == 1:
        assert case.forest.keep(keep).entropy() == 0.0


@pytest.mark.parametrize("shift", [-5000.0, 5000.0])
def test_extreme_scores_neither_overflow_nor_vanish(shift: float) -> None:
    forest = pair(11).forest
    moved = forest.with_score(np.where(forest.head == forest.nodes - 1, forest.score + shift, 0))
    level = forest.with_score(np.where(forest.head == forest.nodes - 1, forest.score, 0))
    assert moved.log_z() == pytest.approx(level.log_z() + shift)
    assert moved.posteriors().edge == pytest.approx(level.posteriors().edge, abs=1e-9)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda f: f.inside("tropical"), "there is no semiring 'tropical'"),
        (lambda f: f.inside("exp1"), "semiring 'exp1' needs r"),
        (lambda f: f.inside("mean2", r=np.zeros(f.edges)), "semiring 'mean2' needs s"),
    ],
)
def test_a_semiring_says_what_it_lacks(call: object, message: str) -> None:
    forest: Forest = pair(3).forest
    with pytest.raises(ArgumentError, match=message):
        call(forest)  # type: ignore[operator]


@given(small_pairs)
def test_dividing_by_z_makes_probabilities_and_changes_no_order(case: Pair) -> None:
    """A score of the whole sentence, as -log Z of a language model is, chooses no translation."""
    forest = case.forest
    first = int(forest.in_off[forest.nodes - 1])
    shifted = forest.score.copy()
    shifted[first:] -= forest.log_z()
    normal = forest.with_score(shifted)
    assert normal.log_z() == pytest.approx(0.0, abs=1e-9)
    assert [d.edges.tolist() for d in normal.kbest(1)] == [
        d.edges.tolist() for d in forest.kbest(1)
    ]
