"""Hill climbing: where it may go, how far it is thrown, and what it asks of forests."""

from __future__ import annotations

import random

import numpy as np

from demotic.learn import ForestCandidates, Known, statistics_against
from demotic.learn.climb import Climber
from tests.forest.toys import FEATURES
from tests.learn.dev_sets import references_of, search_of, toys
from tests.learn.test_mert import list_task


def climber(free: list[float], random_directions: int = 3, seed: int = 1) -> Climber:
    search = search_of(list_task().known)
    rng = np.random.default_rng(seed)
    return Climber(search, np.array(free), random_directions, 0.0, rng)


def test_directions_are_the_free_axes_and_random_ones_of_length_1() -> None:
    found = climber([1.0, 0.0, 1.0]).directions()
    assert found[:2].tolist() == [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    assert len(found) == 5
    assert np.allclose(np.linalg.norm(found, axis=1), 1.0)
    assert (found[:, 1] == 0).all()
    assert len({row.tobytes() for row in found}) == 5


def test_random_points_are_as_far_as_each_weight_is_large_and_fixed_weights_stay() -> None:
    near = np.array([1000.0, 5.0, 0.001])
    at = climber([1.0, 0.0, 1.0])
    moved = np.array([at.random_point(near) - near for _ in range(400)])
    assert (moved[:, 1] == 0).all()
    mean = np.abs(near).mean()
    assert 0.8 < moved[:, 0].std() / 1000.0 < 1.2
    assert 0.8 < moved[:, 2].std() / mean < 1.2, "small weights move as far as the mean one"
    thrown = np.array([at.random_point(np.zeros(3)) for _ in range(400)])
    assert 0.8 < thrown[:, 0].std() < 1.2


def test_climbing_lists_asks_nothing_of_forests() -> None:
    asked = []

    def statistics(texts: list[str]) -> np.ndarray:
        asked.extend(texts)
        return count(texts)

    rng = random.Random(3)
    count = statistics_against(references_of(rng))
    cases = toys(21, sentences=6)
    search = Known(FEATURES, len(cases))
    search.add([ForestCandidates(case.forest, statistics) for case in cases])
    start = np.array([0.4, -0.2, 0.6])
    search.steps(start, np.array([[0.5, 1.0, -0.3]]))
    before = len(asked)
    assert before > len(cases)
    at = Climber(search, np.ones(3), 5, 0.0, np.random.default_rng(1))
    lists_only = at.climb_lists(-start)
    assert search.bleu(-start, lists_only=True) <= lists_only.bleu
    assert len(asked) == before
    whole = at.climb(start)
    assert len(asked) > before
    assert whole.bleu >= search.bleu(start)
