"""Verdicts follow from held-out halves: gains, their intervals, their significance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from demotic.experiments.portfolio.compare import Comparison, Difference, compare
from demotic.experiments.portfolio.report import Arm, comparisons, markdown
from demotic.metrics import Bleu, paired_bootstrap
from tests.experiments.markdown import tables

Statistics = list[list[int]]


def trial(statistics: Statistics, test: float = 30.0) -> dict[str, Any]:
    """A result with these statistics on the held-out half."""
    metric = Bleu()
    bleu = metric.corpus_value(np.array(statistics, dtype=np.float64))
    score = {"bleu": bleu, "statistics": statistics}
    return {
        "held": score,
        "tuned": {"bleu": bleu + 1},
        "test": {"bleu": test, "chrf": 50.0, "length": 1.0, "ms": 2.0},
        "seconds": 10.0, "memory": 10**8, "bytes": 10**6, "rules": 1000,
    }  # fmt: skip


def alike(right: int, sentences: int = 30) -> Statistics:
    """Sentences of 20 words with so many right n-grams of every order, all of them alike."""
    return [[right, right - 1, right - 2, right - 3, 20, 19, 18, 17, 20, 20]] * sentences


def mixed(seed: int, right: int, sentences: int = 40) -> Statistics:
    rng = np.random.default_rng(seed)
    return [alike(int(n), 1)[0] for n in np.clip(rng.normal(right, 3, sentences), 4, 20)]


@pytest.mark.parametrize("right", [(12, 12), (12, 13), (9, 12)])
def test_one_set_with_one_seed_is_a_paired_bootstrap(right: tuple[int, int]) -> None:
    ours, theirs = mixed(1, right[0]), mixed(2, right[1])
    found = compare({"a": [trial(ours)]}, {"a": [trial(theirs)]})
    assert found is not None
    arrays = [np.array(each, dtype=np.float64) for each in (ours, theirs)]
    assert found.sets[0].p_value == paired_bootstrap(Bleu(), *arrays, samples=1000).p_value
    assert (
        found.mean
        == found.sets[0].held
        == pytest.approx(Bleu().corpus_value(arrays[0]) - Bleu().corpus_value(arrays[1]))
    )


def test_the_interval_draws_sets() -> None:
    """Sentences that are all alike leave the choice of sets: two of two, with repetition."""
    base = {"a": [trial(alike(10))], "b": [trial(alike(10))]}
    found = compare({"a": [trial(alike(12))], "b": [trial(alike(15))]}, base)
    assert found is not None
    gains = [each.held for each in found.sets]
    assert (found.low, found.high) == pytest.approx((min(gains), max(gains)))
    assert found.mean == pytest.approx(sum(gains) / 2)
    assert found.wins


def test_scores_are_means_over_seeds() -> None:
    base = {"a": [trial(mixed(3, 10)), trial(mixed(4, 11))]}
    ours = {"a": [trial(mixed(5, 12)), trial(mixed(6, 14))]}
    found = compare(ours, base)
    assert found is not None
    means = [np.mean([each["held"]["bleu"] for each in sets["a"]]) for sets in (ours, base)]
    assert found.mean == pytest.approx(means[0] - means[1])
    twice = compare({"a": [*ours["a"], *ours["a"]]}, {"a": [*base["a"], *base["a"]]})
    assert twice is not None
    assert twice.sets[0].p_value == found.sets[0].p_value


@given(st.lists(st.floats(0, 100), min_size=2, max_size=2))
def test_no_verdict_looks_at_a_test_set(tests: Sequence[float]) -> None:
    base = {"a": [trial(alike(12), test=20.0)], "b": [trial(alike(12), test=20.0)]}
    ours = {"a": [trial(alike(14), test=tests[0])], "b": [trial(alike(15), test=tests[1])]}
    found = compare(ours, base)
    assert found is not None
    assert found.verdict == "wins on the mean without losing significantly on any set"


def difference(held: float, p_value: float) -> Difference:
    return Difference(f"set{held}", held, p_value, 0.0)


@pytest.mark.parametrize(
    ("sets", "interval", "wins", "verdict"),
    [
        ([(1.0, 0.01), (0.5, 0.3)], (0.4, 1.0), True,
         "wins on the mean without losing significantly on any set"),
        ([(2.0, 0.01), (-0.5, 0.3)], (0.1, 2.0), True,
         "wins on the mean without losing significantly on any set"),
        ([(5.0, 0.01), (-0.5, 0.04)], (0.1, 4.0), False,
         "wins on the mean, but loses significantly on set-0.5 (-0.50)"),
        ([(1.0, 0.01), (-0.5, 0.3)], (-0.1, 1.0), False, "does not win on the mean"),
        ([(0.0, 1.0), (0.0, 1.0)], (0.0, 0.0), False, "does not win on the mean"),
        ([(1.0, 0.01), (-1.0, 0.01)], (-1.0, 1.0), False,
         "does not win on the mean, and loses significantly on set-1.0 (-1.00)"),
        ([(-1.0, 0.2), (-0.5, 0.3)], (-1.0, -0.4), False, "loses on the mean"),
    ],
)  # fmt: skip
def test_a_default_wins_on_the_mean_and_loses_nowhere(
    sets: list[tuple[float, float]], interval: tuple[float, float], wins: bool, verdict: str
) -> None:
    mean = sum(held for held, _ in sets) / len(sets)
    found = Comparison(tuple(difference(*each) for each in sets), mean, *interval)
    assert (found.wins, found.verdict) == (wins, verdict)


def test_settings_meet_their_systems_default_and_systems_meet_the_first() -> None:
    arms = [Arm(s, x) for s in ("hiero", "phrase") for x in ("default", "loose")]
    results = {arm: {"a": [trial(alike(10 + n))]} for n, arm in enumerate(arms)}
    found = comparisons(results)
    assert list(found) == [
        (Arm("hiero", "loose"), Arm("hiero", "default")),
        (Arm("phrase", "loose"), Arm("phrase", "default")),
        (Arm("phrase", "default"), Arm("hiero", "default")),
    ]
    text = markdown(
        results, {"default": {}, "loose": {"extract": {"tight": False}}}, {"a": {"train": 9}}
    )
    assert "| loose | `extract.tight=false` |" in text


def test_gaps_are_told_beside_what_the_default_lets_expect() -> None:
    def tried(tuned: float, held: float, test: float) -> dict[str, Any]:
        found = trial(alike(10), test)
        return {**found, "tuned": {"bleu": tuned}, "held": {**found["held"], "bleu": held}}

    results = {
        Arm("hiero", "default"): {
            "a": [tried(20, 16, 25)], "b": [tried(10, 10, 10)], "d": [tried(10, 0, 10)],
        },
        Arm("hiero", "mert"): {
            "a": [tried(23, 18, 24), tried(25, 22, 26)],
            "b": [tried(12, 11, 9)],
            "c": [tried(12, 10, 9)],
            "d": [tried(12, 10, 9)],
        },
    }  # fmt: skip
    text = markdown(results, {}, {name: {"train": 9} for name in "abcd"})
    part = text[text.index("## What tuning flatters itself by") : text.index("## All figures")]
    rows = [list(row.values()) for row in tables(part)[0]]
    assert [row for row in rows if row[2] == "mert"] == [
        ["a", "hiero", "mert", "4.00", "-1.00", "-1.00", "4.00"],
        ["b", "hiero", "mert", "1.00", "3.00", "1.00", "3.00"],
        ["d", "hiero", "mert", "2.00", "3.00", "-", "3.00"],
        ["c", "hiero", "mert", "2.00", "3.00", "-", "-"],
        ["mean of 4", "hiero", "mert", "2.25", "2.00", "0.00", "3.33"],
    ]
    assert rows[0] == ["a", "hiero", "default", "4.00", "-5.00", "0.00", "0.00"]


def test_only_sets_that_both_have_are_compared() -> None:
    base = {"a": [trial(alike(10))], "b": [trial(alike(10))]}
    found = compare({"b": [trial(alike(9))], "c": [trial(alike(20))]}, base)
    assert found is not None
    assert [each.name for each in found.sets] == ["b"]
    assert compare({"c": [trial(alike(9))]}, base) is None
