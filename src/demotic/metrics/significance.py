"""Is a difference between two systems more than chance?

Corpus scores are resampled from additive statistics per sentence (:class:`Metric`): weights times
statistics is one matrix product, whatever the metric.  ``sign_test`` and ``wilcoxon`` work on any
paired differences, such as those of sentence scores.  Two-sided throughout, with the one-sided
alternative "the system is better than the baseline" beside it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from demotic.errors import ArgumentError
from demotic.metrics.metric import Array, Metric
from demotic.metrics.score import Interval

_CELLS = 1 << 22  # weights held at a time
_TIE = 1e-12  # differences below this come from rounding
_EXACT_WILCOXON = 50  # beyond this many differences the normal approximation is as good


@dataclass(frozen=True)
class Significance:
    """The outcome of one test."""

    test: str
    p_value: float  # two-sided
    p_better: float  # one-sided: the system is better than the baseline
    detail: str  # what was counted, in words


def sign_test(differences: Array) -> Significance:
    """Exact binomial test on the signs of paired differences; ties are dropped."""
    kept = _without_ties(differences)
    better, count = int((kept > 0).sum()), len(kept)
    p_better = _binomial_tail(better, count)
    p_worse = _binomial_tail(count - better, count)
    return Significance(
        "sign",
        min(1.0, 2 * min(p_better, p_worse)),
        p_better,
        f"{better} better, {count - better} worse, {len(differences) - count} tied",
    )


def mcnemar(right: Array, baseline: Array) -> Significance:
    """Exact test of two classifiers on the same trials: of those that one alone has right
    (McNemar 1947)."""
    if len(right) != len(baseline):
        raise ArgumentError("both systems must have answered the same trials")
    ours, theirs = np.asarray(right, dtype=bool), np.asarray(baseline, dtype=bool)
    found = sign_test(ours.astype(float) - theirs.astype(float))
    only, other = int((ours & ~theirs).sum()), int((~ours & theirs).sum())
    detail = f"{only} right alone, {other} of the baseline, {len(ours) - only - other} alike"
    return Significance("mcnemar", found.p_value, found.p_better, detail)


def _binomial_tail(successes: int, trials: int) -> float:
    """P(X >= successes) for a fair coin."""
    if successes <= 0:
        return 1.0
    heads = np.arange(1, trials + 1)
    log_ways = np.cumsum(np.log(trials - heads + 1) - np.log(heads))  # of `heads` in `trials`
    return min(1.0, float(np.exp(log_ways[successes - 1 :] - trials * math.log(2)).sum()))


def wilcoxon(differences: Array) -> Significance:
    """Signed-rank test (Wilcoxon 1945): ties at zero dropped, mid-ranks for equal sizes.

    Exact, also with mid-ranks, for up to 50 differences; beyond that the normal approximation with
    correction for ties and continuity.
    """
    kept = np.round(_without_ties(differences), 12)
    count = len(kept)
    doubled = _doubled_ranks(np.abs(kept))
    positive, total = int(doubled[kept > 0].sum()), int(doubled.sum())
    if count == 0:
        p_better = p_worse = 1.0
    elif count <= _EXACT_WILCOXON:
        p_better = _rank_tail(doubled, positive)
        p_worse = _rank_tail(doubled, total - positive)
    else:
        p_better = _normal_rank_tail(doubled, positive)
        p_worse = _normal_rank_tail(doubled, total - positive)
    return Significance(
        "wilcoxon",
        min(1.0, 2 * min(p_better, p_worse)),
        p_better,
        f"rank sum {positive / 2:g} of {total / 2:g} from {count} differences",
    )


def _doubled_ranks(sizes: Array) -> np.ndarray:
    """Twice the mid-rank of each value, which is a whole number."""
    _, group, members = np.unique(sizes, return_inverse=True, return_counts=True)
    last = np.cumsum(members)
    ranks: np.ndarray = (2 * last - members + 1)[group]
    return ranks


def _rank_tail(doubled: np.ndarray, observed: int) -> float:
    """P(rank sum >= observed) when each sign is a fair coin: count subsets by their sum."""
    ways = np.zeros(int(doubled.sum()) + 1)
    ways[0] = 1.0
    for rank in doubled:
        ways[rank:] = ways[rank:] + ways[: len(ways) - rank]
    return float(ways[observed:].sum() / ways.sum())


def _normal_rank_tail(doubled: np.ndarray, observed: int) -> float:
    # Each rank r adds r/2 to the mean and r^2/4 to the variance; mid-ranks are already in r.
    ranks = doubled / 2
    deviation = math.sqrt(float((ranks**2).sum()) / 4)
    distance = observed / 2 - float(ranks.sum()) / 2 - 0.5
    return 0.5 * math.erfc(distance / deviation / math.sqrt(2))


def _without_ties(differences: Array) -> Array:
    values = np.asarray(differences, dtype=np.float64)
    if values.ndim != 1 or not np.isfinite(values).all():
        raise ArgumentError("differences must be finite numbers, one per sentence")
    kept: Array = values[np.abs(values) > _TIE]
    return kept


def paired_bootstrap(
    metric: Metric, system: Array, baseline: Array, *, samples: int = 1000, seed: int = 0
) -> Significance:
    """Paired bootstrap resampling (Koehn 2004) of whole-corpus scores.

    One-sided: the share of resampled test sets on which the system does not win.  Two-sided: how
    often the resampled difference strays from its mean by at least the difference seen.
    """
    _check_pair(system, baseline, samples, seed)
    seen = _gain(metric, system.sum(axis=0), baseline.sum(axis=0))
    gains = resampled(metric, system, samples, seed) - resampled(metric, baseline, samples, seed)
    return significance_of(gains if metric.higher_is_better else -gains, float(seen[0]))


def significance_of(gains: Array, seen: float) -> Significance:
    """What gains on resampled test sets say about the gain on the one that was seen."""
    samples = len(gains)
    wins = int((gains > _TIE).sum())
    strays = int((np.abs(gains - gains.mean()) >= abs(seen) - _TIE).sum())
    return Significance(
        "bootstrap",
        (strays + 1) / (samples + 1),
        (samples - wins + 1) / (samples + 1),
        f"wins on {wins} of {samples} resampled test sets",
    )


def resampled(metric: Metric, statistics: Array, samples: int, seed: int) -> Array:
    """The corpus score on each of many resampled test sets, the same ones for every system."""
    return np.concatenate(
        [
            metric.values(weights @ statistics)
            for weights in _bootstrap_weights(len(statistics), samples, seed)
        ]
    )


def approximate_randomisation(
    metric: Metric, system: Array, baseline: Array, *, samples: int = 10000, seed: int = 0
) -> Significance:
    """Randomisation test (Noreen 1989; Riezler and Maxwell 2005) of whole-corpus scores.

    Translations are swapped between the systems by coin tosses; the test counts how often the
    difference is at least as large as the one seen.
    """
    _check_pair(system, baseline, samples, seed)
    seen = _gain(metric, system.sum(axis=0), baseline.sum(axis=0))[0]
    both = system.sum(axis=0) + baseline.sum(axis=0)
    rng = np.random.default_rng(seed)
    as_far = as_good = 0
    for rows in _blocks(len(system), samples):
        swapped = rng.integers(2, size=(rows, len(system)), dtype=np.int8).astype(np.float64)
        mixed = system.sum(axis=0) + swapped @ (baseline - system)
        gains = _gain(metric, mixed, both - mixed)
        as_far += int((np.abs(gains) >= abs(seen) - _TIE).sum())
        as_good += int((gains >= seen - _TIE).sum())
    return Significance(
        "randomisation",
        (as_far + 1) / (samples + 1),
        (as_good + 1) / (samples + 1),
        f"{as_far} of {samples} shuffles differ as much",
    )


def confidence_interval(
    metric: Metric, statistics: Array, *, level: float = 0.95, samples: int = 1000, seed: int = 0
) -> Interval:
    """The percentile bootstrap interval of a corpus score."""
    if not 0 < level < 1:
        raise ArgumentError("a confidence level lies between 0 and 1")
    _check_pair(statistics, statistics, samples, seed)
    scores = resampled(metric, statistics, samples, seed)
    low, high = np.quantile(scores, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high), level, samples, seed)


def _gain(metric: Metric, system: Array, baseline: Array) -> Array:
    """By how much the system is better, whichever way the metric points."""
    gain = metric.values(np.atleast_2d(system)) - metric.values(np.atleast_2d(baseline))
    return gain if metric.higher_is_better else -gain


def _bootstrap_weights(sentences: int, samples: int, seed: int) -> Iterator[Array]:
    """How often each sentence is drawn, a row per resampled test set, in blocks of rows."""
    rng = np.random.default_rng(seed)
    for rows in _blocks(sentences, samples):
        drawn = rng.integers(sentences, size=(rows, sentences))
        drawn += np.arange(rows)[:, None] * sentences
        counts = np.bincount(drawn.ravel(), minlength=rows * sentences)
        yield counts.reshape(rows, sentences).astype(np.float64)


def _blocks(sentences: int, samples: int) -> Iterator[int]:
    rows = max(1, _CELLS // max(1, sentences))
    for begin in range(0, samples, rows):
        yield min(rows, samples - begin)


def _check_pair(system: Array, baseline: Array, samples: int, seed: int) -> None:
    if system.shape != baseline.shape or system.ndim != 2:
        raise ArgumentError("the statistics of both systems must cover the same sentences")
    if len(system) == 0:
        raise ArgumentError("no sentences to compare")
    if samples < 1:
        raise ArgumentError("at least one resample is needed")
    if seed < 0:
        raise ArgumentError("a seed must not be negative")
