"""GTM's match size against enumeration."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from demotic.errors import ArgumentError
from demotic.metrics import Gtm
from tests.oracles.matching import best_match_size, greedy_match_size

WORDS = st.lists(st.sampled_from("abc"), max_size=6)
EXPONENTS = st.sampled_from([1.0, 1.5, 2.0, 3.0])


def match(hypothesis: list[str], references: list[list[str]], exponent: float) -> float:
    rows = Gtm(exponent=exponent).statistics(
        [" ".join(hypothesis)], [[" ".join(reference)] for reference in references]
    )
    return float(rows[0, 0])


@given(WORDS, WORDS)
def test_exponent_one_is_a_maximum_matching(hypothesis: list[str], reference: list[str]) -> None:
    overlap = sum((Counter(hypothesis) & Counter(reference)).values())
    assert match(hypothesis, [reference], 1.0) == pytest.approx(overlap)
    assert best_match_size(hypothesis[:5], reference[:5], 1.0) == pytest.approx(
        match(hypothesis[:5], [reference[:5]], 1.0)
    )


@given(WORDS, st.lists(WORDS, min_size=1, max_size=3), EXPONENTS)
def test_match_size_equals_the_greedy_steps(
    hypothesis: list[str], references: list[list[str]], exponent: float
) -> None:
    expected = greedy_match_size(hypothesis, references, exponent)
    assert match(hypothesis, references, exponent) == pytest.approx(expected)


@given(WORDS.filter(lambda words: len(words) < 6), WORDS.filter(lambda words: len(words) < 6))
def test_greedy_never_exceeds_the_best_matching(
    hypothesis: list[str], reference: list[str]
) -> None:
    # Runs that touch on the same diagonal count apart for the greedy steps, which only lowers it.
    found = match(hypothesis, [reference], 2.0)
    assert found <= best_match_size(hypothesis, reference, 2.0) + 1e-9


@given(WORDS.filter(bool), EXPONENTS)
def test_identity_scores_one_hundred(words: list[str], exponent: float) -> None:
    text = [" ".join(words)]
    assert Gtm(exponent=exponent).score(text, [text]).value == pytest.approx(100)


@given(WORDS, st.lists(WORDS, min_size=1, max_size=3), EXPONENTS)
def test_precision_and_recall_stay_below_one(
    hypothesis: list[str], references: list[list[str]], exponent: float
) -> None:
    size, hyp_len, ref_len = Gtm(exponent=exponent).statistics(
        [" ".join(hypothesis)], [[" ".join(r)] for r in references]
    )[0]
    assert size <= hyp_len + 1e-9
    assert size <= ref_len + 1e-9


def test_order_counts_only_beyond_exponent_one() -> None:
    reference = [["a b c d"]]
    assert Gtm().score(["d c b a"], reference).value == pytest.approx(100)
    assert Gtm(exponent=2).score(["d c b a"], reference).value == pytest.approx(50)


def test_no_run_crosses_the_border_of_two_references() -> None:
    assert match(["a", "b"], [["x", "a"], ["b", "y"]], 2.0) == pytest.approx(2**0.5)
    assert match(["a", "b"], [["a", "b"], ["b", "y"]], 2.0) == pytest.approx(2.0)


def test_no_more_is_matched_than_the_mean_reference_has() -> None:
    assert match(["a", "b", "c", "d"], [["a", "b", "c", "d"], ["e", "f"]], 1.0) == pytest.approx(3)


@pytest.mark.parametrize("exponent", [1.0, 2.0])
def test_nothing_matches_nothing(exponent: float) -> None:
    for hypothesis, reference in (("", ""), ("", "a b"), ("a b", "")):
        score = Gtm(exponent=exponent).score([hypothesis], [[reference]])
        assert score.value == 0.0


def test_signature_names_every_choice() -> None:
    signature = Gtm(exponent=1.5, tokenise="13a", lowercase=True).signature(2)
    assert signature.startswith("nrefs:2|case:lc|tok:13a|exp:1.5|match:greedy|version:demotic-")


def test_threads_change_nothing() -> None:
    rng = np.random.default_rng(3)
    text = [" ".join(map(str, rng.integers(6, size=20))) for _ in range(50)]
    one = Gtm(exponent=2, threads=1).statistics(text, [text[::-1]])
    assert np.array_equal(one, Gtm(exponent=2, threads=4).statistics(text, [text[::-1]]))


def test_refuses_an_exponent_below_one() -> None:
    with pytest.raises(ArgumentError):
        Gtm(exponent=0.5)
    with pytest.raises(ArgumentError):
        Gtm(exponent=float("nan"))
