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


def translations(count: int, seed: int) -> tuple[list[Translation], list[float], list[bool]]:
    """The higher the score per word, the more often a translation is right; nothing is similar."""
    rng = random.Random(seed)
    made, rights = [], []
    for _ in range(count):
        logit = rng.gauss(-0.5, 1.5)
        right = rng.random() < 1 / (1 + math.exp(-logit))
        words = rng.randrange(1, 9)
        made.append(Translation("text", ("w",) * words, logit * words, None, ()))
        rights.append(right)
    return made, [0.0] * count, rights


def test_probabilities_are_those_that_made_the_text() -> None:
    confidence = Confidence.fit(*translations(3000, 1))
    assert confidence is not None
    unseen, _, _ = translations(200, 2)
    for each in unseen:
        true = 1 / (1 + math.exp(-each.score / len(each.tokens)))
        assert confidence.of(each, 0.0) == pytest.approx(true, abs=0.06)
    assert 0.75 < confidence.area < 0.85
    assert confidence.error < 0.04


@pytest.mark.parametrize("seed", range(5))
def test_noise_teaches_nothing(seed: int) -> None:
    made, nearest, rights = translations(400, 3)
    random.Random(seed).shuffle(rights)
    confidence = Confidence.fit(made, nearest, rights)
    assert confidence is None or confidence.area < 0.6


def test_too_little_to_learn_from_gives_nothing() -> None:
    made, nearest, _ = translations(100, 5)
    assert Confidence.fit(made, nearest, [False] * 100) is None
    few = [True] * (FEWEST - 1) + [False] * (101 - FEWEST)
    assert Confidence.fit(made, nearest, few) is None


def test_text_that_is_like_nothing_in_the_memory_is_less_sure() -> None:
    made, _, rights = translations(600, 7)
    nearest = [0.8 if right else 0.0 for right in rights]
    confidence = Confidence.fit(made, nearest, rights)
    assert confidence is not None
    assert confidence.of(made[0], 0.8) > 0.9
    assert confidence.of(made[0], 0.0) < 0.1


def test_models_of_the_first_version_look_at_less() -> None:
    confidence = Confidence.fit(*translations(300, 6))
    assert confidence is not None
    record = confidence.record()
    first = {name: record[name][:5] for name in ("means", "scales", "weights")}
    older = Confidence.from_record({**record, **first})
    assert older is not None
    [one], _, _ = translations(1, 8)
    assert older.of(one, 0.0) == pytest.approx(older.of(one, 0.9))
    assert Confidence.from_record({**record, "weights": record["weights"][:5]}) is None


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
