"""The decoder by labels finds what trying everything finds, and says how it came about."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demotic import _core
from demotic.align import Links, Text
from demotic.decode import (
    AmasisDecoder,
    AmasisDerivation,
    AmasisSearch,
    Bounded,
    HieroDecoder,
    HieroSearch,
    PhraseDecoder,
)
from demotic.errors import ArgumentError, CorruptFileError
from demotic.grammar import RuleTable, extract_items, label_corpora
from demotic.learn.boosting import BoostingOptions
from demotic.systems.amasis.config import LabelConfig
from demotic.systems.amasis.labels import learn_labels
from tests.decode import phrases as toys
from tests.decode.grammars import language_model
from tests.oracles import amasis_search as oracle
from tests.oracles import container
from tests.oracles.phrase_search import Phrase, Placed

ALL = 1_000_000
WEIGHTS = {name: value for name, value in toys.WEIGHTS.items() if name != "Distortion"}
MOST = 4
EXACT = AmasisSearch(
    beam=ALL, table_limit=ALL, order="all", close="forced", reductions=MOST, labels=0
)


def known_words(order: int) -> set[str]:
    lm = language_model(order)
    return {word for word in [*"abcdexyABCD", "the", "of"] if word in lm}


def features_of(way: oracle.Way, order: int) -> Counter[str]:
    total: Counter[str] = Counter()
    for placed in way.items:
        total.update(placed.phrase.scores)
        total["PassThrough" if placed.phrase.passed else "RulePenalty"] += 1
        total["WordPenalty"] += len(placed.phrase.target)
        total["UnknownWord"] += sum(w not in known_words(order) for w in placed.phrase.target)
    return total


def score_of(way: oracle.Way, weights: Mapping[str, float], order: int) -> float:
    total = sum(weights.get(k, 0.0) * v for k, v in features_of(way, order).items())
    lm = language_model(order).score(" ".join(way.words))
    return total + weights["LanguageModel"] * math.log(10) * lm + way.worth


def decoder(
    phrases: Sequence[Phrase], options: AmasisSearch = EXACT, order: int = 3
) -> AmasisDecoder:
    return AmasisDecoder(
        toys.phrase_table(phrases), language_model(order), WEIGHTS, options=options
    )


@settings(max_examples=60, deadline=None)
@given(toys.phrases(fewest_words=0), toys.sentences, st.sampled_from([2, 3]))
def test_exact_search_finds_the_best_of_all_derivations(
    phrases: list[Phrase], sentence: list[str], order: int
) -> None:
    found = decoder(phrases, order=order).decode(sentence)
    every = oracle.ways(
        phrases, sentence, oracle.any_label(MOST, forced=True), most=MOST, forced=True
    )
    assert found.score == pytest.approx(
        max(score_of(way, WEIGHTS, order) for way in every), abs=1e-4
    )


@settings(max_examples=40, deadline=None)
@given(toys.phrases(fewest_words=0), toys.sentences)
def test_stacks_that_are_left_are_joined(phrases: list[Phrase], sentence: list[str]) -> None:
    options = replace(EXACT, close="join")
    found = decoder(phrases, options).decode(sentence)
    every = list(oracle.ways(phrases, sentence, oracle.any_label(MOST, forced=False)))
    assert found.score == pytest.approx(max(score_of(w, WEIGHTS, 3) for w in every), abs=1e-4)
    assert decoder(phrases, options).forest(sentence).count() == len(every)


@settings(max_examples=40, deadline=None)
@given(toys.phrases(fewest_words=0), toys.sentences)
def test_the_graph_holds_each_derivation_once(phrases: list[Phrase], sentence: list[str]) -> None:
    made = decoder(phrases)
    every = list(
        oracle.ways(phrases, sentence, oracle.any_label(MOST, forced=True), most=MOST, forced=True)
    )
    forest = made.forest(sentence)
    assert forest.count() == len(every)
    assert forest.viterbi().score == pytest.approx(made.decode(sentence).score, abs=1e-4)
    listed = made.kbest(sentence, ALL, unique=False)
    assert sorted(d.score for d in listed) == pytest.approx(
        sorted(score_of(way, WEIGHTS, 3) for way in every), abs=1e-4
    )
    words = {way.words for way in every}
    assert {d.tokens for d in made.kbest(sentence, ALL)} == words


@settings(max_examples=40, deadline=None)
@given(toys.phrases(fewest_words=0), toys.sentences, st.sampled_from(["join", "forced"]))
def test_enough_pops_find_what_trying_everything_finds(
    phrases: list[Phrase], sentence: list[str], close: str
) -> None:
    every = replace(EXACT, close=close)
    one = decoder(phrases, every)
    other = decoder(phrases, replace(every, pops=ALL))
    assert other.decode(sentence).score == pytest.approx(one.decode(sentence).score, abs=1e-6)
    assert other.forest(sentence).count() == one.forest(sentence).count()
    assert other.counters.candidates == one.counters.candidates


@settings(max_examples=60, deadline=None)
@given(toys.phrases(fewest_words=0), toys.sentences, st.booleans())
def test_a_derivation_is_the_execution_of_its_labels(
    phrases: list[Phrase], sentence: list[str], joins: bool
) -> None:
    options = replace(EXACT, close="join", beam=3, pops=5) if joins else EXACT
    made = decoder(phrases, options)
    for found in made.kbest(sentence, 20):
        assert isinstance(found, AmasisDerivation)
        shifts = found.shifts()
        stack: list[tuple[str, ...]] = []
        for shift in shifts:
            stack.append(shift.target)
            for sign in shift.operations[1:]:
                right, left = stack.pop(), stack.pop()
                stack.append(left + right if sign == "R+" else right + left)
            assert shift.stack == tuple(stack)
        assert tuple(word for fragment in stack for word in fragment) == found.tokens
        assert [w for s in shifts for w in s.source] == sentence
        total = sum(WEIGHTS.get(name, 0.0) * value for name, value in found.features.items())
        assert total == pytest.approx(found.score, abs=1e-4)
        assert sum(step.score for step in found.steps) == pytest.approx(found.score, abs=1e-6)
        lm = language_model(3).score(found.text) * math.log(10)
        assert found.features["LanguageModel"] == pytest.approx(lm, abs=1e-5)


@settings(max_examples=40, deadline=None)
@given(toys.phrases(), toys.sentences)
def test_in_order_it_is_the_phrase_decoder_without_jumps(
    phrases: list[Phrase], sentence: list[str]
) -> None:
    ours = decoder(phrases, replace(EXACT, order="monotone")).decode(sentence)
    options = replace(toys.EXACT, distortion_limit=0)
    theirs = PhraseDecoder(
        toys.phrase_table(phrases), language_model(3), WEIGHTS, options=options
    ).decode(sentence)
    assert ours.score == pytest.approx(theirs.score, abs=1e-4)


@settings(max_examples=30, deadline=None)
@given(toys.phrases(), toys.sentences)
def test_in_any_order_it_is_the_chart_decoder_of_two_rules(
    phrases: list[Phrase], sentence: list[str]
) -> None:
    weights = WEIGHTS | {"RulePenalty": 0.0}
    ours = AmasisDecoder(
        toys.phrase_table(phrases), language_model(3), weights, options=EXACT
    ).decode(sentence)
    folder = Path(mkdtemp())
    lines = [
        f"[X] ||| {' '.join(p.source)} ||| {' '.join(p.target)} ||| score={p.scores['score']!r}"
        for p in phrases
    ]
    lines += [f"[X] ||| [X,1] [X,2] ||| {order} ||| score=0.0" for order in ("[1] [2]", "[2] [1]")]
    (folder / "rules.txt").write_text("\n".join(lines) + "\n")
    table = RuleTable.from_text(folder / "rules.txt", format="cdec", out=folder / "rules.bin")
    options = HieroSearch(pops=ALL, span_limit=99)
    theirs = HieroDecoder(table, language_model(3), weights, options=options).decode(sentence)
    assert ours.score == pytest.approx(theirs.score, abs=1e-4)


# -- learned labels ------------------------------------------------------------------------------


def aligned(seed: int, pairs: int = 80) -> tuple[Text, Text, Links]:
    """Sentences of a language that puts adjectives behind nouns, some words of it untranslated."""
    rng = random.Random(seed)
    sources, targets, links = [], [], Links()
    for _ in range(pairs):
        source, target, line = [], [], []
        for _ in range(rng.randint(1, 3)):
            noun, adjective = rng.choice("ABC"), rng.choice("DE")
            source += [noun, adjective]
            target += [{"D": "d", "E": "e"}[adjective], noun.lower()]
            line += [
                (len(source) - 2, len(target) - 1),
                (len(source) - 1, len(target) - 2),
            ]
            if rng.random() < 0.3:
                source.append("of")
        sources.append(" ".join(source))
        targets.append(" ".join(target))
        links.append(sorted(line))
    return Text.of(sources), Text.of(targets), links


@cache
def trained(config: LabelConfig) -> tuple[RuleTable, _core.LabelModel, Text, Text]:
    folder = Path(mkdtemp())
    source, target, links = aligned(1)
    table, _ = extract_items(source, target, links, out=folder / "rules.bin")
    classes = {"A": 0, "B": 0, "C": 0, "D": 1} if config.features == "classes" else None
    corpora = label_corpora(
        source, target, links, min_count=config.min_count, features=config.features,
        stack=config.stack, words=config.loss == "bleu", classes=classes,
    )  # fmt: skip
    learn_labels(corpora, source, target, config, out=folder / "labels.bin", classes=classes)
    return table, _core.LabelModel(str(folder / "labels.bin"), True), source, target


KNOWN = {"a", "b", "c", "d", "e"}
GROWN = BoostingOptions(lambda_min=0.5)
LEARNED = WEIGHTS | {"TargetGivenSource": 0.9, "Label": 0.4}
del LEARNED["score"]


def phrases_of(table: RuleTable) -> list[Phrase]:
    rules = [table[i] for i in range(len(table))]
    return [Phrase(r.source, r.target, dict(r.scores)) for r in rules]


def choose_by(
    model: _core.LabelModel, source: Text, target: Text, sentence: Sequence[str], labels: int,
    weight: float, forced: bool,
) -> oracle.Choose:  # fmt: skip
    ids = [source.vocab.find(word) for word in sentence]
    most = len(model.counts) // 2

    def number(word: str) -> int:
        return target.vocab.find(word) if word in KNOWN else 2**32 - 2

    def choose(placed: Placed, depth: int, left: int, way: oracle.Way) -> list[tuple[int, float]]:
        words = [number(word) for word in placed.phrase.target]
        borders = [number(way.stack[-1][0]), number(way.stack[-1][-1])] if way.stack else []
        if len(way.stack) > 1:
            borders.append(number(way.stack[-2][-1]))
        scores = model.scores(
            ids, placed.begin, placed.end, words, depth, list(way.chosen), borders
        )
        fitting = [
            label
            for label, count in enumerate(model.counts)
            if count and (r := (label + 1) // 2) <= depth
            and (not forced or oracle.closes(depth + 1 - r, left, most))
        ]  # fmt: skip
        top = max(scores[label] for label in fitting)
        logs = {x: (scores[x] - top) / model.temperature for x in fitting}
        total = math.log(sum(math.exp(each) for each in logs.values()))
        ranked = sorted(fitting, key=lambda x: (-scores[x], -model.counts[x], x))
        return [(x, weight * (logs[x] - total)) for x in ranked[:labels]]

    return choose


@pytest.mark.parametrize("mask", ["none", "full"])
@pytest.mark.parametrize(
    "looks",
    [
        {"features": "paper"},
        {"features": "context"},
        {"features": "context", "depth": True},
        {"features": "paper", "stack": True},
        {"features": "classes", "stack": True, "depth": True, "learner": "softmax"},
        {"features": "context", "depth": True, "learner": "boosted", "boosting": GROWN},
        {"features": "classes", "stack": True, "learner": "boosted", "boosting": GROWN},
    ],
)
@pytest.mark.parametrize("labels", [1, 2])
def test_learned_labels_are_those_of_the_classifier(
    mask: str, looks: dict[str, object], labels: int
) -> None:
    config = LabelConfig(mask=mask, min_count=2, **looks)  # type: ignore[arg-type]
    table, model, source, target = trained(config)
    forced = mask == "full"
    options = AmasisSearch(
        beam=ALL, table_limit=ALL, labels=labels, close="forced" if forced else "join"
    )
    made, cubes = (
        AmasisDecoder(
            table, language_model(3), LEARNED, labels=model, options=replace(options, pops=pops)
        )
        for pops in (0, ALL)
    )
    for sentence in ("A D B E", "of A D", "B E of C D", "unknown A D", "A", "A D E B D"):
        words = sentence.split()
        choose = choose_by(model, source, target, words, labels, LEARNED["Label"], forced)
        most = len(model.counts) // 2
        every = list(oracle.ways(phrases_of(table), words, choose, most=most, forced=forced))
        best = max(score_of(way, LEARNED, 3) for way in every)
        assert made.decode(words).score == pytest.approx(best, abs=1e-4)
        assert cubes.decode(words).score == pytest.approx(best, abs=1e-4)
        assert made.forest(words).count() == cubes.forest(words).count() == len(every)
        for found in made.kbest(words, 5, unique=False):
            total = sum(LEARNED.get(name, 0.0) * value for name, value in found.features.items())
            assert total == pytest.approx(found.score, abs=1e-4)


@pytest.mark.parametrize("mask", ["none", "full"])
def test_an_area_is_a_sentence_to_its_labels(mask: Literal["none", "full"]) -> None:
    """Behind a wall labels are those of a sentence that begins there; in a zone too, and cubes find
    what trying everything finds."""
    config = LabelConfig(features="context", stack=True, depth=True, mask=mask, min_count=2)
    table, model, _, _ = trained(config)
    options = AmasisSearch(
        beam=ALL, table_limit=ALL, labels=2, close="join" if mask == "none" else "forced"
    )
    made, cubes = (
        AmasisDecoder(table, None, LEARNED, labels=model, options=replace(options, pops=pops))
        for pops in (0, ALL)
    )
    words = ["A", "D", "B", "E", "of", "C", "D"]
    walled = Bounded(words, walls=[4])
    assert (
        made.decode(walled).tokens == made.decode(words[:4]).tokens + made.decode(words[4:]).tokens
    )
    assert made.counters.unclosed == 0
    for zones in ([(1, 4)], [(4, 7), (5, 7)], [(1, 6), (2, 4)]):
        zoned = Bounded(words, zones=zones)
        assert cubes.decode(zoned).score == pytest.approx(made.decode(zoned).score, abs=1e-4)
        assert cubes.forest(zoned).count() == made.forest(zoned).count()
        scores = [each.score for each in made.kbest(zoned, 20, unique=False)]
        assert scores == sorted(scores, reverse=True)
        assert scores[0] == pytest.approx(made.decode(zoned).score, abs=1e-4)


@pytest.mark.parametrize("learner", ["perceptron", "boosted"])
def test_learned_labels_turn_adjectives_round(learner: str) -> None:
    config = LabelConfig(features="context", min_count=2, learner=learner)  # type: ignore[arg-type]
    table, model, _, _ = trained(config)
    assert (model.trees > 0) == (learner == "boosted")
    made = AmasisDecoder(table, language_model(3), LEARNED, labels=model)
    assert made.decode("A D of B E").text == "d a e b"


def test_labels_of_another_mask_are_refused() -> None:
    table, model, _, _ = trained(LabelConfig(min_count=2))
    with pytest.raises(ArgumentError, match="another mask"):
        AmasisDecoder(table, None, {}, labels=model, options=AmasisSearch(close="forced"))
    with pytest.raises(ArgumentError, match="no learned labels"):
        AmasisDecoder(table, None, {})


def test_labels_of_other_words_are_refused() -> None:
    _, model, _, _ = trained(LabelConfig(min_count=2))
    other = toys.phrase_table([Phrase(("A",), ("a",), {"score": 0.0})])
    with pytest.raises(CorruptFileError, match="other words"):
        AmasisDecoder(other, None, {}, labels=model)


def test_weights_that_are_no_numbers_are_refused(tmp_path: Path) -> None:
    source, target, links = aligned(1)
    corpora = label_corpora(source, target, links)
    learn_labels(corpora, source, target, LabelConfig(), out=tmp_path / "labels.bin")
    whole = (tmp_path / "labels.bin").read_bytes()
    parts = container.sections(whole)
    weights = np.frombuffer(parts[b"weights"], np.float32).copy()
    weights[3] = np.nan
    parts[b"weights"] = weights.tobytes()
    bad = container.container(whole[8:24].rstrip(b"\0"), whole[24], parts)
    (tmp_path / "bad.bin").write_bytes(bad)
    with pytest.raises(CorruptFileError, match="damaged label model"):
        _core.LabelModel(str(tmp_path / "bad.bin"), None)


def test_wider_beams_do_not_score_lower() -> None:
    table, model, _, _ = trained(LabelConfig(features="context", min_count=2))
    rng = random.Random(3)
    lines = [" ".join(rng.choices("ABCDE", k=8)) for _ in range(30)]
    means = []
    for beam in (1, 4, 16, 64, 256):
        options = AmasisSearch(beam=beam, labels=3)
        made = AmasisDecoder(table, language_model(3), LEARNED, labels=model, options=options)
        means.append(sum(d.score for d in made.decode_lines(lines)) / len(lines))
    assert means == sorted(means)
    assert means[0] < means[-1]


def test_comparing_stacks_as_if_they_were_joined_changes_what_is_kept_but_no_score() -> None:
    table, model, _, _ = trained(LabelConfig(features="context", min_count=2))
    rng = random.Random(3)
    lines = [" ".join(rng.choices("ABCDE", k=7)) for _ in range(30)]

    def scores(prune_lm: Literal["concat", "fragments"], beam: int) -> list[float]:
        options = AmasisSearch(beam=beam, labels=3, prune_lm=prune_lm)
        made = AmasisDecoder(table, language_model(3), LEARNED, labels=model, options=options)
        return [found.score for found in made.decode_lines(lines)]

    assert scores("concat", ALL) == pytest.approx(scores("fragments", ALL), abs=1e-6)
    assert sum(scores("concat", 2)) > sum(scores("fragments", 2))


@pytest.mark.parametrize("weight", [0.4, 0.0, -0.4])
def test_more_pops_make_more_hypotheses_and_reach_the_beams_score(weight: float) -> None:
    table, model, _, _ = trained(LabelConfig(features="context", min_count=2))
    rng = random.Random(3)
    lines = [" ".join(rng.choices([*"ABCDE", "of", "?"], k=9)) for _ in range(30)]
    weights = LEARNED | {"Label": weight}

    def mean(pops: int, beam: int) -> tuple[float, int]:
        options = AmasisSearch(beam=beam, pops=pops, labels=3)
        made = AmasisDecoder(table, language_model(3), weights, labels=model, options=options)
        return sum(d.score for d in made.decode_lines(lines)) / 30, made.counters.candidates

    few, some, many = (mean(pops, 1000) for pops in (1, 20, 1_000_000))
    everything = mean(0, 1000)
    assert few[1] < some[1] < many[1] == everything[1]
    assert few[1] <= 30 * 9
    assert few[0] < some[0] <= many[0] + 1e-9
    assert many[0] == pytest.approx(everything[0], abs=1e-6)


def test_results_do_not_depend_on_threads_or_on_what_came_before() -> None:
    table, model, _, _ = trained(LabelConfig(features="context", min_count=2))
    made = AmasisDecoder(table, language_model(3), LEARNED, labels=model)
    lines = ["A D B E", "", "E E of of", "A D B E C D " * 5]
    once = [(d.tokens, d.score) for d in made.decode_lines(lines)]
    assert once == [(d.tokens, d.score) for d in made.decode_lines(lines, threads=3)]
    assert once[1] == ((), 0.0)
    assert made.forest("").viterbi().tokens == ()
    assert [len(found) for found in made.kbest_lines(lines, 3)][1] == 1


def test_words_without_translation_are_counted() -> None:
    phrases = [
        Phrase(("A",), (), {"score": 5.0}),
        Phrase(("A",), ("a",), {"score": -50.0}),
    ]
    made = decoder(phrases, replace(EXACT, close="join"))
    assert made.decode("A A").tokens == ()
    assert made.counters.empty == 1
    assert made.decode("A D A").tokens == ("D",)  # D passes through


def test_long_sentences_are_no_trouble() -> None:
    made = decoder(
        [Phrase(("A",), ("a",), {"score": 0.0})], AmasisSearch(order="all", beam=5, reductions=2)
    )
    found = made.decode(["A"] * 3000)
    assert len(found.tokens) == 3000
    assert isinstance(found, AmasisDerivation)
    assert len(found.shifts()) == 3000
    assert found.tree().count("\n") >= 3000
    assert len(made.kbest(["A"] * 500, 3)) == 1


def test_work_grows_with_the_length_of_a_sentence_and_no_faster() -> None:
    table, model, _, _ = trained(LabelConfig(features="context", min_count=2))
    counts = []
    for times in (20, 40, 80):
        options = AmasisSearch(beam=20, labels=3)
        made = AmasisDecoder(table, language_model(3), LEARNED, labels=model, options=options)
        made.decode(["A", "D", "B", "E", "of"] * times)
        counts.append(made.counters.candidates)
    first, second = counts[1] - counts[0], counts[2] - counts[1]
    assert second == pytest.approx(2 * first, rel=0.05)


@pytest.mark.parametrize("pops", [0, 5])
def test_stacks_end_at_their_limit(pops: int) -> None:
    """A language model turned round makes every join cost: fragments pile up."""
    phrases = [Phrase(("A",), ("a",), {"score": 0.0})]
    lm = language_model(3)
    capped = 0
    for weight in (-1.0, 1.0):
        options = AmasisSearch(
            order="all", beam=1, pops=pops, reductions=1, prune_lm="fragments", labels=0
        )
        made = AmasisDecoder(
            toys.phrase_table(phrases), lm, WEIGHTS | {"LanguageModel": weight}, options=options
        )
        found = made.decode(["A"] * 300)
        assert isinstance(found, AmasisDerivation)
        assert found.tokens == ("a",) * 300
        deepest = max(len(shift.stack) for shift in found.shifts())
        assert deepest <= 255
        assert made.counters.shortened == (deepest == 255)
        assert made.counters.unclosed == (len(found.shifts()[-1].stack) > 1) == (weight > 0)
        capped += made.counters.shortened
    assert capped == 1


@pytest.mark.parametrize(
    "wrong",
    [
        {"beam": 0},
        {"pops": -1},
        {"table_limit": 0},
        {"labels": -1},
        {"order": "none"},
        {"reductions": 128},
    ],
)
def test_options_are_checked(wrong: dict[str, object]) -> None:
    with pytest.raises(ArgumentError):
        AmasisSearch(**wrong)  # type: ignore[arg-type]
