"""How sure: probabilities that mean what they say, and nothing where nothing can be learned."""

from __future__ import annotations

import itertools
import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demotic.systems.confidence import (
    EVIDENCE,
    FEWEST,
    Confidence,
    area_under_curve,
    calibration_error,
)
from demotic.systems.translator import Translation


def translations(count: int, seed: int) -> tuple[list[Translation], list[bool]]:
    """The higher the score per word, the more often a translation is right."""
    rng = random.Random(seed)
    made, rights = [], []
    for _ in range(count):
        logit = rng.gauss(-0.5, 1.5)
        right = rng.random() < 1 / (1 + math.exp(-logit))
        words = rng.randrange(1, 9)
        made.append(Translation("text", ("w",) * words, logit * words, None, ()))
        rights.append(right)
    return made, rights


def test_probabilities_are_those_that_made_the_text() -> None:
    made, rights = translations(3000, 1)
    confidence = Confidence.fit(made, rights)
    assert confidence is not None
    unseen, _ = translations(200, 2)
    for each in unseen:
        true = 1 / (1 + math.exp(-each.score / len(each.tokens)))
        assert confidence.of(each) == pytest.approx(true, abs=0.06)
    assert 0.75 < confidence.area < 0.85
    assert confidence.error < 0.04


@pytest.mark.parametrize("seed", range(5))
def test_noise_teaches_nothing(seed: int) -> None:
    made, rights = translations(400, 3)
    random.Random(seed).shuffle(rights)
    confidence = Confidence.fit(made, rights)
    assert confidence is None or confidence.area < 0.6


def test_too_little_to_learn_from_gives_nothing() -> None:
    made, _ = translations(100, 5)
    assert Confidence.fit(made, [False] * 100) is None
    assert Confidence.fit(made, [True] * (FEWEST - 1) + [False] * (101 - FEWEST)) is None


def test_records_come_back_and_damaged_ones_are_refused() -> None:
    confidence = Confidence.fit(*translations(300, 6))
    assert confidence is not None
    record = confidence.record()
    assert Confidence.from_record(record) == confidence
    for name in record:
        for bad in (None, "x", float("nan"), [1.0], {}):
            assert Confidence.from_record({**record, name: bad}) is None
    assert Confidence.from_record({**record, "scales": (0.0,) * len(EVIDENCE)}) is None


@given(st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=2, max_size=12))
def test_the_area_is_the_share_of_pairs_in_order(rows: list[tuple[int, bool]]) -> None:
    yes = [sure for sure, right in rows if right]
    no = [sure for sure, right in rows if not right]
    if not yes or not no:
        return
    pairs = list(itertools.product(yes, no))
    share = sum((a > b) + 0.5 * (a == b) for a, b in pairs) / len(pairs)
    found = area_under_curve([float(sure) for sure, _ in rows], [right for _, right in rows])
    assert found == pytest.approx(share)


def test_the_calibration_error_of_a_constant_is_how_far_off_it_is() -> None:
    assert calibration_error([0.5] * 100, [True] * 100) == pytest.approx(0.5)
    assert calibration_error([0.25] * 400, [True, False, False, False] * 100) < 0.01
