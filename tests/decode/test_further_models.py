"""Decoders with several language models, against trying everything."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demotic.decode import HieroDecoder, HieroSearch, PhraseDecoder, PhraseSearch
from demotic.errors import ArgumentError
from demotic.lm import FurtherModel, LanguageModel, class_model, estimate
from demotic.lm.further import units
from tests.decode import grammars, phrases
from tests.decode.grammars import language_model, rule_table
from tests.oracles import cky, lm_search
from tests.oracles import phrase_search as oracle
from tests.oracles.phrase_search import Phrase

CLASSES = {"a": 0, "b": 1, "c": 1, "d": 2, "the": 3, "of": 3, "x": 0, "D": 2}  # of D, which passes
LINES = ["a b c", "the a of b", "d d a the", "of the c", "a d c b a", "D a of"]
FURTHER = {"ClassModel": 0.5, "Second": 0.3}
EVERYTHING = 10**9
inits = st.sampled_from(["eager", "lazy"])


@cache
def class_lm() -> LanguageModel:
    with TemporaryDirectory() as folder:
        text = Path(folder) / "text"
        text.write_text("\n".join(LINES), encoding="utf-8")
        return class_model(text, CLASSES, order=7).model()


@cache
def second_lm() -> LanguageModel:
    with TemporaryDirectory() as folder:
        text = Path(folder) / "text"
        text.write_text("b a\nc of d the\na a b e\n", encoding="utf-8")
        return estimate(text, order=2).model()


def further() -> tuple[FurtherModel, ...]:
    return (FurtherModel("ClassModel", class_lm(), CLASSES), FurtherModel("Second", second_lm()))


def class_line(words: Sequence[str]) -> str:
    return " ".join(str(CLASSES.get(word, "none")) for word in words)


def further_score(words: Sequence[str], weights: dict[str, float]) -> float:
    """What the further models say of a whole string, weighted."""
    logs = class_lm().score(class_line(words)), second_lm().score(" ".join(words))
    return math.log(10) * (weights["ClassModel"] * logs[0] + weights["Second"] * logs[1])


def hiero(rules: list[cky.Rule], weights: dict[str, float], **options: Any) -> HieroDecoder:
    search = HieroSearch(**({"pops": EVERYTHING} | options))
    return HieroDecoder(
        rule_table(rules), language_model(3), weights, further=further(), options=search
    )


def phrase(found: list[Phrase], weights: dict[str, float], options: PhraseSearch) -> PhraseDecoder:
    table = phrases.phrase_table(found)
    return PhraseDecoder(table, language_model(3), weights, further=further(), options=options)


def check_features(decoder: HieroDecoder | PhraseDecoder, sentence: list[str]) -> None:
    """Features of all that a decoder gives are those of the whole string, and make its score."""
    for each in [decoder.decode(sentence), *decoder.kbest(sentence, 8)]:
        ln10 = math.log(10)
        words = each.tokens
        assert each.features["ClassModel"] == pytest.approx(
            ln10 * class_lm().score(class_line(words)), abs=1e-4
        )
        assert each.features["Second"] == pytest.approx(
            ln10 * second_lm().score(" ".join(words)), abs=1e-4
        )
        dot = sum(decoder.weights[name] * value for name, value in each.features.items())
        assert each.score == pytest.approx(dot, abs=1e-5)
        assert each.score == pytest.approx(sum(step.score for step in each.steps), abs=1e-9)
        for i, name in enumerate(FURTHER):
            own = sum(step.further[i] for step in each.steps)
            assert own == pytest.approx(each.features[name], abs=1e-5)
            assert own == pytest.approx(
                sum(each.scores_of(number)[name] for number in range(len(each.steps))), abs=1e-5
            )
    forest = decoder.forest(sentence)
    assert forest.rescore(decoder.weights).viterbi().score == pytest.approx(
        decoder.decode(sentence).score, abs=1e-4
    )


@settings(max_examples=80, deadline=None)
@given(rules=grammars.grammars, sentence=grammars.sentences, init=inits)
def test_hiero_finds_the_best_of_all_derivations(
    rules: list[cky.Rule], sentence: list[str], init: Literal["eager", "lazy"]
) -> None:
    weights = grammars.WEIGHTS | FURTHER
    scores = sorted(
        (
            lm_search.total_score(tree, language_model(3), weights)
            + further_score(tree.words, weights)
            for tree in cky.derivations(rules, sentence)
        ),
        reverse=True,
    )
    decoder = hiero(rules, weights, init=init)
    assert decoder.decode(sentence).score == pytest.approx(scores[0], abs=1e-4)
    forest = decoder.forest(sentence)
    assert forest.count() == len(scores)
    assert [d.score for d in forest.kbest(len(scores))] == pytest.approx(scores, abs=1e-4)


@settings(max_examples=60, deadline=None)
@given(rules=grammars.grammars, sentence=grammars.sentences, init=inits, pops=st.integers(1, 6))
def test_features_of_hiero_make_the_score(
    rules: list[cky.Rule], sentence: list[str], init: Literal["eager", "lazy"], pops: int
) -> None:
    check_features(hiero(rules, grammars.WEIGHTS | FURTHER, init=init, pops=pops), sentence)


@settings(max_examples=80, deadline=None)
@given(phrases.phrases(), phrases.sentences, st.sampled_from([-1, 0, 2]))
def test_phrases_find_the_best_of_all_derivations(
    found: list[Phrase], sentence: list[str], limit: int
) -> None:
    weights = phrases.WEIGHTS | FURTHER
    scores = sorted(
        (
            phrases.score_of(path, sentence, weights, 3)
            + further_score(oracle.words_of(path), weights)
            for path in oracle.paths(found, sentence, None if limit < 0 else limit)
        ),
        reverse=True,
    )
    for method in ("cube", "stack"):
        options = replace(phrases.EXACT, method=method, distortion_limit=limit)
        decoder = phrase(found, weights, options)
        assert decoder.decode(sentence).score == pytest.approx(scores[0], abs=1e-4)
        kept = decoder.kbest(sentence, 20, unique=False)
        assert [each.score for each in kept] == pytest.approx(scores[:20], abs=1e-4)
        assert decoder.forest(sentence).count() == len(scores)


@settings(max_examples=60, deadline=None)
@given(
    phrases.phrases(),
    phrases.sentences,
    st.sampled_from(["cube", "stack"]),
    st.integers(1, 6),
)
def test_features_of_phrases_make_the_score(
    found: list[Phrase], sentence: list[str], method: Literal["cube", "stack"], room: int
) -> None:
    options = PhraseSearch(method=method, pops=room, stack=room)
    check_features(phrase(found, phrases.WEIGHTS | FURTHER, options), sentence)


@settings(max_examples=40, deadline=None)
@given(rules=grammars.grammars, found=phrases.phrases(), sentence=phrases.sentences, init=inits)
def test_models_without_weight_change_no_score(
    rules: list[cky.Rule],
    found: list[Phrase],
    sentence: list[str],
    init: Literal["eager", "lazy"],
) -> None:
    nothing = dict.fromkeys(FURTHER, 0.0)
    with_them = hiero(rules, grammars.WEIGHTS | nothing, init=init)
    without = HieroDecoder(
        with_them.rules, with_them.lm, grammars.WEIGHTS, options=with_them.options
    )
    assert with_them.decode(sentence).score == without.decode(sentence).score
    both = phrase(found, phrases.WEIGHTS | nothing, phrases.EXACT)
    alone = PhraseDecoder(both.rules, both.lm, phrases.WEIGHTS, options=phrases.EXACT)
    assert both.decode(sentence).score == alone.decode(sentence).score


def test_a_word_is_its_class_for_a_model_of_classes() -> None:
    lm = class_lm()
    model = further()[0]
    assert [model.find(word) for word in ("b", "c")] == [lm.find("1")] * 2
    assert model.find("nowhere") == 0
    assert [further()[1].find(word) for word in ("a", "<s>", "</s>")] == [
        second_lm().find("a"), 0, 0,
    ]  # fmt: skip


def test_further_models_have_the_last_features_and_need_a_first_model() -> None:
    table = rule_table([cky.Rule("X", ("A",), ("a",), -1.0)])
    decoder = HieroDecoder(table, language_model(2), {}, further=further())
    assert decoder.feature_names[-2:] == ("ClassModel", "Second")
    assert decoder.with_weights({"Second": 1.0}).weights["Second"] == 1.0
    with pytest.raises(ArgumentError, match="need a first one"):
        HieroDecoder(table, None, {}, further=further())
    with pytest.raises(ArgumentError, match="the weight of ClassModel"):
        decoder.with_weights({"ClassModel": math.nan})


def test_the_number_of_threads_and_what_came_before_do_not_show() -> None:
    found = [
        Phrase((source,), (target,), {"score": score})
        for source, target, score in [
            ("A", "a", -0.5), ("A", "the", -0.25), ("B", "b", -1.0), ("B", "of", -0.125),
            ("C", "c", 0.0),
        ]
    ]  # fmt: skip
    rules = [cky.Rule("X", each.source, each.target, each.scores["score"]) for each in found]
    lines = ["A B C", "C A", "D the A", "", "B B A C"] * 5
    for decoder in (
        hiero(rules, grammars.WEIGHTS | FURTHER, pops=3, init="lazy"),
        phrase(found, phrases.WEIGHTS | FURTHER, PhraseSearch(pops=5)),
    ):
        alone = [decoder.with_weights(decoder.weights).decode(line).score for line in lines[:5]]
        for threads in (1, 3):
            many = decoder.decode_lines(lines, threads=threads)
            assert [each.score for each in many] == alone * 5


UNITS = ["a|A b|B c|C", "the| a|A of|A|B", "b|B|C d| a|A", "c|C the|the e|", "D|D a|B"]


@cache
def unit_lm() -> LanguageModel:
    with TemporaryDirectory() as folder:
        text = Path(folder) / "units"
        text.write_text("\n".join(UNITS), encoding="utf-8")
        return estimate(text, order=3).model()


UNIT_CLASSES = {unit: i % 3 for i, unit in enumerate(sorted(set(" ".join(UNITS).split())))}


@cache
def unit_class_lm() -> LanguageModel:
    with TemporaryDirectory() as folder:
        text = Path(folder) / "units"
        text.write_text("\n".join(UNITS), encoding="utf-8")
        return class_model(text, UNIT_CLASSES, order=3).model()


def bilingual(*, classes: bool) -> FurtherModel:
    if classes:
        return FurtherModel("BilingualModel", unit_class_lm(), UNIT_CLASSES, sees="units")
    return FurtherModel("BilingualModel", unit_lm(), sees="units")


def unit_score(path: oracle.Path, *, classes: bool) -> float:
    units = oracle.units_of(path)
    if classes:
        named = (str(UNIT_CLASSES.get(unit, "none")) for unit in units)
        return math.log(10) * unit_class_lm().score(" ".join(named))
    return math.log(10) * unit_lm().score(" ".join(units))


@settings(max_examples=80, deadline=None)
@given(phrases.linked_phrases(), phrases.sentences, st.sampled_from([-1, 0, 2]), st.booleans())
def test_models_of_units_see_the_links_of_phrases(
    found: list[Phrase], sentence: list[str], limit: int, classes: bool
) -> None:
    weights = phrases.WEIGHTS | {"BilingualModel": 0.7, "Second": 0.3}
    ln10 = math.log(10)
    scores = sorted(
        (
            phrases.score_of(path, sentence, weights, 3)
            + weights["BilingualModel"] * unit_score(path, classes=classes)
            + weights["Second"] * ln10 * second_lm().score(" ".join(oracle.words_of(path)))
            for path in oracle.paths(found, sentence, None if limit < 0 else limit)
        ),
        reverse=True,
    )
    models = (bilingual(classes=classes), FurtherModel("Second", second_lm()))
    for method in ("cube", "stack"):
        options = replace(phrases.EXACT, method=method, distortion_limit=limit)
        table = phrases.phrase_table(found)
        decoder = PhraseDecoder(table, language_model(3), weights, further=models, options=options)
        assert decoder.decode(sentence).score == pytest.approx(scores[0], abs=1e-4)
        kept = decoder.kbest(sentence, 20, unique=False)
        assert [each.score for each in kept] == pytest.approx(scores[:20], abs=1e-4)
        for each in kept:
            dot = sum(weights.get(name, 0.0) * value for name, value in each.features.items())
            assert each.score == pytest.approx(dot, abs=1e-5)
            own = sum(each.scores_of(number)["BilingualModel"] for number in range(len(each.steps)))
            assert own == pytest.approx(each.features["BilingualModel"], abs=1e-5)
        forest = decoder.forest(sentence)
        assert forest.count() == len(scores)
        assert forest.rescore(decoder.weights).viterbi().score == pytest.approx(scores[0], abs=1e-4)


def test_a_unit_is_a_word_with_the_source_words_it_is_linked_to() -> None:
    assert units("das haus im ort", "the house in the town", "0-0 1-1 2-3 2-2 3-4 1-4") == [
        "the|das", "house|haus", "in|im", "the|im", "town|haus|ort",
    ]  # fmt: skip
    assert units("a", "x y", "") == ["x|", "y|"]
    model = bilingual(classes=False)
    assert model.find("a|A") == unit_lm().find("a|A") != 0
    assert model.find("a") == 0


def test_hiero_has_no_models_of_units() -> None:
    table = rule_table([cky.Rule("X", ("A",), ("a",), -1.0)])
    with pytest.raises(ArgumentError, match="models of units"):
        HieroDecoder(table, language_model(2), {}, further=[bilingual(classes=False)])
