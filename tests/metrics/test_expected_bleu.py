"""The BLEU to expect of a list's translations, against comparing each pair."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demotic import _core
from demotic.errors import ArgumentError
from demotic.metrics.bleu import bleu_options
from tests.oracles import consensus

Lists = list[tuple[tuple[str, ...], float]]
lists = st.lists(
    st.tuples(st.lists(st.sampled_from("abcd"), max_size=8).map(tuple), st.floats(-5, 5, width=32)),
    min_size=1,
    max_size=6,
)
OPTIONS = bleu_options("add-k", 1.0, effective_order=True)


def expected(found: Lists, scale: float, threads: int = 1) -> list[float]:
    lines = [" ".join(words) for words, _ in found]
    [gains] = _core.expected_bleu([lines], [[s for _, s in found]], scale, OPTIONS, threads)
    return list(gains)


@given(lists, st.sampled_from([0.0, 0.5, 1.0, 3.0]))
def test_it_equals_comparing_each_pair(found: Lists, scale: float) -> None:
    words, scores = [each for each, _ in found], [score for _, score in found]
    wanted = consensus.expected_bleu(words, scores, scale)
    assert expected(found, scale) == pytest.approx(wanted, abs=1e-9)


@given(lists)
def test_what_has_no_chance_does_not_count(found: Lists) -> None:
    impossible: Lists = [*found, (("z",), float("-inf"))]
    for scale in (0.0, 1.0):
        assert expected(impossible, scale)[:-1] == pytest.approx(expected(found, scale))


def test_a_large_scale_gives_the_best() -> None:
    found: Lists = [(tuple("abcd"), 0.0), (tuple("xbcd"), -0.1), (tuple("xbcd"), -0.1)]
    gains = expected(found, 1e4)
    assert gains[0] == pytest.approx(100.0)
    assert max(gains[1:]) < 90
    crowd = expected(found, 1.0)
    assert crowd[1] > crowd[0]


def test_each_line_needs_a_score() -> None:
    with pytest.raises(ArgumentError, match="score"):
        _core.expected_bleu([["a"]], [[]], 1.0, OPTIONS, 1)
    with pytest.raises(ArgumentError, match="scale"):
        _core.expected_bleu([["a"]], [[0.0]], -1.0, OPTIONS, 1)
