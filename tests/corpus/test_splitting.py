"""Splitting: nothing in two parts, nothing lost unsaid, the same on every run."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demotic.corpus import Bitext, Split, split
from demotic.corpus.splitting import folds, normalised
from demotic.errors import ArgumentError

WORDS = st.sampled_from(
    ["a", "A", "a ", "b", "c", "d", "e", "f", "é", "É", "e\u0301", "x y", "X  Y"]
)
PAIRS = st.lists(st.tuples(WORDS, WORDS), min_size=4, max_size=60)
SIZES = st.integers(0, 2) | st.floats(0, 0.45)


def parts_of(result: Split) -> list[Bitext]:
    return [result.train, result.dev, result.test]


@given(PAIRS, SIZES, SIZES, st.integers(0, 5))
def test_no_sentence_is_in_two_parts(
    pairs: list[tuple[str, str]], dev: int | float, test: int | float, seed: int
) -> None:
    shares = [size if isinstance(size, float) else size / len(pairs) for size in (dev, test)]
    if sum(shares) >= 1:
        return
    result = split(Bitext.from_pairs(pairs), dev=dev, test=test, seed=seed)
    parts = parts_of(result)
    for side in ("source", "target"):
        sentences = [{normalised(getattr(pair, side)) for pair in part} for part in parts]
        assert sum(map(len, sentences)) == len(set().union(*sentences))


@given(PAIRS, st.integers(0, 2), st.integers(0, 1))
def test_every_pair_is_in_one_part_or_left_out_for_its_target(
    pairs: list[tuple[str, str]], dev: int, test: int
) -> None:
    bitext = Bitext.from_pairs(pairs)
    result = split(bitext, dev=dev, test=test)
    parts = parts_of(result)
    ids = [pair.id for part in parts for pair in part]
    assert len(set(ids)) == len(ids)
    left_out = [pair for pair in bitext if pair.id not in set(ids)]
    assert result.report.left_out == len(left_out)
    held_out = {normalised(pair.target) for part in parts[1:] for pair in part}
    assert all(normalised(pair.target) in held_out for pair in left_out)
    assert len(result.dev) <= dev
    assert len(result.test) <= test


@given(PAIRS, st.randoms())
def test_parts_do_not_depend_on_the_order(pairs: list[tuple[str, str]], random: object) -> None:
    shuffled = pairs.copy()
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    first, second = (
        [
            sorted(pair.id for pair in part)
            for part in parts_of(split(Bitext.from_pairs(order), dev=1, test=0.3))
        ]
        for order in (pairs, shuffled)
    )
    assert first == second


def numbered(count: int) -> Bitext:
    return Bitext.from_pairs([(f"source {n}", f"target {n}") for n in range(count)])


def test_counts_are_met_exactly_where_sentences_are_free() -> None:
    result = split(numbered(20_000), dev=500, test=700)
    assert [len(part) for part in parts_of(result)] == [18_800, 500, 700]
    assert json.loads(result.report.to_json()) == {
        "train": 18_800,
        "dev": 500,
        "test": 700,
        "left_out": 0,
    }
    assert str(result.report).startswith("train 18,800, dev 500, test 700 pairs; left out 0")


def test_sentences_with_many_translations_are_passed_over_to_meet_the_count() -> None:
    pairs = [(f"source {n}", f"target {n} {k}") for n in range(100) for k in range(1 + n % 3)]
    for count in range(1, 30):
        assert len(split(Bitext.from_pairs(pairs), dev=0, test=count).test) == count


def test_fractions_are_met_on_average() -> None:
    result = split(numbered(20_000), dev=0.1, test=0.05)
    assert 1800 < len(result.dev) < 2200
    assert 880 < len(result.test) < 1120


def test_with_fractions_a_sentence_stays_in_its_part_when_the_corpus_grows() -> None:
    small, large = (split(numbered(size), dev=0.1, test=0.1) for size in (1000, 3000))
    for before, after in zip(parts_of(small), parts_of(large), strict=True):
        assert set(before) <= set(after)


def test_seed_changes_the_parts() -> None:
    bitext = numbered(1000)
    tests = [list(split(bitext, dev=0, test=50, seed=seed).test) for seed in (0, 0, 1)]
    assert tests[0] == tests[1] != tests[2]


def test_sentences_are_compared_without_case_and_spacing() -> None:
    assert normalised(" Hello \t World ") == normalised("hello world")
    assert normalised("CAFE\u0301") == normalised("café")
    assert normalised("a b") != normalised("ab")


def test_zero_sizes_leave_everything_for_training() -> None:
    for nothing in (0, 0.0):
        result = split(numbered(10), dev=nothing, test=nothing)
        assert [len(part) for part in parts_of(result)] == [10, 0, 0]


@pytest.mark.parametrize(
    ("dev", "test", "message"),
    [
        (-1, 0, "dev is -1"),
        (0, 1.5, "test is 1.5"),
        (float("nan"), 0, "dev is nan"),
        (5, 5, "leave nothing of 10 pairs"),
        (0.5, 5, "leave nothing of 10 pairs"),
    ],
)
def test_senseless_sizes_are_refused(dev: int | float, test: int | float, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        split(numbered(10), dev=dev, test=test)


@given(PAIRS, st.integers(2, 6), st.integers(0, 3))
def test_each_pair_is_in_one_fold_and_in_no_rest_that_knows_it(
    pairs: list[tuple[str, str]], number: int, seed: int
) -> None:
    bitext = Bitext.from_pairs(pairs)
    found = folds(bitext, number, seed=seed)
    inside = [pair.id for part, _ in found for pair in part]
    assert sorted(inside) == sorted(pair.id for pair in bitext)
    assert len(found) == min(number, len({normalised(pair.source) for pair in bitext}))
    for part, rest in found:
        held_out = [pair.id for pair in part]
        for side in ("source", "target"):
            known = {normalised(getattr(pair, side)) for pair in part}
            assert not known & {normalised(getattr(pair, side)) for pair in rest}
        left = [pair for pair in bitext if pair.id not in held_out]
        learned_from = {pair.id for pair in rest}
        targets = {normalised(pair.target) for pair in part}
        assert all(
            (pair.id in learned_from) != (normalised(pair.target) in targets) for pair in left
        )


def test_folds_are_as_large_as_each_other_and_drawn_by_the_seed() -> None:
    bitext = Bitext.from_pairs([(f"source {n}", f"target {n}") for n in range(53)])
    first, again, other = (folds(bitext, 5, seed=seed) for seed in (1, 1, 2))
    assert sorted(len(part) for part, _ in first) == [10, 10, 11, 11, 11]
    texts = [[[pair.source for pair in part] for part, _ in each] for each in (first, again, other)]
    assert texts[0] == texts[1] != texts[2]
