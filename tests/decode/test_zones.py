"""Limits of reordering: the best of all translations that keep to them is found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demotic.decode import (
    AmasisDerivation,
    BlockDecoder,
    Bounded,
    Derivation,
    HieroDecoder,
    HieroSearch,
    UndirectedDecoder,
)
from demotic.errors import ArgumentError
from tests.decode import test_amasis_decoder as amasis
from tests.decode.grammars import WEIGHTS, hiero_rules, language_model, rule_table
from tests.decode.phrases import EXACT, decoder, phrases
from tests.decode.test_block_decoder import EXACT as EXACT_BLOCKS
from tests.decode.test_block_decoder import NAMES, model
from tests.oracles.cky import Rule
from tests.oracles.phrase_search import Phrase

Span = tuple[int, int]
MANY = 100_000


def crosses(one: Span, other: Span) -> bool:
    """Do both have words that the other lacks, and some in common?"""
    a, b = set(range(*one)), set(range(*other))
    return bool(a & b and a - b and b - a)


def in_one_piece(span: Span, limits: Bounded) -> bool:
    """May a span be translated by itself?"""
    return not any(crosses(span, zone) for zone in limits.zones) and not any(
        span[0] < wall < span[1] for wall in limits.walls
    )


def keeps_to(spans: Sequence[Span], limits: Bounded) -> bool:
    """Do phrases, in the order of the translation, keep to the limits?"""
    if not all(in_one_piece(span, limits) for span in spans):
        return False
    for begin, end in limits.zones:
        inside = [n for n, span in enumerate(spans) if begin <= span[0] and span[1] <= end]
        if any(b - a > 1 for a, b in pairwise(inside)):
            return False
    return all(
        [span[0] >= wall for span in spans] == sorted(span[0] >= wall for span in spans)
        for wall in limits.walls
    )


@st.composite
def limited(draw: st.DrawFn) -> Bounded:
    """A short sentence with up to two zones and a wall."""
    words = draw(st.lists(st.sampled_from(["A", "B", "C", "D"]), min_size=2, max_size=4))
    places = st.integers(0, len(words))
    spans = st.tuples(places, places).filter(lambda span: span[0] < span[1])
    zones = draw(st.lists(spans, max_size=2))
    if len(zones) == 2 and crosses(*zones):
        zones.pop()
    return Bounded(words, zones=zones, walls=draw(st.lists(places, max_size=1)))


def phrase_spans(found: Derivation) -> list[Span]:
    return [(step.begin, step.end) for step in found.steps[1:]]


@given(phrases(), limited(), st.sampled_from([-1, 0, 1, 2, 3]), st.sampled_from(["cube", "stack"]))
@settings(max_examples=150)
def test_phrases_keep_to_limits(
    found: list[Phrase], sentence: Bounded, distortion: int, method: str
) -> None:
    options = replace(EXACT, distortion_limit=distortion, method=method)
    search = decoder(found, options=options)
    free = search.kbest(list(sentence), MANY, unique=False)
    kept = [each.score for each in free if keeps_to(phrase_spans(each), sentence)]
    best = search.decode(sentence)
    assert keeps_to(phrase_spans(best), sentence)
    assert best.score == pytest.approx(max(kept), abs=1e-4)
    listed = search.kbest(sentence, MANY, unique=False)
    assert sorted(each.score for each in listed) == pytest.approx(sorted(kept), abs=1e-4)


@given(limited().map(lambda s: Bounded([w.lower() for w in s], zones=s.zones, walls=s.walls)))
@settings(max_examples=60)
def test_blocks_keep_to_limits(sentence: Bounded) -> None:
    table, pairs, lm = model()
    weights = dict.fromkeys(NAMES, -0.5) | {"Partition": 1.0, "Pairs": 1.0}
    search = BlockDecoder(table, lm, weights, pairs=pairs, options=EXACT_BLOCKS)
    free = search.kbest(list(sentence), MANY, unique=False)
    kept = [each.score for each in free if keeps_to(phrase_spans(each), sentence)]
    best = search.decode(sentence)
    assert keeps_to(phrase_spans(best), sentence)
    assert best.score == pytest.approx(max(kept), abs=1e-4)


@given(st.lists(hiero_rules(), min_size=1, max_size=5), limited())
@settings(max_examples=100)
def test_nonterminals_keep_to_limits(rules: list[Rule], sentence: Bounded) -> None:
    def keeps(found: Derivation) -> bool:
        spans = [(s.begin, s.end) for s in found.steps if s.category == "X"]
        return all(in_one_piece(span, sentence) for span in spans)

    table, lm = rule_table(rules), language_model(2)
    search = HieroDecoder(table, lm, WEIGHTS, options=HieroSearch(pops=MANY))
    free = search.kbest(list(sentence), MANY, unique=False)
    best = search.decode(sentence)
    assert keeps(best)
    assert best.score == pytest.approx(max(e.score for e in free if keeps(e)), abs=1e-4)
    assert keeps(UndirectedDecoder(table, lm, WEIGHTS).decode(sentence))


def item_spans(found: Derivation) -> tuple[Span, ...]:
    """In the order of the translation."""
    steps = dict.fromkeys(found.word_steps)
    return tuple((found.steps[step].begin, found.steps[step].end) for step in steps)


@given(phrases(), limited(), st.sampled_from(["join", "forced"]), st.sampled_from([0, MANY]))
@settings(max_examples=150)
def test_stacks_keep_to_limits(
    found: list[Phrase], sentence: Bounded, close: Literal["join", "forced"], pops: int
) -> None:
    """All orders that do are found, and the best one is the best."""
    options = replace(amasis.EXACT, close=close, pops=pops)
    search = amasis.decoder(found, options)
    free = search.kbest(list(sentence), MANY, unique=False)
    kept = [each for each in free if keeps_to(item_spans(each), sentence)]
    listed = search.kbest(sentence, MANY, unique=False)
    assert {(item_spans(each), each.tokens) for each in listed} == {
        (item_spans(each), each.tokens) for each in kept
    }
    best = search.decode(sentence)
    assert best.score == pytest.approx(max(each.score for each in kept), abs=1e-4)
    assert search.forest(sentence).viterbi().score == pytest.approx(best.score, abs=1e-4)
    for each in listed[:20]:
        assert isinstance(each, AmasisDerivation)
        words = [word for fragment in each.shifts()[-1].stack for word in fragment]
        assert tuple(words) == each.tokens
        assert sum(step.score for step in each.steps) == pytest.approx(each.score, abs=1e-6)
        total = sum(amasis.WEIGHTS.get(name, 0.0) * v for name, v in each.features.items())
        assert total == pytest.approx(each.score, abs=1e-4)


@given(
    phrases(fewest_words=0),
    limited(),
    st.sampled_from([1, 3]),
    st.sampled_from(["monotone", "all"]),
)
@settings(max_examples=100)
def test_stacks_keep_to_limits_however_narrow_the_search_is(
    found: list[Phrase], sentence: Bounded, beam: int, order: Literal["monotone", "all"]
) -> None:
    """Items without target words among them, which are nowhere."""
    options = replace(amasis.EXACT, close="join", beam=beam, pops=2, order=order)
    for each in amasis.decoder(found, options).kbest(sentence, 10):
        assert keeps_to(item_spans(each), sentence)


SWAPS = [Phrase((w.upper(),), (w,), {"score": -0.5}) for w in "abcd"] + [
    Phrase(("A", "B"), ("x", "y"), {"score": 5.0})
]


def test_a_zone_that_begins_late_is_left_when_it_is_complete() -> None:
    """With a distortion limit of 2, words in front of a longer zone cannot wait for its end."""
    options = replace(EXACT, distortion_limit=2)
    sentence = Bounded(["D", "A", "B", "C"], zones=[(1, 4)])
    found = decoder(SWAPS, options=options).decode(sentence)
    assert phrase_spans(found)[0] == (0, 1)


def test_without_glue_a_sentence_is_translated_all_the_same() -> None:
    rules = [Rule("X", ("A", "B"), ("a", "b")), Rule("S", ("[X]",), (0,))]
    search = HieroDecoder(rule_table(rules), None, {}, options=HieroSearch(glue="never"))
    assert search.decode(Bounded(["A", "B"], walls=[1])).tokens == ("a", "b")


@pytest.mark.parametrize(
    ("zones", "walls", "message"),
    [
        ([(0, 2), (1, 3)], [], "zones overlap"),
        ([(2, 2)], [], "not among the words"),
        ([(1, 4)], [], "not among the words"),
        ([], [4], "not among the words"),
        ([(-1, 2)], [], "not among the words"),
        ([(0, 2**40)], [], "not among the words"),
        ([], [-1], "not among the words"),
    ],
)
def test_impossible_limits_are_refused(zones: list[Span], walls: list[int], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        decoder(SWAPS).decode(Bounded(["A", "B", "C"], zones=zones, walls=walls))
