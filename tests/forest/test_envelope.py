"""The envelope semiring equals the envelope over enumerated derivations."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from demotic import _core
from demotic.forest import envelopes
from tests.forest.toys import FEATURES, Pair, pair, pairs

directions = st.lists(st.integers(-4, 4).map(float), min_size=3, max_size=3)


def lines(case: Pair, w: list[float], d: list[float]) -> list[tuple[float, float]]:
    result = []
    for tree in case.trees():
        features = case.toy.features(tree)
        values = [features.get(name, 0.0) for name in FEATURES]
        result.append((float(np.dot(d, values)), float(np.dot(w, values))))
    return result


@given(pairs, directions, directions)
def test_envelope_is_the_maximum_over_derivations(
    case: Pair, w: list[float], d: list[float]
) -> None:
    envelope = envelopes([case.forest], w, d)[0]
    every = lines(case, w, d)
    points = [-1e3, -3.7, -1.0, 0.0, 0.3, 2.5, 1e3, *envelope.start[1:]]
    for x in points:
        assert envelope.value(x) == pytest.approx(max(b + x * a for a, b in every), abs=1e-6)
    assert not envelope.truncated


@given(pairs, directions, directions)
def test_segments_are_in_order_and_belong_to_their_derivations(
    case: Pair, w: list[float], d: list[float]
) -> None:
    envelope = envelopes([case.forest], w, d)[0]
    assert envelope.start[0] == -math.inf
    assert (np.diff(envelope.start) > 0).all()
    assert (np.diff(envelope.slope) > 0).all()
    trees = {tuple(tree.edges()) for tree in case.trees()}
    for i in range(len(envelope)):
        derivation = envelope.derivation(i)
        assert case.toy_edges(derivation) in trees
        values = [derivation.features.get(name, 0.0) for name in FEATURES]
        assert envelope.slope[i] == pytest.approx(np.dot(d, values), abs=1e-9)
        assert envelope.intercept[i] == pytest.approx(np.dot(w, values), abs=1e-9)


@given(pairs, directions, directions, st.integers(2, 4))
def test_a_cap_on_segments_gives_lower_bounds_and_a_flag(
    case: Pair, w: list[float], d: list[float], cap: int
) -> None:
    full = envelopes([case.forest], w, d)[0]
    capped = envelopes([case.forest], w, d, max_segments=cap)[0]
    assert len(capped) <= cap
    assert capped.truncated or len(full) <= cap
    if not capped.truncated:
        assert capped.start.tolist() == full.start.tolist()
    for x in (-50.0, -1.3, 0.0, 0.7, 50.0):
        assert capped.value(x) <= full.value(x) + 1e-9


@given(pairs, directions, directions)
def test_the_kernel_equals_inside_in_the_semiring(
    case: Pair, w: list[float], d: list[float]
) -> None:
    envelope = envelopes([case.forest], w, d)[0]
    forests = [case.forest.core]
    plain = _core.forest_envelopes(forests, np.array(w), np.array(d), 4096, 1, by_semiring=True)[0]
    assert plain.slope() == pytest.approx(envelope.slope, abs=1e-9)
    assert plain.intercept() == pytest.approx(envelope.intercept, abs=1e-9)
    assert plain.start() == pytest.approx(envelope.start, abs=1e-9)
    for i in range(len(envelope)):
        values = np.asarray(case.forest.core.edge_scores(np.array(d)))
        assert values[plain.derivation(i)].sum() == pytest.approx(envelope.slope[i], abs=1e-9)


def test_threads_do_not_change_the_result() -> None:
    forests = [pair(seed).forest for seed in range(20)]
    w, d = [0.2, -0.3, 0.5], [1.0, 0.5, -0.25]
    for one, two in zip(envelopes(forests, w, d), envelopes(forests, w, d, threads=2), strict=True):
        assert one.start.tobytes() == two.start.tobytes()
        assert one.slope.tobytes() == two.slope.tobytes()
