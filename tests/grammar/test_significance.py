"""Fisher's exact test, the sentence counts behind it, and what it leaves of a table."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demotic import _core
from demotic.engine import LocalEngine
from demotic.errors import ArgumentError
from demotic.grammar import HieroExtraction, extract_hiero
from tests.grammar.test_extraction import Pair, extract, many, pairs, texts
from tests.oracles import fisher_test as oracle
from tests.oracles import hiero_extraction

LOOSE = HieroExtraction(max_targets=0, tight=False)
Sides = tuple[tuple[str, ...], tuple[str, ...]]


@st.composite
def counts(draw: st.DrawFn) -> tuple[int, int, int, int]:
    sentences = draw(st.one_of(st.integers(1, 30), st.integers(1, 3000)))
    source = draw(st.integers(0, sentences))
    target = draw(st.integers(0, sentences))
    pair = draw(st.integers(0, min(source, target)))
    return pair, source, target, sentences


@given(counts())
def test_evidence_is_the_exact_tail(seen: tuple[int, int, int, int]) -> None:
    assert _core.fisher_evidence(*seen) == pytest.approx(oracle.evidence(*seen), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(
    "seen",
    [(1, 1, 1, 10), (3, 5, 4, 200), (20, 40, 30, 1000), (2, 300, 400, 1000), (50, 60, 55, 20000)],
)
def test_evidence_is_that_of_scipy(seen: tuple[int, int, int, int]) -> None:
    stats = pytest.importorskip("scipy.stats")
    pair, source, target, sentences = seen
    table = [[pair, source - pair], [target - pair, sentences - source - target + pair]]
    p = stats.fisher_exact(table, alternative="greater").pvalue
    assert _core.fisher_evidence(*seen) == pytest.approx(-math.log(p), rel=1e-8)


def test_evidence_of_large_corpora_is_finite_and_exact() -> None:
    seen = (900, 1000, 1200, 2_000_000)
    assert _core.fisher_evidence(*seen) == pytest.approx(oracle.evidence(*seen), rel=1e-9)
    assert _core.fisher_evidence(1, 1, 1, 10**9) == pytest.approx(math.log(10**9))
    assert 0 <= _core.fisher_evidence(9_000, 1_000_000, 1_000_000, 100_000_000) < 1e-3


@pytest.mark.parametrize("seen", [(2, 1, 3, 9), (-1, 1, 1, 9), (1, 10, 1, 9)])
def test_counts_that_cannot_be_are_refused(seen: tuple[int, int, int, int]) -> None:
    with pytest.raises(ArgumentError, match="cannot be"):
        _core.fisher_evidence(*seen)


def evidence_of(corpus: list[Pair]) -> dict[Sides, float]:
    """By counting, for every rule, the sentences that gave it and those that gave its sides."""
    pair: Counter[Sides] = Counter()
    source: Counter[tuple[str, ...]] = Counter()
    target: Counter[tuple[str, ...]] = Counter()
    for f, e, links in corpus:
        rules = {rule[:2] for rule in hiero_extraction.rules(f, e, links, tight=False)}
        pair.update(rules)
        source.update({side for side, _ in rules})
        target.update({side for _, side in rules})
    return {
        (f, e): oracle.evidence(count, source[f], target[e], len(corpus))
        for (f, e), count in pair.items()
    }


@many
@given(
    corpus=st.lists(pairs(), min_size=1, max_size=6),
    least=st.one_of(st.floats(0.05, 2.0), st.sampled_from(["alpha+epsilon", "alpha-epsilon"])),
)
def test_rules_that_chance_explains_are_left_out_and_no_score_changes(
    corpus: list[Pair], least: float | str, tmp_path: Path
) -> None:
    alpha = math.log(len(corpus))
    threshold = {"alpha+epsilon": alpha + 0.001, "alpha-epsilon": alpha - 0.001}
    limit = threshold[least] if isinstance(least, str) else least
    evidence = evidence_of(corpus)
    everything = list(extract(corpus, tmp_path, LOOSE))
    chosen = replace(LOOSE, significance=least)  # type: ignore[arg-type]
    kept = {(rule.source, rule.target): rule.scores for rule in extract(corpus, tmp_path, chosen)}
    for rule in everything:
        sides = (rule.source, rule.target)
        if abs(evidence[sides] - limit) > 1e-9:
            assert (sides in kept) == (evidence[sides] >= limit)
        assert sides not in kept or kept[sides] == rule.scores
    assert len(kept) <= len(everything)


def test_the_table_is_the_same_for_any_number_of_threads_and_any_memory(tmp_path: Path) -> None:
    corpus: list[Pair] = [
        (list("abcab"[k % 3 :]), list("uvwuv"[k % 2 :]), [(0, 0), (1, 1), (2, k % 3)])
        for k in range(400)
    ]
    chosen = replace(LOOSE, significance=1.0)
    tables = []
    for number, engine in enumerate(
        [
            LocalEngine(threads=1),
            LocalEngine(threads=3),
            LocalEngine(threads=2, memory=256 << 20, parts=3),
        ]
    ):
        out = tmp_path / f"{number}.bin"
        extract_hiero(*texts(corpus), out=out, options=chosen, engine=engine)
        tables.append(out.read_bytes())
    assert tables[0] == tables[1] == tables[2]


def test_alpha_tells_rules_of_one_sentence_apart(tmp_path: Path) -> None:
    corpus: list[Pair] = [
        (["a"], ["u"], [(0, 0)]),
        (["b"], ["v"], [(0, 0)]),
        (["b"], ["v"], [(0, 0)]),
        (["c"], ["w"], [(0, 0)]),
        (["c"], ["x"], [(0, 0)]),
    ]

    def sources(significance: float | str) -> set[str]:
        chosen = replace(LOOSE, significance=significance)  # type: ignore[arg-type]
        return {rule.source[0] for rule in extract(corpus, tmp_path, chosen)}

    assert sources(0.0) == {"a", "b", "c"}
    assert sources("alpha-epsilon") == {"a", "b"}  # c meets w in one of its two sentences
    assert sources("alpha+epsilon") == {"b"}


@pytest.mark.parametrize("wrong", [-1.0, math.inf, math.nan, "alpha", "0.5"])
def test_no_significance_is_refused(wrong: float | str) -> None:
    with pytest.raises(ArgumentError, match="significance"):
        HieroExtraction(significance=wrong)  # type: ignore[arg-type]
