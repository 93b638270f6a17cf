"""Sentence BLEU of the core equals sacreBLEU's."""

from __future__ import annotations

import gzip
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU

from demotic.errors import ArgumentError
from demotic.metrics import Bleu, SentenceBleu, sentence_bleu_scores

# "<unk>" is the vocabulary's own word; it must count as any other.
SENTENCE = st.lists(st.sampled_from(["a", "b", "c", "d", "<unk>"]), max_size=12).map(" ".join)
SMOOTHING = [
    ("exp", None),
    ("floor", None),
    ("floor", 0.01),
    ("add-k", None),
    ("add-k", 0.3),
    ("none", None),
]


@pytest.mark.parametrize("effective_order", [True, False])
@pytest.mark.parametrize(("smoothing", "value"), SMOOTHING)
@settings(max_examples=60)
@given(hypothesis=SENTENCE, references=st.lists(SENTENCE, min_size=1, max_size=3))
def test_equals_sacrebleu(
    smoothing: str,
    value: float | None,
    effective_order: bool,
    hypothesis: str,
    references: list[str],
) -> None:
    peer = BLEU(
        tokenize="none",
        smooth_method=smoothing,
        smooth_value=value,
        effective_order=effective_order,
    )
    ours = SentenceBleu(
        references,
        smoothing=smoothing,
        smoothing_value=value,
        effective_order=effective_order,
        tokenise="none",
    )
    # corpus_score on one sentence is sentence_score without its warning about the order
    expected = peer.corpus_score([hypothesis], [[line] for line in references])
    assert ours.score(hypothesis) == pytest.approx(expected.score, abs=1e-9)
    counted = ours.statistics(hypothesis)
    assert list(counted[8:]) == [expected.sys_len, expected.ref_len]


@given(hypothesis=SENTENCE, references=st.lists(SENTENCE, min_size=1, max_size=3))
def test_add_one_is_bleu_plus_one(hypothesis: str, references: list[str]) -> None:
    """Lin and Och (2004), section 4: one more match and one more total for n >= 2."""
    bleu = SentenceBleu(references, smoothing="add-k", tokenise="none")
    matches, totals = np.split(bleu.statistics(hypothesis)[:8].astype(float), 2)
    length, reference = bleu.statistics(hypothesis)[8:]
    if matches[0] == 0:
        assert bleu.score(hypothesis) == 0
        return
    precisions = [matches[0] / totals[0], *((matches[1:] + 1) / (totals[1:] + 1))]
    penalty = min(1.0, np.exp(1 - reference / length))
    expected = 100 * penalty * np.exp(np.mean(np.log(precisions)))
    assert bleu.score(hypothesis) == pytest.approx(expected)


def test_real_text_equals_sacrebleu(data: Path) -> None:
    with gzip.open(data / "multi30k" / "test2016.en.gz", "rt") as lines:
        references = [next(lines).rstrip("\n") for _ in range(200)]
    hypotheses = [
        " ".join(line.split()[1:]) + " " + other[:20]
        for line, other in zip(references, references[1:] + references[:1], strict=True)
    ]
    peer = BLEU(effective_order=True)
    expected = [
        peer.sentence_score(ours, [theirs]).score
        for ours, theirs in zip(hypotheses, references, strict=True)
    ]
    found = sentence_bleu_scores(hypotheses, [references], threads=2)
    assert found == pytest.approx(np.array(expected), abs=1e-9)
    metric = Bleu()
    assert np.array_equal(
        metric.sentence_values(metric.statistics(hypotheses, [references])), found
    )


def test_closest_reference_length_prefers_the_shorter() -> None:
    bleu = SentenceBleu(["a b c d e", "a b c"], tokenise="none")
    assert list(bleu.statistics("a b c d")[8:]) == [4, 3]


def test_clipping_of_a_short_ngram_does_not_hide_a_longer_one() -> None:
    bleu = SentenceBleu(["a b", "c a"], tokenise="none")
    assert list(bleu.statistics("c a b")[:2]) == [3, 2]
    assert list(bleu.statistics("a c a b")[:3]) == [3, 2, 0]


def test_statistics_add_up_and_can_be_taken_out() -> None:
    bleu = SentenceBleu(["a b c d e"], tokenise="none")
    total = bleu.statistics("a b c") + bleu.statistics("c d x")
    assert np.array_equal(total - bleu.statistics("c d x"), bleu.statistics("a b c"))


def test_batches_equal_single_calls_for_any_thread_count() -> None:
    rng = np.random.default_rng(0)
    bleu = SentenceBleu(["1 2 3 4 5 6 7 8", "8 7 6 5 4"], tokenise="none")
    hypotheses = [" ".join(map(str, rng.integers(10, size=n % 15))) for n in range(300)]
    single = np.array([bleu.score(hypothesis) for hypothesis in hypotheses])
    for threads in (1, 2, 5):
        assert np.array_equal(bleu.scores(hypotheses, threads=threads), single)


def test_concurrent_calls_do_not_disturb_each_other() -> None:
    one = SentenceBleu(["a b c d e f g h"], tokenise="none")
    two = SentenceBleu(["a b"], tokenise="none")
    jobs = [one, two] * 400
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda bleu: bleu.score("a b c d"), jobs))
    assert found == [one.score("a b c d"), two.score("a b c d")] * 400


def test_empty_and_very_long_sentences() -> None:
    assert SentenceBleu([""]).score("") == 0
    assert SentenceBleu(["a"]).score("") == 0
    assert SentenceBleu([""]).score("a") == 0
    long = " ".join(str(word % 700) for word in range(5000))
    assert SentenceBleu([long]).score(long) == pytest.approx(100)


def test_no_reference_is_refused() -> None:
    with pytest.raises(ArgumentError, match="no reference"):
        SentenceBleu([])
