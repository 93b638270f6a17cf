"""The decoder's search against enumeration of every derivation."""

from __future__ import annotations

import math
from collections import Counter
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demotic.decode import Derivation, HieroDecoder, HieroSearch
from demotic.forest import Forest
from demotic.grammar import RuleTable
from demotic.lm import Fragment, LanguageModel
from tests.decode.grammars import WEIGHTS, grammars, language_model, rule_table, sentences
from tests.oracles import cky, lm_search

EVERYTHING = 10**9
inits = st.sampled_from(["eager", "lazy"])


def decoder(
    rules: list[cky.Rule],
    *,
    order: int = 0,
    pops: int = EVERYTHING,
    init: Literal["eager", "lazy"] = "eager",
    span_limit: int = 10,
    inner: float = 1.0,
    weights: dict[str, float] = WEIGHTS,
) -> HieroDecoder:
    lm = language_model(order) if order else None
    options = HieroSearch(pops=pops, inner=inner, init=init, span_limit=span_limit)
    return HieroDecoder(rule_table(rules), lm, weights, options=options)


def recomputed(derivation: Derivation, decoder: HieroDecoder) -> float:
    """The score of a derivation from its rules and, left to right, its string."""
    total = 0.0
    for step in derivation.steps:
        if step.rule is not None:
            rule = decoder.rules[step.rule]
            words = sum(not word.startswith("[") for word in rule.target)
            total += WEIGHTS["score"] * rule.scores["score"] + WEIGHTS["RulePenalty"]
            total += WEIGHTS["WordPenalty"] * words
        elif step.kind == "pass-through":
            total += WEIGHTS["PassThrough"] + WEIGHTS["WordPenalty"]
        elif step.kind == "glue" and len(step.children) == 2:
            total += WEIGHTS["Glue"]
    if decoder.lm is not None:
        total += WEIGHTS["LanguageModel"] * math.log(10) * decoder.lm.score(derivation.text)
        unknown = sum(word not in decoder.lm for word in derivation.tokens)
        total += WEIGHTS["UnknownWord"] * unknown
    return total


def changes(derivation: Derivation, lm: LanguageModel, rules: RuleTable) -> list[float]:
    """What each step adds to the language model's log10, from its fragments put together anew."""
    found = [0.0] * len(derivation.steps)
    below: dict[int, Fragment] = {}
    for number, step in reversed(list(enumerate(derivation.steps))):
        children = [below[child] for child in step.children]
        parts: list[str | Fragment] = list(children)
        if step.rule is not None:
            target = rules[step.rule].target
            parts = [
                children[int(w[1:-1].split(",")[-1]) - 1] if w.startswith("[") else w
                for w in target
            ]
        elif step.kind == "pass-through":
            parts = [derivation.source[step.begin]]
        elif step.kind == "goal":
            parts.append("</s>")
        below[number], found[number] = lm.fragment(parts, bos=step.kind == "goal")
    return found


def strings(forest: Forest) -> Counter[tuple[str, ...]]:
    return Counter(d.tokens for d in forest.kbest(100_000))


@settings(max_examples=60, deadline=None)
@given(rules=grammars, sentence=sentences, span_limit=st.integers(1, 4))
def test_context_free_forest_holds_exactly_the_derivations(
    rules: list[cky.Rule], sentence: list[str], span_limit: int
) -> None:
    trees = cky.derivations(rules, sentence, span_limit=span_limit)
    forest = decoder(rules, span_limit=span_limit).parse(sentence)
    assert forest.count() == len(trees)
    assert strings(forest) == Counter(tree.words for tree in trees)


@settings(max_examples=40, deadline=None)
@given(rules=grammars, sentence=sentences, init=inits, pops=st.sampled_from([1, 30]))
def test_without_language_model_one_pop_finds_the_best_derivation(
    rules: list[cky.Rule], sentence: list[str], init: Literal["eager", "lazy"], pops: int
) -> None:
    best = max(cky.model_score(tree, WEIGHTS) for tree in cky.derivations(rules, sentence))
    found = decoder(rules, init=init, pops=pops).decode(sentence)
    assert found.score == pytest.approx(best, abs=1e-6)


@settings(max_examples=120, deadline=None)
@given(
    rules=grammars,
    sentence=sentences,
    order=st.integers(1, 4),
    init=inits,
    span_limit=st.integers(1, 4),
)
def test_unlimited_cube_pruning_equals_exhaustive_search(
    rules: list[cky.Rule],
    sentence: list[str],
    order: int,
    init: Literal["eager", "lazy"],
    span_limit: int,
) -> None:
    trees = cky.derivations(rules, sentence, span_limit=span_limit)
    best, _ = lm_search.best_strings(trees, language_model(order), WEIGHTS)[0]
    search = decoder(rules, order=order, init=init, span_limit=span_limit)
    found = search.decode(sentence)
    assert found.score == pytest.approx(best, abs=1e-4)
    assert found.score == pytest.approx(recomputed(found, search), abs=1e-4)


@settings(max_examples=100, deadline=None)
@given(
    rules=grammars,
    lines=st.lists(sentences, min_size=1, max_size=3),
    order=st.integers(1, 4),
    init=inits,
    pops=st.sampled_from([1, 5, 50]),
)
def test_what_is_remembered_of_fragments_changes_no_digit(
    rules: list[cky.Rule],
    lines: list[list[str]],
    order: int,
    init: Literal["eager", "lazy"],
    pops: int,
) -> None:
    search = decoder(rules, order=order, init=init, pops=pops)
    for derivation in search.decode_lines([line + line[::-1] for line in lines]):
        again = changes(derivation, language_model(order), search.rules)
        of_steps = [step.lm / math.log(10) for step in derivation.steps]
        assert of_steps == pytest.approx(again, rel=1e-12, abs=1e-12)


@settings(max_examples=60, deadline=None)
@given(rules=grammars, sentence=sentences, order=st.integers(0, 4), init=inits)
def test_unlimited_forest_holds_every_derivation_with_its_score(
    rules: list[cky.Rule], sentence: list[str], order: int, init: Literal["eager", "lazy"]
) -> None:
    trees = cky.derivations(rules, sentence)
    lm = language_model(order) if order else None
    search = decoder(rules, order=order, init=init)
    forest = search.forest(sentence)
    assert forest.count() == len(trees)
    scores = [d.score for d in forest.kbest(len(trees))]
    assert scores == pytest.approx(lm_search.all_scores(trees, lm, WEIGHTS), abs=1e-4)


@settings(max_examples=60, deadline=None)
@given(rules=grammars, sentence=sentences, order=st.integers(0, 3), k=st.integers(1, 20))
def test_kbest_equals_enumeration(
    rules: list[cky.Rule], sentence: list[str], order: int, k: int
) -> None:
    trees = cky.derivations(rules, sentence)
    lm = language_model(order) if order else None
    search = decoder(rules, order=order)
    unique = search.kbest(sentence, k)
    every = search.kbest(sentence, k, unique=False)
    expected = lm_search.best_strings(trees, lm, WEIGHTS)
    assert len({d.tokens for d in unique}) == len(unique) == min(k, len(expected))
    assert [d.score for d in unique] == pytest.approx([s for s, _ in expected[:k]], abs=1e-4)
    assert [d.score for d in every] == pytest.approx(
        lm_search.all_scores(trees, lm, WEIGHTS)[:k], abs=1e-4
    )
    best = dict((words, score) for score, words in expected)
    for derivation in unique:
        assert derivation.score == pytest.approx(best[derivation.tokens], abs=1e-4)
        assert derivation.score == pytest.approx(recomputed(derivation, search), abs=1e-4)


@settings(max_examples=60, deadline=None)
@given(
    rules=grammars, sentence=sentences, order=st.integers(0, 3), pops=st.integers(1, 6), init=inits
)
def test_scores_are_weights_times_features(
    rules: list[cky.Rule],
    sentence: list[str],
    order: int,
    pops: int,
    init: Literal["eager", "lazy"],
) -> None:
    search = decoder(rules, order=order, pops=pops, init=init)
    found = search.decode(sentence)
    total = sum(search.weights[name] * value for name, value in found.features.items())
    assert found.score == pytest.approx(total, abs=1e-6)
    assert found.score == pytest.approx(sum(step.score for step in found.steps), abs=1e-6)
    for each in [found, *search.kbest(sentence, 5)]:
        assert each.score == pytest.approx(recomputed(each, search), abs=1e-4)
    forest = search.forest(sentence)
    best = forest.viterbi()
    assert best.score == pytest.approx(found.score, abs=1e-6)
    assert forest.rescore(search.weights).viterbi().score == pytest.approx(found.score, abs=1e-4)


@settings(max_examples=40, deadline=None)
@given(rules=grammars, sentence=sentences, order=st.integers(1, 3), init=inits)
def test_more_pops_never_beat_exhaustive_search(
    rules: list[cky.Rule], sentence: list[str], order: int, init: Literal["eager", "lazy"]
) -> None:
    exact = decoder(rules, order=order).decode(sentence).score
    for pops in (1, 2, 5):
        assert decoder(rules, order=order, pops=pops, init=init).decode(sentence).score <= (
            exact + 1e-4
        )


@pytest.mark.parametrize("init", ["eager", "lazy"])
@pytest.mark.parametrize(("inner", "pops"), [(0.01, 1), (0.2, 2), (0.5, 5), (1.0, 10)])
def test_pieces_get_a_share_of_the_pops_and_beginnings_all(
    init: Literal["eager", "lazy"], inner: float, pops: int
) -> None:
    rules = [cky.Rule("X", ("A",), (word,), -1.0) for word in ["a", "b", "c", "the", "of"]]
    rules += [cky.Rule("X", ("A",), (one, "a"), -1.0) for one in ["a", "b", "c", "the", "of"]]
    search = decoder(rules, order=3, pops=10, init=init, inner=inner)
    search.decode(["A"])
    assert search.counters.pops == 3 * pops  # of X, then of S and of Goal, which have no more
    search.reset_counters()
    search.decode(["A", "A"])
    beginnings = pops + min(pops * pops, 10)
    assert search.counters.pops >= 2 * pops + beginnings
    assert search.counters.pops <= 2 * pops + beginnings + 10


@settings(max_examples=40, deadline=None)
@given(rules=grammars, sentence=sentences, order=st.integers(0, 3), init=inits)
def test_a_share_of_enough_is_enough(
    rules: list[cky.Rule], sentence: list[str], order: int, init: Literal["eager", "lazy"]
) -> None:
    exact = decoder(rules, order=order).decode(sentence).score
    found = decoder(rules, order=order, init=init, inner=0.5).decode(sentence).score
    assert found == pytest.approx(exact, abs=1e-4)
    least = decoder(rules, order=order, init=init, pops=10**6, inner=1e-9).decode(sentence)
    assert least.score <= exact + 1e-4


@settings(max_examples=40, deadline=None)
@given(rules=grammars, sentence=sentences, order=st.integers(0, 3))
def test_steps_cover_the_sentence_and_write_the_tokens(
    rules: list[cky.Rule], sentence: list[str], order: int
) -> None:
    search = decoder(rules, order=order)
    found = search.decode(sentence)
    covered: list[int] = []
    for number, step in enumerate(found.steps):
        own = set(range(step.begin, step.end))
        for child in step.children:
            below = found.steps[child]
            assert child > number
            assert own >= set(range(below.begin, below.end))
            own -= set(range(below.begin, below.end))
        covered.extend(own)
    assert sorted(covered) == list(range(len(sentence)))
    for word, owner in zip(found.tokens, found.word_steps, strict=True):
        step = found.steps[owner]
        if step.rule is None:
            assert word == sentence[step.begin]
        else:
            assert word in search.rules[step.rule].target
