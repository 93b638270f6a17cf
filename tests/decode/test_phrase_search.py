"""Phrase-based search against trying everything."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demotic.decode import PhraseSearch
from tests.decode.phrases import (
    EXACT,
    LEXICALISED,
    WEIGHTS,
    decoder,
    phrases,
    score_of,
    sentences,
)
from tests.oracles import phrase_search as oracle
from tests.oracles.phrase_search import Phrase

LIMITS = st.sampled_from([-1, 0, 1, 2, 3])
PLAIN = replace(EXACT, method="stack")


def best_score(found: list[Phrase], sentence: list[str], limit: int, weights: dict) -> float:
    paths = oracle.paths(found, sentence, None if limit < 0 else limit)
    return max(score_of(path, sentence, weights, 3) for path in paths)


@given(phrases(), sentences, LIMITS)
@settings(max_examples=120)
def test_without_pruning_the_best_derivation_is_found(
    found: list[Phrase], sentence: list[str], limit: int
) -> None:
    best = best_score(found, sentence, limit, WEIGHTS)
    for options in (EXACT, PLAIN):
        search = decoder(found, options=replace(options, distortion_limit=limit))
        assert search.decode(sentence).score == pytest.approx(best, abs=1e-4)


@given(phrases(lexicalised=True), sentences, LIMITS)
@settings(max_examples=120)
def test_lexicalised_reordering_charges_each_pair_of_neighbours(
    found: list[Phrase], sentence: list[str], limit: int
) -> None:
    best = best_score(found, sentence, limit, LEXICALISED)
    for options in (EXACT, PLAIN):
        options = replace(options, distortion_limit=limit)
        search = decoder(found, weights=LEXICALISED, options=options)
        assert search.decode(sentence).score == pytest.approx(best, abs=1e-4)


def test_five_words_in_any_order_equal_exhaustive_decoding() -> None:
    found = [
        Phrase((source,), (target,), {"score": score})
        for source, target, score in [
            ("A", "a", -0.5), ("A", "the", -0.25), ("B", "b", -1.0), ("B", "of", -0.125),
            ("C", "c", 0.0), ("D", "d", -0.5), ("E", "a", -0.75),
        ]
    ] + [Phrase(("B", "C"), ("c", "of", "b"), {"score": -0.5})]  # fmt: skip
    sentence = ["A", "B", "C", "D", "E"]
    best = best_score(found, sentence, -1, WEIGHTS | {"Distortion": 0.05})
    search = decoder(found, weights=WEIGHTS | {"Distortion": 0.05})
    assert search.decode(sentence).score == pytest.approx(best, abs=1e-4)


@given(phrases(lexicalised=True), sentences, LIMITS)
@settings(max_examples=60)
def test_the_search_graph_holds_every_derivation_once(
    found: list[Phrase], sentence: list[str], limit: int
) -> None:
    options = replace(EXACT, distortion_limit=limit)
    search = decoder(found, weights=LEXICALISED, options=options)
    paths = list(oracle.paths(found, sentence, None if limit < 0 else limit))
    scores = sorted((score_of(p, sentence, LEXICALISED, 3) for p in paths), reverse=True)
    forest = search.forest(sentence)
    assert forest.count() == len(paths)
    shift = scores[0]
    total = shift + math.log(sum(math.exp(score - shift) for score in scores))
    assert forest.log_z() == pytest.approx(total, abs=1e-3)
    kept = search.kbest(sentence, 20, unique=False)
    assert [each.score for each in kept] == pytest.approx(scores[:20], abs=1e-4)


@given(phrases(lexicalised=True), sentences, st.integers(1, 6), LIMITS)
@settings(max_examples=80)
def test_k_best_lists_are_sorted_unique_and_begin_with_the_best(
    found: list[Phrase], sentence: list[str], pops: int, limit: int
) -> None:
    options = PhraseSearch(pops=pops, distortion_limit=limit)
    search = decoder(found, weights=LEXICALISED, options=options)
    best = search.decode(sentence)
    kept = search.kbest(sentence, 30)
    scores = [each.score for each in kept]
    assert scores == sorted(scores, reverse=True)
    assert len({each.tokens for each in kept}) == len(kept)
    assert kept[0].score == pytest.approx(best.score, abs=1e-6)
    derivations = search.kbest(sentence, 30, unique=False)
    shapes = [tuple((s.rule, s.begin, s.end) for s in each.steps) for each in derivations]
    assert len(set(shapes)) == len(shapes)


@given(phrases(lexicalised=True), sentences, st.integers(1, 6), LIMITS)
@settings(max_examples=80)
def test_a_score_is_that_of_the_derivation_scored_again(
    found: list[Phrase], sentence: list[str], pops: int, limit: int
) -> None:
    options = PhraseSearch(pops=pops, distortion_limit=limit)
    search = decoder(found, weights=LEXICALISED, options=options)
    for best in search.kbest(sentence, 5, unique=False):
        path = []
        for step in best.steps[1:]:
            words = tuple(sentence[step.begin : step.end])
            if step.rule is None:
                path.append(oracle.Placed(Phrase(words, words, {}, True), step.begin, step.end))
            else:
                rule = search.rules[step.rule]
                phrase = Phrase(rule.source, rule.target, rule.scores)
                assert rule.source == words
                path.append(oracle.Placed(phrase, step.begin, step.end))
        assert best.tokens == oracle.words_of(tuple(path))
        expected = score_of(tuple(path), sentence, LEXICALISED, 3)
        assert best.score == pytest.approx(expected, abs=1e-4)
        assert sum(step.score for step in best.steps) == pytest.approx(best.score, abs=1e-9)
        dot = sum(search.weights[name] * value for name, value in best.features.items())
        assert dot == pytest.approx(best.score, abs=1e-4)


@given(phrases(), st.lists(st.sampled_from("ABCD"), min_size=1, max_size=12), st.integers(0, 4),
       st.integers(1, 3))  # fmt: skip
@settings(max_examples=80)
def test_the_distortion_limit_holds_and_never_leads_to_a_dead_end(
    found: list[Phrase], sentence: list[str], limit: int, pops: int
) -> None:
    free = WEIGHTS | {"Distortion": -2.0}  # jumps are rewarded
    options = PhraseSearch(pops=pops, distortion_limit=limit)
    steps = decoder(found, weights=free, options=options).decode(sentence).steps[1:]
    covered: frozenset[int] = frozenset()
    last_end = 0
    for step in steps:
        placed = oracle.Placed(Phrase((), (), {}), step.begin, step.end)
        assert oracle.allowed(placed, covered, last_end, limit)
        assert not covered & set(range(step.begin, step.end))
        covered |= set(range(step.begin, step.end))
        last_end = step.end
    assert covered == set(range(len(sentence)))


@given(phrases(), sentences)
@settings(max_examples=60)
def test_pruning_never_finds_more_than_everything(found: list[Phrase], sentence: list[str]) -> None:
    best = decoder(found).decode(sentence).score
    few = PhraseSearch(pops=2, distortion_limit=-1)
    small = PhraseSearch(method="stack", stack=2, threshold=0.1, distortion_limit=-1)
    for options in (few, small):
        assert decoder(found, options=options).decode(sentence).score <= best + 1e-4


@given(phrases(), sentences)
@settings(max_examples=60)
def test_future_costs_never_promise_less_than_there_is(
    found: list[Phrase], sentence: list[str]
) -> None:
    """With a model of single words and no weight on distortion, the future cost of the whole
    sentence is exactly the best score, and that of a part never below its best completion."""
    weights = WEIGHTS | {"Distortion": 0.0}
    search = decoder(found, order=1, weights=weights)
    best = search.decode(sentence)
    promised = search.future_cost(sentence, 0, len(sentence))
    end = best.steps[0].score  # </s>
    assert promised == pytest.approx(best.score - end, abs=1e-4)
    for begin in range(len(sentence)):
        for stop in range(begin + 1, len(sentence) + 1):
            part = sentence[begin:stop]
            alone = search.decode(part)
            assert (
                search.future_cost(sentence, begin, stop)
                >= alone.score - alone.steps[0].score - 1e-4
            )
