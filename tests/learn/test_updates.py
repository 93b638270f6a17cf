"""Steps of updates are what their definitions say."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from demotic.learn import Features
from demotic.learn.rollouts import Path, PathSample
from demotic.learn.updates import Update, difference, step_size

D = Features.of([3.0, -4.0])


def path(action: list[float], features: list[float], sparse: dict[int, float]) -> Path[int, int]:
    ids = np.array(sorted(sparse), dtype=np.uint32)
    values = np.array([sparse[i] for i in sorted(sparse)], dtype=np.float64)
    return Path((), 1, 0, np.array(action), np.array(features), ids, values)


def test_differences_are_of_full_paths_or_of_two_actions() -> None:
    taken = path([1.0, 0.0], [5.0, 1.0], {2: 1.0, 7: 2.0})
    other = path([0.0, 2.0], [4.0, 3.0], {7: 2.0, 9: 1.0})
    sample = PathSample(0, 1, taken, other)
    full = difference(sample, "full_path")
    assert full.dense.tolist() == [-1.0, 2.0]
    assert dict(zip(full.ids.tolist(), full.values.tolist(), strict=True)) == {2: -1.0, 9: 1.0}
    two = difference(sample, "two_actions")
    assert two.dense.tolist() == [-1.0, 2.0]
    assert len(two.ids) == 0


@pytest.mark.parametrize(
    ("update", "lead", "gain", "size"),
    [
        ("full_path", -3.0, 5.0, 0.1),
        ("full_path", -3.0, -5.0, 0.0),
        ("two_actions", 4.0, 5.0, 0.1),
        ("passive_aggressive", -1.0, 5.0, 2.0 / 25),
        ("passive_aggressive", -9.0, 5.0, 0.1),
        ("passive_aggressive", 1.5, 5.0, 0.0),
        ("mira", -0.5, 0.5, 1.0 / 25),
        ("mira", 6.0, 5.0, 0.0),
        ("expected_reward", 0.0, 8.0, 0.1 * 8.0 / 4),
        ("expected_reward", 0.0, -8.0, -0.1 * 8.0 / 4),
    ],
)
def test_steps(update: Update, lead: float, gain: float, size: float) -> None:
    assert step_size(update, 0.1, lead, gain, D) == pytest.approx(size)


@given(st.floats(-30, 30), st.floats(-50, 50))
def test_the_expected_reward_has_this_gradient(lead: float, gain: float) -> None:
    def expected(lead: float) -> float:
        return gain / (1 + math.exp(-lead))

    slope = (expected(lead + 1e-5) - expected(lead - 1e-5)) / 2e-5
    assert step_size("expected_reward", 1.0, lead, gain, D) == pytest.approx(slope, abs=1e-5)


@pytest.mark.parametrize(("update", "margin"), [("passive_aggressive", 1.0), ("mira", 5.0)])
def test_sparse_features_count_in_the_length_of_a_difference(update: Update, margin: float) -> None:
    both = Features.of([3.0, -4.0], {2: 1.0, 7: -3.0})
    assert step_size(update, 10.0, 0.0, 5.0, both) == pytest.approx(margin / 35)


@pytest.mark.parametrize("update", ["mira", "aggressive"])
def test_equal_paths_move_nothing(update: Update) -> None:
    nothing = Features.of([0.0, 0.0])
    size = step_size(update, 0.1, 0.0, 5.0, nothing)
    assert not np.any(size * nothing.dense)


@given(st.floats(-30, 30), st.floats(1e-3, 3))
def test_aggressive_steps_are_as_many_as_it_takes(lead: float, rate: float) -> None:
    size = step_size("aggressive", rate, lead, 5.0, D)
    steps = size / rate
    assert steps == pytest.approx(round(steps))
    assert steps >= 1
    assert lead + size * 25 > -1e-9
    if steps > 1.5:
        assert lead + (size - rate) * 25 <= 1e-9, "one less would not have been enough"
    assert step_size("aggressive", rate, lead, -5.0, D) == 0.0
