"""PRO: the pairs that differ most, and the optimum of logistic regression on them."""

from __future__ import annotations

import itertools
import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from demotic.errors import ArgumentError
from demotic.learn import ProOptions
from demotic.learn.lbfgs import minimise
from demotic.learn.pro import ranking, sampled_pairs, sentence_bleu
from tests.oracles.mert import random_lists

FREE = np.ones(3)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8), st.integers(1, 6), st.integers(0, 1000))
def test_the_pairs_that_differ_most_are_taken(good: list[float], count: int, seed: int) -> None:
    """With more draws than there are pairs all are drawn."""
    better, worse = sampled_pairs(
        np.array(good), np.random.default_rng(seed), samples=3000, pairs=count, min_difference=0.05
    )
    found = sorted(good[b] - good[w] for b, w in zip(better, worse, strict=True))
    differences = sorted(abs(a - b) for a, b in itertools.combinations(good, 2))
    wanted = [d for d in differences if d >= 0.05][-count:]
    assert found == pytest.approx(wanted)
    assert len({*zip(better.tolist(), worse.tolist(), strict=True)}) == len(found)


def test_few_draws_find_few_pairs_and_each_seed_its_own() -> None:
    good = np.linspace(0, 1, 100)
    drawn = [
        sampled_pairs(good, np.random.default_rng(seed), samples=20, pairs=50, min_difference=0.05)[
            0
        ].tolist()
        for seed in (1, 1, 2)
    ]
    assert 0 < len(drawn[0]) <= 20
    assert drawn[0] == drawn[1] != drawn[2]


@given(st.integers(0, 2**32))
def test_sentence_bleu_is_its_definition(seed: int) -> None:
    for hypothesis in random_lists(random.Random(seed), sentences=1)[0]:
        s = hypothesis.statistics
        precision = math.prod((s[n] + 1) / (s[n + 4] + 1) for n in range(4)) ** 0.25
        nothing = math.prod(1 / (s[n + 4] + 1) for n in range(4)) ** 0.25
        penalty = math.exp(min(0.0, 1 - s[9] / s[8]))
        assert sentence_bleu(np.array([s])) == pytest.approx(penalty * (precision - nothing))


def test_sentence_bleu_grows_from_no_match_at_all_and_does_not_love_brevity() -> None:
    nothing = [0, 0, 0, 0, 5, 4, 3, 2, 5, 5]
    empty = [0, 0, 0, 0, 0, 0, 0, 0, 0, 5]
    half = [2, 1, 0, 0, 2, 1, 0, 0, 2, 5]
    whole = [5, 4, 3, 2, 5, 4, 3, 2, 5, 5]
    scores = sentence_bleu(np.array([nothing, empty, half, whole]))
    assert scores[0] == scores[1] == 0
    assert 0 < scores[2] < scores[3] <= 1


def random_pairs(seed: int, count: int = 60) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.normal([0.5, -0.2, 0.1], [1.0, 3.0, 0.3], (count, 3))


def loss(pairs: np.ndarray, w: np.ndarray, start: np.ndarray, l2: float) -> float:
    return float(np.mean(np.log1p(np.exp(-pairs @ w))) + l2 * np.sum((w - start) ** 2))


@given(st.integers(0, 2**32), st.sampled_from([1e-3, 0.1, 10.0]))
def test_ranking_is_the_optimum_that_scipy_finds(seed: int, l2: float) -> None:
    optimize = pytest.importorskip("scipy.optimize")
    pairs, start = random_pairs(seed), np.array([1.0, 0.5, -0.5])
    found = ranking(pairs, np.zeros(3), start, free=FREE, l2=l2)
    theirs = optimize.minimize(lambda w: loss(pairs, w, start, l2), start, tol=1e-12).x
    assert loss(pairs, found, start, l2) <= loss(pairs, theirs, start, l2) + 1e-9
    assert found == pytest.approx(theirs, abs=1e-3)


def test_ranking_is_where_plain_descent_ends() -> None:
    pairs, start = random_pairs(3), np.zeros(3)
    w = np.zeros(3)
    for _ in range(5000):
        wrong = 1 / (1 + np.exp(pairs @ w))
        w = w - 0.2 * (2 * 0.01 * w - wrong @ pairs / len(pairs))
    assert ranking(pairs, np.ones(3), start, free=FREE, l2=0.01) == pytest.approx(w, abs=1e-6)


def test_the_pull_is_to_where_tuning_began_and_fixed_weights_stay() -> None:
    pairs, start = random_pairs(5), np.array([4.0, -3.0, 2.0])
    distance = [
        float(np.linalg.norm(ranking(pairs, np.zeros(3), start, free=FREE, l2=l2) - start))
        for l2 in (1e-3, 0.1, 10.0, 1e4)
    ]
    assert distance == sorted(distance, reverse=True)
    assert distance[-1] < 1e-3
    held = ranking(pairs, start, start, free=np.array([1.0, 0.0, 1.0]), l2=0.01)
    assert held[1] == pytest.approx(-3.0)
    assert (np.abs(held - start) > 1e-3).tolist() == [True, False, True]


def test_a_feature_in_which_no_pair_differs_goes_back_to_where_tuning_began() -> None:
    """And is in nobody's way: the other weights are those found without it."""
    pairs, start, weights = random_pairs(2), np.array([1.0, 0.5, -0.5]), np.array([0.2, -2.0, 0.3])
    pairs[:, 1] = 0
    found = ranking(pairs, weights, start, free=FREE, l2=1.0)
    assert found[1] == pytest.approx(0.5, abs=1e-6)
    others = [0, 2]
    alone = ranking(pairs[:, others], weights[others], start[others], free=FREE[others], l2=1.0)
    assert found[others] == pytest.approx(alone, abs=1e-6)


def test_steep_and_narrow_valleys_are_followed() -> None:
    def rosenbrock(x: np.ndarray) -> tuple[float, np.ndarray]:
        value = 100 * (x[1] - x[0] ** 2) ** 2 + (1 - x[0]) ** 2
        slope = -400 * x[0] * (x[1] - x[0] ** 2) - 2 * (1 - x[0])
        return float(value), np.array([slope, 200 * (x[1] - x[0] ** 2)])

    assert minimise(rosenbrock, np.array([-1.2, 1.0])) == pytest.approx([1.0, 1.0], abs=1e-6)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"step": 0.0}, "step"),
        ({"step": 1.5}, "step"),
        ({"pairs": 0}, "samples, pairs and strings"),
        ({"l2": -1.0}, "l2"),
        ({"min_difference": float("nan")}, "min_difference"),
    ],
)
def test_settings_without_sense_are_refused(options: dict[str, float], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        ProOptions(**options)  # type: ignore[arg-type]
