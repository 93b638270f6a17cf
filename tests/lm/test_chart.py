"""Fragments: whatever the bracketing, the changes add up to the left-to-right score."""

from __future__ import annotations

import gzip
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demotic.lm import Fragment, LanguageModel
from tests.lm import models
from tests.lm.test_model import folder_is_shared
from tests.oracles import backoff


def bracketed(lm: LanguageModel, words: list[str], choose: random.Random) -> tuple[Fragment, float]:
    """A random tree over the words: each node joins up to four pieces, words or subtrees."""
    parts: list[str | Fragment] = []
    total = 0.0
    at = 0
    while at < len(words):
        size = choose.randint(1, len(words) - at)
        if size == 1 or size == len(words):
            parts.append(words[at])
            at += 1
            continue
        child, score = bracketed(lm, words[at : at + size], choose)
        parts.append(child)
        total += score
        at += size
    made, change = lm.fragment(parts)
    return made, total + change


def whole_sentence(lm: LanguageModel, words: list[str], choose: random.Random) -> float:
    cut = choose.randint(0, len(words))
    left, left_score = bracketed(lm, words[:cut], choose)
    right, right_score = bracketed(lm, [*words[cut:], "</s>"], choose)
    if choose.random() < 0.5:
        return lm.fragment([left, right], bos=True)[1] + left_score + right_score
    begun, change = lm.fragment([left], bos=True)
    return lm.fragment([begun, right])[1] + change + left_score + right_score


@folder_is_shared
@given(models.ngrams(), models.sentences, st.randoms(use_true_random=False))
def test_any_bracketing_of_a_random_model_is_the_left_to_right_score(
    tmp_path: Path, ngrams: backoff.Ngrams, words: list[str], choose: random.Random
) -> None:
    lm = models.load(ngrams, tmp_path)
    assert whole_sentence(lm, words, choose) == pytest.approx(
        backoff.sentence(ngrams, words), abs=1e-4
    )


def test_a_backoff_that_no_ngram_uses_is_not_charged_at_the_end(tmp_path: Path) -> None:
    ngrams: backoff.Ngrams = {(word,): (-1.0, 0.0) for word in models.WORDS}
    ngrams |= {("a", "b"): (-1.0, 0.0), ("<s>", "c", "</s>"): (-1.0, -1.0)}
    ngrams |= {(*before, "c"): (-1.0, 0.0) for before in [("a",), ("a", "a"), ("a", "a", "a")]}
    lm = models.load(ngrams, tmp_path)
    right, inside = lm.fragment(["c", "</s>"])
    begun, start = lm.fragment([], bos=True)
    assert lm.fragment([begun, right])[1] + inside + start == pytest.approx(-2)


@pytest.mark.parametrize(
    "name",
    ["decoder-tests/kenlm/test.arpa", "lm-reference/lm.o5.arpa.gz", "lm-reference/lm.o2.arpa.gz"],
)
def test_any_bracketing_of_real_text_is_the_left_to_right_score(name: str, data: Path) -> None:
    lm = LanguageModel.load(data / name)
    text = gzip.decompress((data / "lm-reference/text.en.gz").read_bytes()).decode()
    choose = random.Random(3)
    for line in text.splitlines()[::10]:
        words = [*line.split(), "xyzzy", *line.split()[::-1]]
        assert whole_sentence(lm, words, choose) == pytest.approx(
            lm.score(" ".join(words)), abs=1e-4
        )


@folder_is_shared
@given(models.ngrams(), models.sentences, models.sentences, models.sentences, models.sentences)
def test_equal_fragments_get_equal_scores_in_every_context(
    tmp_path: Path,
    ngrams: backoff.Ngrams,
    one: list[str],
    other: list[str],
    before: list[str],
    after: list[str],
) -> None:
    lm = models.load(ngrams, tmp_path)
    first, second = lm.fragment(one)[0], lm.fragment(other)[0]
    assert lm.fragment(one)[0] == first
    if first == second:
        assert hash(first) == hash(second)
        in_context = [lm.fragment([*before, each, *after], bos=True) for each in (first, second)]
        assert in_context[0] == in_context[1]


def test_fragment_keeps_only_what_can_still_change(data: Path) -> None:
    lm = LanguageModel.load(data / "decoder-tests/kenlm/test.arpa")
    open_fragment = lm.fragment(["little"])[0]
    assert (open_fragment.left_length, open_fragment.left_full) == (1, False)
    # No n-gram of the model ends in "xyzzy" or holds it.
    closed = lm.fragment(["biarritz", "xyzzy", "biarritz"])[0]
    assert closed.left_full
    assert closed.left_length == 1
    empty = lm.fragment([])[0]
    assert (empty.left_length, empty.left_full, empty.right.length) == (0, False, 0)
    assert lm.fragment([empty, "a", empty, "little"]) == lm.fragment(["a", "little"])
