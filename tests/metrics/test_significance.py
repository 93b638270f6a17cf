"""Tests of the tests: enumeration where it is possible, scipy and sacreBLEU where it is not."""

from __future__ import annotations

import itertools
from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU
from sacrebleu.significance import PairedTest

from demotic.errors import ArgumentError
from demotic.metrics import (
    Bleu,
    Chrf,
    Metric,
    Ter,
    approximate_randomisation,
    confidence_interval,
    evaluate,
    mcnemar,
    paired_bootstrap,
    sign_test,
    wilcoxon,
)

DIFFERENCES = st.lists(st.integers(-4, 4).map(float), max_size=9).map(np.array)


@given(DIFFERENCES)
def test_sign_test_equals_enumeration_of_coins(differences: np.ndarray) -> None:
    kept = differences[differences != 0]
    better, count = int((kept > 0).sum()), len(kept)
    one_sided = Fraction(sum(comb(count, k) for k in range(better, count + 1)), 2**count)
    other = Fraction(sum(comb(count, k) for k in range(better + 1)), 2**count)
    found = sign_test(differences)
    assert found.p_better == pytest.approx(float(one_sided))
    assert found.p_value == pytest.approx(float(min(Fraction(1), 2 * min(one_sided, other))))


@pytest.mark.parametrize(("better", "worse"), [(612, 388), (50_400, 49_600), (0, 3000)])
def test_sign_test_of_many_sentences_equals_scipy(better: int, worse: int) -> None:
    found = sign_test(np.array([1.0] * better + [-1.0] * worse + [0.0] * 7))
    expected = pytest.importorskip("scipy.stats").binomtest(better, better + worse)
    assert found.p_value == pytest.approx(expected.pvalue, rel=1e-8, abs=1e-300)


@given(st.lists(st.tuples(st.booleans(), st.booleans()), max_size=12))
def test_mcnemar_counts_what_one_alone_has_right(trials: list[tuple[bool, bool]]) -> None:
    ours, theirs = np.array([a for a, _ in trials]), np.array([b for _, b in trials])
    only = sum(a and not b for a, b in trials)
    other = sum(b and not a for a, b in trials)
    found = mcnemar(ours, theirs)
    ways = [comb(only + other, k) / 2 ** (only + other) for k in range(only + other + 1)]
    extreme = max(only, other)
    expected = min(1.0, 2 * sum(ways[extreme:]))
    assert found.p_value == pytest.approx(expected)
    assert found.p_better == pytest.approx(sum(ways[only:]))
    assert found.detail.startswith(f"{only} right alone, {other} of the baseline")


@given(DIFFERENCES)
def test_wilcoxon_equals_enumeration_of_signs(differences: np.ndarray) -> None:
    kept = differences[differences != 0]
    sizes = np.abs(kept)
    ranks = np.array([(sizes < one).sum() + ((sizes == one).sum() + 1) / 2 for one in sizes])
    observed = ranks[kept > 0].sum()
    sums = [
        sum(rank for rank, plus in zip(ranks, signs, strict=True) if plus)
        for signs in itertools.product([False, True], repeat=len(kept))
    ]
    as_good = sum(total >= observed for total in sums) / len(sums)
    as_bad = sum(total <= observed for total in sums) / len(sums)
    found = wilcoxon(differences)
    assert found.p_better == pytest.approx(as_good)
    assert found.p_value == pytest.approx(min(1.0, 2 * min(as_good, as_bad)))


def test_wilcoxon_of_many_sentences_equals_scipy() -> None:
    rng = np.random.default_rng(5)
    differences = np.round(rng.normal(0.1, 1, size=800), 1)  # with ties and zeros
    expected = pytest.importorskip("scipy.stats").wilcoxon(
        differences[differences != 0], method="approx", correction=True, zero_method="wilcox"
    )
    assert wilcoxon(differences).p_value == pytest.approx(expected.pvalue, rel=1e-6)


def test_wilcoxon_takes_sizes_for_equal_that_differ_by_rounding_alone() -> None:
    clean = np.array([0.3, -0.3, 0.3, 0.1, -0.2, 0.4])
    noisy = clean + np.array([1e-15, 2e-15, -1e-15, 0.0, 1e-16, -1e-15])
    assert wilcoxon(noisy).p_value == wilcoxon(clean).p_value


def test_wilcoxon_approximation_joins_the_exact_test() -> None:
    rng = np.random.default_rng(2)
    differences = rng.normal(0.3, 1, size=51)
    exact = pytest.importorskip("scipy.stats").wilcoxon(differences, method="exact").pvalue
    assert wilcoxon(differences).p_value == pytest.approx(exact, rel=0.05)


def noisy(rng: np.random.Generator, rate: float, references: list[str]) -> list[str]:
    """Each word replaced by another of its sentence with the given probability."""
    out = []
    for line in references:
        words = line.split()
        out.append(" ".join(rng.choice(words) if rng.random() < rate else w for w in words))
    return out


@pytest.fixture(scope="module")
def texts() -> tuple[list[str], list[str], list[str]]:
    rng = np.random.default_rng(11)
    references = [" ".join(map(str, rng.integers(300, size=12))) for _ in range(200)]
    return noisy(rng, 0.20, references), noisy(rng, 0.26, references), references


@pytest.mark.parametrize("metric", [Bleu(), Chrf(), Ter()], ids=lambda m: m.name)
def test_randomisation_equals_enumeration_on_few_sentences(metric: Metric) -> None:
    references = ["a b c d e", "f g h i j k", "l m n o", "p q r s t u v", "w x y z a"]
    system = ["a b c d x", "f g h i j k", "l m n", "p q r s t", "w x y z a"]
    baseline = ["a b x d x", "f g h i x x", "l m n o", "p q x s t u", "w x"]
    ours = metric.statistics(system, [references])
    theirs = metric.statistics(baseline, [references])

    def gain(swaps: tuple[bool, ...]) -> float:
        swap = np.array(swaps)[:, None]
        one = metric.values(np.where(swap, theirs, ours).sum(axis=0, keepdims=True))[0]
        two = metric.values(np.where(swap, ours, theirs).sum(axis=0, keepdims=True))[0]
        return float(one - two) * (1 if metric.higher_is_better else -1)

    seen = gain((False,) * 5)
    gains = np.array([gain(swaps) for swaps in itertools.product([False, True], repeat=5)])
    found = approximate_randomisation(metric, ours, theirs, samples=20_000, seed=1)
    assert found.p_value == pytest.approx((abs(gains) >= abs(seen) - 1e-9).mean(), abs=0.015)
    assert found.p_better == pytest.approx((gains >= seen - 1e-9).mean(), abs=0.015)


def test_bootstrap_equals_enumeration_on_few_sentences() -> None:
    metric = Chrf()
    references = ["abcd", "efgh", "ijkl", "mnop"]
    ours = metric.statistics(["abcd", "efgx", "ijxl", "xxxx"], [references])
    theirs = metric.statistics(["abxx", "efgh", "xxxx", "mnxx"], [references])
    draws = np.array(list(itertools.product(range(4), repeat=4)))
    one, two = (metric.values(rows[draws].sum(axis=1)) for rows in (ours, theirs))
    found = paired_bootstrap(metric, ours, theirs, samples=20_000, seed=1)
    assert found.p_better == pytest.approx((one - two <= 1e-12).mean(), abs=0.015)
    seen = metric.values(ours.sum(0)[None])[0] - metric.values(theirs.sum(0)[None])[0]
    stray = np.abs((one - two) - (one - two).mean()) >= abs(seen)
    assert found.p_value == pytest.approx(stray.mean(), abs=0.015)
    interval = confidence_interval(metric, ours, samples=20_000, seed=2)
    assert interval.low == pytest.approx(np.quantile(one, 0.025), abs=1.5)
    assert interval.high == pytest.approx(np.quantile(one, 0.975), abs=1.5)


@pytest.mark.parametrize("test", ["bs", "ar"])
def test_p_values_agree_with_sacrebleu(
    test: str, texts: tuple[list[str], list[str], list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    system, baseline, references = texts
    baseline = baseline[:150] + system[150:]
    monkeypatch.setenv("SACREBLEU_SEED", "7")
    peer = PairedTest(
        [("baseline", baseline), ("system", system)],
        {"BLEU": BLEU(tokenize="none", references=[references])},
        references=None,
        test_type=test,
        n_samples=1000,
    )
    expected = peer()[1]["BLEU"][1].p_value
    metric = Bleu(tokenise="none")
    ours, theirs = (metric.statistics(lines, [references]) for lines in (system, baseline))
    run = paired_bootstrap if test == "bs" else approximate_randomisation
    assert run(metric, ours, theirs, samples=2000).p_value == pytest.approx(expected, abs=0.03)


@pytest.mark.parametrize("metric", [Bleu(), Chrf(), Ter()], ids=lambda m: m.name)
def test_a_clear_gain_is_significant_and_the_other_way_round_is_not_better(
    metric: Metric, texts: tuple[list[str], list[str], list[str]]
) -> None:
    system, baseline, references = texts
    systems = {"system": system, "baseline": baseline}
    results = evaluate(systems, [references], [metric], baseline="baseline", samples=300)
    assert [result.system for result in results] == ["baseline", "system"]
    comparison = results[1].comparison
    assert results[0].comparison is None
    assert comparison is not None
    assert (comparison.difference > 0) is metric.higher_is_better
    assert [test.test for test in comparison.tests] == [
        "bootstrap",
        "randomisation",
        "sign",
        "wilcoxon",
    ]
    assert all(test.p_value < 0.01 and test.p_better < 0.01 for test in comparison.tests)
    back = evaluate(systems, [references], [metric], baseline="system", samples=300)[1].comparison
    assert back is not None
    assert back.difference == -comparison.difference
    assert all(test.p_value < 0.01 and test.p_better > 0.9 for test in back.tests)


def test_a_system_does_not_differ_from_itself(
    texts: tuple[list[str], list[str], list[str]],
) -> None:
    system, _, references = texts
    pair = {"a": system, "b": list(system)}
    comparison = evaluate(pair, [references], [Bleu()], baseline="a", samples=50)[1].comparison
    assert comparison is not None
    assert all(test.p_value == 1 for test in comparison.tests)


def test_the_interval_holds_the_score_and_the_seed_fixes_it(
    texts: tuple[list[str], list[str], list[str]],
) -> None:
    system, _, references = texts
    metric = Bleu()
    rows = metric.statistics(system, [references])
    value = metric.values(rows.sum(axis=0, keepdims=True))[0]
    interval = confidence_interval(metric, rows, seed=4)
    assert interval.low < value < interval.high
    assert interval == confidence_interval(metric, rows, seed=4)
    assert interval != confidence_interval(metric, rows, seed=5)
    wide = confidence_interval(metric, rows, level=0.99, seed=4)
    assert wide.low < interval.low
    assert interval.high < wide.high


def test_resampling_in_blocks_draws_every_resample(monkeypatch: pytest.MonkeyPatch) -> None:
    metric = Bleu()
    rows = metric.statistics(["a b c d", "a x c d e"], [["a b c d", "a b c d e"]])
    monkeypatch.setattr("demotic.metrics.significance._CELLS", 6)
    found = paired_bootstrap(metric, rows, rows * 0, samples=100)
    assert found.detail == "wins on 100 of 100 resampled test sets"


def test_refuses_what_makes_no_sense() -> None:
    rows = np.ones((3, 2))
    for call in (paired_bootstrap, approximate_randomisation):
        with pytest.raises(ArgumentError, match="same sentences"):
            call(Ter(), rows, rows[:2])
        with pytest.raises(ArgumentError, match="no sentences"):
            call(Ter(), rows[:0], rows[:0])
        with pytest.raises(ArgumentError, match="at least one"):
            call(Ter(), rows, rows, samples=0)
        with pytest.raises(ArgumentError, match="negative"):
            call(Ter(), rows, rows, seed=-1)
    with pytest.raises(ArgumentError, match="between 0 and 1"):
        confidence_interval(Ter(), rows, level=95)
    with pytest.raises(ArgumentError, match="finite"):
        sign_test(np.array([1.0, np.nan]))
    with pytest.raises(ArgumentError, match="baseline"):
        evaluate({"a": ["x"]}, [["x"]], [Ter()], baseline="b")
    with pytest.raises(ArgumentError, match="no system"):
        evaluate({}, [["x"]], [Ter()])
