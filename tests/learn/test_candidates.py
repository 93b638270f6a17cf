"""What learners are given: rows that fit together, and counts as sacreBLEU counts them."""

from __future__ import annotations

import numpy as np
import pytest
from sacrebleu.metrics import BLEU

from demotic.errors import ArgumentError
from demotic.learn import KBestCandidates, statistics_against


@pytest.mark.parametrize("tokenise", ["none", "13a", "char"])
@pytest.mark.parametrize("lowercase", [False, True])
def test_statistics_are_those_of_sacrebleu_with_the_same_options(
    tokenise: str, lowercase: bool
) -> None:
    references = ["The house (it is small), really.", "A House is small."]
    hypotheses = ["the house (is small).", "A house, small", ""]
    count = statistics_against(references, tokenise=tokenise, lowercase=lowercase)
    peer = BLEU(tokenize=tokenise, lowercase=lowercase)
    for hypothesis, row in zip(hypotheses, count(hypotheses).tolist(), strict=True):
        score = peer.corpus_score([hypothesis], [[each] for each in references])
        assert row == [*score.counts, *score.totals, score.sys_len, score.ref_len]


def test_no_hypotheses_have_no_statistics() -> None:
    assert statistics_against(["a"])([]).shape == (0, 10)


def test_rows_of_different_length_are_refused() -> None:
    with pytest.raises(ArgumentError, match="features"):
        KBestCandidates([[1.0, 2.0], [3.0]], np.ones((2, 10)))  # type: ignore[arg-type]
