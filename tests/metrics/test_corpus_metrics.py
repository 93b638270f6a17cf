"""Corpus scores equal sacreBLEU's, and their statistics add up."""

from __future__ import annotations

import numpy as np
import pytest
import sacrebleu.metrics as peer
from hypothesis import given
from hypothesis import strategies as st

from demotic.errors import ArgumentError
from demotic.metrics import Bleu, Chrf, Metric, Ter

WORDS = st.sampled_from(
    ["the", "The", "house", "is", "small", ".", ",", "it's", "(x)", "über", "a-b"]
)
SENTENCE = st.lists(WORDS, max_size=9).map(" ".join)


@st.composite
def corpora(draw: st.DrawFn) -> tuple[list[str], list[list[str]]]:
    size = draw(st.integers(1, 4))
    several = st.lists(SENTENCE, min_size=size, max_size=size)
    return draw(several), draw(st.lists(several, min_size=1, max_size=3))


PAIRS = [
    (Bleu(), peer.BLEU()),
    (Bleu(lowercase=True, tokenise="intl"), peer.BLEU(lowercase=True, tokenize="intl")),
    (Bleu(tokenise="none", smoothing="floor"), peer.BLEU(tokenize="none", smooth_method="floor")),
    (
        Bleu(smoothing="add-k", smoothing_value=0.5, effective_order=True),
        peer.BLEU(smooth_method="add-k", smooth_value=0.5, effective_order=True),
    ),
    (Bleu(tokenise="zh"), peer.BLEU(tokenize="zh")),
    (Chrf(), peer.CHRF()),
    (Chrf(word_order=2), peer.CHRF(word_order=2)),
    (Chrf(lowercase=True, char_order=4, beta=1), peer.CHRF(lowercase=True, char_order=4, beta=1)),
    (Ter(), peer.TER()),
    (
        Ter(case_sensitive=True, punctuation=False, normalised=True),
        peer.TER(case_sensitive=True, no_punct=True, normalized=True),
    ),
]
IDS = [ours.name + str(number) for number, (ours, _) in enumerate(PAIRS)]


@pytest.mark.parametrize(("ours", "theirs"), PAIRS, ids=IDS)
@given(corpus=corpora())
def test_score_and_signature_equal_sacrebleu(
    ours: Metric, theirs: peer.base.Metric, corpus: tuple[list[str], list[list[str]]]
) -> None:
    hypotheses, references = corpus
    expected = theirs.corpus_score(hypotheses, references)
    found = ours.score(hypotheses, references)
    assert found.value == pytest.approx(expected.score, abs=1e-9)
    assert found.signature == str(theirs.get_signature())
    assert found.name == expected.name


@pytest.mark.parametrize("metric", [Bleu(), Chrf(word_order=2), Ter()], ids=lambda m: m.name)
@given(corpus=corpora())
def test_statistics_of_sentences_sum_to_those_of_the_corpus(
    metric: Metric, corpus: tuple[list[str], list[list[str]]]
) -> None:
    hypotheses, references = corpus
    rows = [
        metric.statistics([hypotheses[i]], [[stream[i]] for stream in references])[0]
        for i in range(len(hypotheses))
    ]
    together = metric.statistics(hypotheses, references)
    assert np.array_equal(together, np.array(rows))


def test_bleu_statistics_do_not_depend_on_threads() -> None:
    rng = np.random.default_rng(1)
    text = [" ".join(map(str, rng.integers(9, size=12))) for _ in range(700)]
    references = [text[::-1], text[7:] + text[:7]]
    alone = Bleu(threads=1).statistics(text, references)
    assert np.array_equal(alone, Bleu(threads=3).statistics(text, references))


def test_score_prints_its_signature() -> None:
    text = str(Bleu().score(["a b c d"], [["a b c d"]]))
    assert text.startswith("BLEU 100.00 (nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:")


@pytest.mark.parametrize(
    ("hypotheses", "references"),
    [([], [[]]), (["a"], []), (["a"], [["a", "b"]]), ("a", ["a"]), (["a"], ["a"])],
)
@pytest.mark.parametrize("metric", [Bleu(), Chrf(), Ter()], ids=lambda m: m.name)
def test_refuses_what_is_not_parallel(
    metric: Metric, hypotheses: list[str], references: list[list[str]]
) -> None:
    with pytest.raises(ArgumentError):
        metric.score(hypotheses, references)


def test_refuses_unknown_options() -> None:
    with pytest.raises(ArgumentError, match="choose from 13a"):
        Bleu(tokenise="mteval")
    with pytest.raises(ArgumentError, match="choose from none"):
        Bleu(smoothing="plus-two")
    with pytest.raises(ArgumentError, match="negative"):
        Bleu(smoothing="floor", smoothing_value=-1)
    with pytest.raises(ArgumentError):
        Chrf(char_order=0)
