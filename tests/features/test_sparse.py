"""Sparse vectors beside the arrays that they stand for."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from demotic.features import FeatureSpace, SparseVector

SPACE = FeatureSpace(["a", "b"], [f"s{i}" for i in range(8)])
values = st.dictionaries(st.integers(0, 9), st.floats(-5, 5))


def vector(named: dict[int, float]) -> SparseVector:
    ids = np.array(sorted(named), np.uint32)
    return SparseVector(SPACE, ids, np.array([named[i] for i in sorted(named)], np.float64))


def array(named: dict[int, float]) -> np.ndarray:
    return np.array([named.get(i, 0.0) for i in range(len(SPACE))])


@given(values, values)
def test_vectors_are_arrays_with_gaps(one: dict[int, float], other: dict[int, float]) -> None:
    v, w = vector(one), vector(other)
    assert len(v) == len(one)
    assert v.dense().tolist() == array(one).tolist()
    assert v.named() == {SPACE.name(i): x for i, x in one.items()}
    assert (v - w).dense().tolist() == (array(one) - array(other)).tolist()
    assert (v - w).ids.tolist() == sorted({*one, *other})
    total = np.ones(len(SPACE))
    assert v.add_to(total) is total
    assert total.tolist() == (1 + array(one)).tolist()
