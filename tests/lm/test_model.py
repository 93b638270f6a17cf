"""Scores: equal to the definition, to KenLM's, and to themselves by every way of asking."""

from __future__ import annotations

import gzip
import random
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from demotic.errors import ArgumentError
from demotic.lm import LanguageModel
from tests.lm import models
from tests.oracles import backoff

JOSHUA = "decoder-tests/joshua/lm.gz"  # the largest
PEER_MODELS = [
    "lm-reference/lm.o2.arpa.gz",
    "lm-reference/lm.o3.arpa.gz",
    "lm-reference/lm.o5.arpa.gz",
    "decoder-tests/kenlm/test.arpa",
    "decoder-tests/kenlm/test_nounk.arpa",
    "decoder-tests/kenlm/toy0.arpa",
    "decoder-tests/kenlm/toy1.arpa",
    JOSHUA,
    "decoder-tests/joshua/phrase_decoder/lm.1.gz",
    "decoder-tests/joshua/lattice-short/test.lm",
    "decoder-tests/moses/models/lexicalized-reordering/europarl.lm.gz",
    "decoder-tests/moses/tests/phrase.lattice-distortion/small.lm",
]

folder_is_shared = settings(
    max_examples=80,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def arpa_text(path: Path) -> str:
    content = path.read_bytes()
    return (gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content).decode()


def peer(path: Path, folder: Path) -> Any:
    """The model as KenLM reads it."""
    kenlm = pytest.importorskip("kenlm")
    plain = folder / "plain.arpa"
    plain.write_text(arpa_text(path))
    config = kenlm.Config()
    config.show_progress = False
    config.arpa_complain = kenlm.ARPALoadComplain.NONE
    return kenlm.Model(str(plain), config)


def random_sentences(path: Path, count: int) -> list[str]:
    """Pieces of the model's own n-grams, so that long matches, back-offs and OOVs all happen."""
    choose = random.Random(7)
    ngrams = [line.split("\t")[1] for line in arpa_text(path).split("\n") if "\t" in line]
    ngrams = [words for words in ngrams if "<s>" not in words]
    return [
        " ".join(choose.choice(ngrams) if choose.random() < 0.9 else "xyzzy" for _ in range(6))
        for _ in range(count)
    ]


@pytest.mark.parametrize("name", PEER_MODELS)
def test_scores_lengths_and_oovs_equal_kenlm(name: str, data: Path, tmp_path: Path) -> None:
    lm, theirs = LanguageModel.load(data / name), peer(data / name, tmp_path)
    assert lm.order == theirs.order
    for sentence in random_sentences(data / name, 300):
        for bos, eos in ((True, True), (False, False)):
            ours = lm.full_scores(sentence, bos=bos, eos=eos)
            expected = list(theirs.full_scores(sentence, bos=bos, eos=eos))
            assert [(each.length, each.oov) for each in ours] == [each[1:] for each in expected]
            np.testing.assert_allclose(
                [each.log10 for each in ours], [each[0] for each in expected], atol=1e-4
            )
            assert lm.score(sentence, bos=bos, eos=eos) == pytest.approx(
                theirs.score(sentence, bos=bos, eos=eos), abs=1e-4 * len(ours)
            )
        assert lm.perplexity(sentence) == pytest.approx(theirs.perplexity(sentence), rel=1e-4)


@pytest.mark.parametrize("name", ["decoder-tests/kenlm/test.arpa", "lm-reference/lm.o5.arpa.gz"])
def test_states_recombine_exactly_where_kenlm_states_do(
    name: str, data: Path, tmp_path: Path
) -> None:
    lm, theirs = LanguageModel.load(data / name), peer(data / name, tmp_path)
    State = pytest.importorskip("kenlm").State
    pairs = set()
    for sentence in random_sentences(data / name, 200):
        ours, other = lm.begin_sentence(), State()
        theirs.BeginSentenceWrite(other)
        for word in sentence.split():
            after = State()
            theirs.BaseScore(other, word, after)
            other = after
            ours = lm.extend(ours, word)[1]
            pairs.add((ours, other))
    # As many states of each kind as pairs of them: one belongs to one.
    assert len({ours for ours, _ in pairs}) == len(pairs) == len({other for _, other in pairs})


@folder_is_shared
@given(models.ngrams(), models.sentences)
def test_score_is_the_back_off_definition(
    tmp_path: Path, ngrams: backoff.Ngrams, words: list[str]
) -> None:
    lm = models.load(ngrams, tmp_path)
    history = ["<s>"]
    for word, got in zip([*words, "</s>"], lm.full_scores(" ".join(words)), strict=True):
        expected = backoff.score(ngrams, history, word)
        assert got.log10 == pytest.approx(expected, abs=1e-4)
        assert got.oov == (word in ("<unk>", "zebra"))
        assert lm.score_ngram(history, word).log10 == pytest.approx(expected, abs=1e-4)
        history.append(word)
    assert lm.score(" ".join(words)) == pytest.approx(backoff.sentence(ngrams, words), abs=1e-3)


@folder_is_shared
@given(models.ngrams(), models.sentences)
def test_state_is_the_longest_suffix_that_an_ngram_extends(
    tmp_path: Path, ngrams: backoff.Ngrams, words: list[str]
) -> None:
    # Prefixes of n-grams and n-grams with a back-off to pay, and the suffixes of both.
    prefixes = {n[:k] for n in ngrams for k in range(1, len(n))}
    order = models.order_of(ngrams)
    paid = {n for n, (_, backoff) in ngrams.items() if backoff != 0 and len(n) < order}
    spans = {p[k:] for p in prefixes | paid for k in range(len(p))}
    lm = models.load(ngrams, tmp_path)
    state, history = lm.begin_sentence(), ["<s>"]
    for word in words:
        state = lm.extend(state, word)[1]
        history.append(word if word != "zebra" else "<unk>")
        suffixes = [tuple(history[-k:]) for k in range(1, len(history) + 1)]
        expected = [len(s) for s in suffixes if s in spans]
        assert state.length <= max(expected, default=0)
        # And it is long enough: whatever follows scores as with the whole history.
        for following in models.WORDS:
            assert lm.extend(state, following)[0].log10 == pytest.approx(
                backoff.score(ngrams, history, following), abs=1e-4
            )


@folder_is_shared
@given(models.ngrams(), models.sentences, models.sentences)
def test_equal_states_give_equal_scores(
    tmp_path: Path, ngrams: backoff.Ngrams, one: list[str], other: list[str]
) -> None:
    lm = models.load(ngrams, tmp_path)

    def after(words: list[str]) -> tuple[object, list[float]]:
        state = lm.begin_sentence()
        for word in words:
            state = lm.extend(state, word)[1]
        return state, [lm.extend(state, word)[0].log10 for word in models.WORDS]

    (first, scores), (second, others) = after(one), after(other)
    if first == second:
        assert hash(first) == hash(second)
        assert scores == others


@pytest.fixture(scope="module")
def trigrams(data: Path) -> LanguageModel:
    return LanguageModel.load(data / "lm-reference/lm.o3.arpa.gz")


@pytest.fixture(scope="module")
def lines(data: Path) -> list[str]:
    return gzip.decompress((data / "lm-reference/text.en.gz").read_bytes()).decode().splitlines()


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_batch_equals_single_sentences_for_any_threads(
    trigrams: LanguageModel, lines: list[str], threads: int
) -> None:
    lines = [*lines, "", "xyzzy a plugh", "  a \t b  "]
    scores = trigrams.score_lines(lines, threads=threads)
    assert scores.log10.tolist() == [trigrams.score(line) for line in lines]
    assert scores.words.tolist() == [len(line.split()) + 1 for line in lines]
    assert scores.oovs.tolist()[-2] == 2
    as_bytes = trigrams.score_lines("\n".join(lines).encode(), threads=threads)
    assert as_bytes.log10.tolist() == scores.log10.tolist()


def test_perplexity_counts_end_of_sentence_and_leaves_out_oov(trigrams: LanguageModel) -> None:
    scores = trigrams.score_lines(["xyzzy i am here", "you are"])
    words = [each for line in ("xyzzy i am here", "you are") for each in trigrams.full_scores(line)]
    assert scores.perplexity == pytest.approx(10 ** -np.mean([each.log10 for each in words]))
    known = [each.log10 for each in words if not each.oov]
    assert len(known) == len(words) - 1
    assert scores.perplexity_without_oov == pytest.approx(10 ** -np.mean(known))


def test_no_lines_have_no_scores(trigrams: LanguageModel) -> None:
    assert len(trigrams.score_lines([])) == len(trigrams.score_lines(b"")) == 0
    assert trigrams.score_lines([]).perplexity == 1.0


def test_one_string_in_place_of_lines_is_an_error(trigrams: LanguageModel) -> None:
    with pytest.raises(ArgumentError, match="several strings"):
        trigrams.score_lines("you are here")
    with pytest.raises(ArgumentError, match="line break"):
        trigrams.score_lines(["you are\nhere"])


def test_vocabulary_lists_the_words(trigrams: LanguageModel) -> None:
    words = trigrams.vocabulary
    assert words[0] == "<unk>"
    assert len(words) == trigrams.counts[0]
    assert words[1:3] == [words[1], words[2]]
    assert words[-1] == words[len(words) - 1]
    assert all(word in trigrams for word in words[1:])
    assert "xyzzy" not in trigrams
    assert "xyzzy" not in words
    with pytest.raises(IndexError):
        words[len(words)]


def test_history_longer_than_the_order_changes_nothing(trigrams: LanguageModel) -> None:
    far = ["you", "are", "all", "that", "i"]
    assert trigrams.score_ngram(far, "am") == trigrams.score_ngram(far[-2:], "am")
    assert trigrams.score_ngram([], "am").length == 1


@folder_is_shared
@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=30))
def test_any_text_has_a_score(trigrams: LanguageModel, text: str) -> None:
    # White space is ASCII's, as KenLM has it: other blanks belong to words.
    words = len(re.findall(r"[^ \t\n\v\f\r]+", text))
    assert len(trigrams.full_scores(text, eos=False)) == words
    assert np.isfinite(trigrams.score(text))
