"""Words and bags: what is learned, what is predicted, what is kept."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from demotic.errors import ArgumentError
from demotic.learn import BoostingOptions
from demotic.transduce import (
    Mixture,
    Numbering,
    WordCorpus,
    WordTransducer,
    one_to_one,
    one_to_one_bound,
    score_bags,
)
from demotic.transduce.bags import bags_of
from demotic.transduce.corpus import NULL, UNSEEN
from demotic.transduce.words import load_words


def corpus(size: int, seed: int, *, tags: bool = False, others: bool = False) -> WordCorpus:
    """'bank' is Ufer beside 'river', Bank otherwise; 'the' has an article by what follows, or
    none; '.' is itself."""
    draw = random.Random(seed)
    rows: dict[str, list[Any]] = {"source": [], "target": [], "links": [], "tags": [], "others": []}
    for _ in range(size):
        noun = draw.choice(["bank", "dog", "NULL"])
        beside = draw.choice(["river", "money", "green"])
        source = ["the", beside, "the", noun, "."]
        names = {"dog": "Hund", "NULL": "NULL", "bank": "Ufer" if beside == "river" else "Bank"}
        article = {"bank": "das" if beside == "river" else "die", "dog": "der", "NULL": "die"}[noun]
        if draw.random() < 0.1:
            article = draw.choice(["der", "die", "das"])
        target = [article, names[noun], "."]
        links = [-1, -1, 0, 1, 2]
        if draw.random() < 0.2:
            links[2] = -1
        rows["source"].append(source)
        rows["target"].append(target)
        rows["links"].append(links)
        rows["tags"].append(["D", "A", "D", "N", "P"])
        rows["others"].append([["D:d"], [], [f"D:h={noun}"], [f"D:m={beside}"], []])
    return WordCorpus(
        rows["source"],
        rows["target"],
        rows["links"],
        rows["tags"] if tags else None,
        rows["others"] if others else None,
    )


def accuracy(made: WordTransducer, held_out: WordCorpus) -> float:
    words = made.numbering.encode(held_out)
    places = made.trials(words)
    return float((made.predict(words, places) == words.gold[places.astype(np.int64)]).mean())


def baseline(made: WordTransducer, held_out: WordCorpus) -> float:
    words = made.numbering.encode(held_out)
    places = made.trials(words)
    found = made.most_frequent(words, places)
    return float((found == words.gold[places.astype(np.int64)]).mean())


@pytest.mark.parametrize("features", ["w", "c", "wc", "wd", "d"])
@pytest.mark.parametrize("null", ["linked", "all"])
def test_context_decides_where_frequency_cannot(features: str, null: Any) -> None:
    train, tune, dev = (corpus(n, seed, others=True) for n, seed in ((400, 1), (80, 2), (200, 3)))
    made = WordTransducer.train(train, features=features, null=null).tuned(tune)
    assert accuracy(made, dev) > baseline(made, dev) + 0.03
    assert made.size() > 0


def test_an_empty_model_is_the_baseline() -> None:
    made = WordTransducer.train(corpus(200, 1), features="w").at(1e9)
    words = made.numbering.encode(corpus(50, 2))
    assert np.array_equal(
        made.predict(words, words.everywhere), made.most_frequent(words, words.everywhere)
    )
    assert made.size() == 0


def test_words_that_training_has_not_seen_have_no_translation() -> None:
    made = WordTransducer.train(corpus(100, 1), features="w")
    words = made.numbering.encode(WordCorpus([["new", "dog"]], [["Neu", "Hund"]], [[0, 1]]))
    assert words.gold.tolist() == [UNSEEN, made.numbering.target["Hund"]]
    assert made.predict(words, words.everywhere).tolist() == [NULL, made.numbering.target["Hund"]]


def test_the_word_null_is_a_word() -> None:
    made = WordTransducer.train(corpus(100, 1), features="w")
    words = made.numbering.encode(WordCorpus([["NULL"]], [["NULL"]], [[0]]))
    [found] = made.predict(words, words.everywhere)
    assert found != NULL
    assert list(made.numbering.target)[found] == "NULL"


def test_words_with_one_translation_have_no_classifiers() -> None:
    made = WordTransducer.train(corpus(100, 1), features="w")
    dot = made.numbering.source["."]
    assert made.candidates.classes[dot] == 0
    assert len(made.candidates.of(dot)) == 1
    assert made.candidates.classes.sum() == len(made.ensembles)


def test_candidates_stand_by_their_frequency() -> None:
    train = corpus(300, 1)
    made = WordTransducer.train(train, features="w")
    counts: dict[str, int] = {}
    for source, target, links in zip(train.source, train.target, train.links, strict=True):
        for word, j in zip(source, links, strict=True):
            if word == "the" and j >= 0:
                counts[target[j]] = counts.get(target[j], 0) + 1
    names = list(made.numbering.target)
    found = [names[t] for t in made.candidates.of(made.numbering.source["the"])]
    assert [counts[name] for name in found] == sorted(counts.values(), reverse=True)


def test_training_takes_unlinked_words_only_if_told() -> None:
    linked = WordTransducer.train(corpus(100, 1), features="w", null="linked")
    everything = WordTransducer.train(corpus(100, 1), features="w", null="all")
    the = linked.numbering.source["the"]
    assert NULL not in linked.candidates.of(the)
    assert NULL in everything.candidates.of(the)


def test_lambda_is_the_largest_of_the_best() -> None:
    made = WordTransducer.train(corpus(300, 1), features="wc")
    tune = corpus(60, 4)
    lambdas = made.path()
    assert np.all(np.diff(lambdas) < 0)
    curve = made.accuracies(tune, lambdas)
    assert made.tuned(tune).lambda_ == lambdas[np.flatnonzero(curve == curve.max())[0]]


def test_the_number_of_threads_does_not_show(tmp_path: Path) -> None:
    for threads in (1, 3):
        made = WordTransducer.train(corpus(200, 1), features="wc", threads=threads)
        made.at(1.0).save(tmp_path / f"words{threads}")
    assert (tmp_path / "words1").read_bytes() == (tmp_path / "words3").read_bytes()


@pytest.mark.parametrize("features", ["w", "wc", "wd", "wdc"])
def test_a_saved_model_says_the_same(features: str, tmp_path: Path) -> None:
    train, dev = (corpus(n, seed, tags=True, others=True) for n, seed in ((200, 1), (20, 2)))
    made = WordTransducer.train(train, features=features, null="all").at(1.5)
    made.save(tmp_path / "words")
    kept = load_words(tmp_path / "words", verify=True)
    assert (kept.window, kept.cooccurrence) == ("w" in features, "c" in features)
    words = made.numbering.encode(dev)
    source = words.ids.astype(np.int64)
    begins, scores = made.ensembles.scores(
        made.rows(words, words.everywhere),
        made.candidates.firsts[source],
        made.candidates.classes[source],
        lambda_=1.5,
    )
    place = 0
    names, tags = kept.other_words(), kept.tag_words()
    for number, sentence in enumerate(dev.source):
        ids = [kept.find_source(word) for word in sentence]
        assert dev.tags is not None
        assert dev.others is not None
        tagged = [tags.index(tag) for tag in dev.tags[number]]
        others = [[names.index(x) for x in row if x in names] for row in dev.others[number]]
        for at, found in enumerate(kept.scores(ids, tagged, others)):
            own = scores[int(begins[place]) : int(begins[place + 1])]
            if len(own):
                assert found == pytest.approx(own.tolist(), abs=1e-9)
            targets, counts, _ = kept.candidates(ids[at])
            assert targets == made.candidates.of(ids[at]).tolist()
            assert counts == sorted(counts, reverse=True)
            place += 1


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(ArgumentError, match="sentences"):
        WordCorpus([["a"]], [], [[0]])
    with pytest.raises(ArgumentError, match="sentence 1"):
        WordCorpus([["a"]], [["b"]], [[0, 0]])
    with pytest.raises(ArgumentError, match="leads nowhere"):
        WordCorpus([["a"]], [["b"]], [[1]])
    with pytest.raises(ArgumentError, match="features"):
        WordTransducer.train(corpus(5, 1), features="wx")
    with pytest.raises(ArgumentError, match="trees"):
        WordTransducer.train(corpus(5, 1), features="wd")
    with pytest.raises(ArgumentError, match="null"):
        WordTransducer.train(corpus(5, 1), null="none")  # type: ignore[arg-type]


def test_a_corpus_without_links_gives_a_model_that_says_nothing() -> None:
    empty = WordCorpus([["a", "b"], []], [["x"], []], [[-1, -1], []])
    made = WordTransducer.train(empty, features="wc", options=BoostingOptions())
    words = made.numbering.encode(empty)
    assert made.predict(words, words.everywhere).tolist() == [NULL, NULL]
    assert made.tuned(empty).size() == 0


def test_only_links_of_both_directions_count() -> None:
    forward, backward = [(0, 0), (1, 1), (2, 1)], [(0, 0), (2, 1), (1, 2)]
    assert one_to_one([(3, forward, backward)]) == [[0, -1, 1]]


words_ = st.lists(st.sampled_from("abcd"), max_size=6)


@given(st.lists(st.tuples(words_, words_), max_size=4))
def test_bags_match_what_can_be_paired(pairs: list[tuple[list[str], list[str]]]) -> None:
    found, references = [a for a, _ in pairs], [b for _, b in pairs]
    matches = 0
    for one, other in pairs:
        left = list(other)
        for word in one:
            if word in left:
                left.remove(word)
                matches += 1
    score = score_bags(found, references)
    assert score.precision == pytest.approx(matches / max(1, sum(map(len, found))))
    assert score.recall == pytest.approx(matches / max(1, sum(map(len, references))))
    assert 0 <= score.f <= 1
    bound = one_to_one_bound(found, references)
    best = score_bags([b[: len(a)] for a, b in pairs], references)
    assert bound.recall == pytest.approx(best.recall)


def test_bags_drop_null_and_keep_sentences() -> None:
    numbering = Numbering()
    text = WordCorpus([["a", "b"], [], ["a"]], [["x"], [], ["y"]], [[0, -1], [], [0]])
    numbering.learn(text)
    words = numbering.encode(text)
    assert bags_of(words.gold, words, list(numbering.target)) == [["x"], [], ["y"]]


def test_a_mixture_takes_for_each_word_what_is_best_on_it() -> None:
    train, tune, dev = (corpus(n, seed) for n, seed in ((300, 1), (100, 2), (150, 3)))
    far = WordTransducer.train(train, features="c", null="all").tuned(tune)
    nothing = far.at(1e9)
    mixed = Mixture.choose([nothing, far], tune)
    assert mixed.best == 1
    found = mixed.predict(dev)
    words = far.numbering.encode(dev)
    names = list(far.numbering.target)
    right = [
        [None if g == NULL else names[g] for g in words.gold[begin:end]]
        for begin, end in zip([0, *words.ends[:-1]], words.ends, strict=True)
    ]
    share = np.mean(
        [a == b for x, y in zip(found, right, strict=True) for a, b in zip(x, y, strict=True)]
    )
    assert share >= accuracy(far, dev) - 0.01
    swapped = Mixture.choose([far, nothing], tune)
    assert swapped.predict(dev) == found
