"""The averaging trick is the naive mean."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from demotic.learn.averaged import AveragedWeights

changes = st.lists(
    st.none() | st.tuples(st.floats(-5, 5), st.floats(-5, 5), st.integers(0, 3), st.floats(-2, 2)),
    max_size=30,
)


@given(st.lists(st.floats(-3, 3), min_size=2, max_size=2), changes)
def test_the_trick_gives_the_mean_of_all_weights(
    start: list[float], steps: list[tuple[float, float, int, float] | None]
) -> None:
    weights = AveragedWeights(np.array(start), 4)
    dense, sparse = [np.array(start)], [np.zeros(4)]
    for step in steps:
        dense.append(dense[-1].copy())
        sparse.append(sparse[-1].copy())
        if step is not None:
            one, two, place, value = step
            weights.add(np.array([one, two]), np.array([place], dtype=np.uint32), np.array([value]))
            dense[-1] += [one, two]
            sparse[-1][place] += value
        weights.step()
    assert weights.dense == pytest.approx(dense[-1])
    assert weights.mean() == pytest.approx(np.mean(dense, axis=0), abs=1e-12)
    assert weights.sparse_mean() == pytest.approx(np.mean(sparse, axis=0), abs=1e-12)


def test_without_sparse_features_none_are_averaged() -> None:
    assert AveragedWeights(np.zeros(2)).sparse_mean().tolist() == []


def test_weights_beyond_all_numbers_are_noticed() -> None:
    weights = AveragedWeights(np.zeros(2))
    assert weights.finite
    weights.add(np.array([0.0, np.inf]))
    assert not weights.finite
