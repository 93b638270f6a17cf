"""Several systems, several metrics, one baseline: every score with its interval and its tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from demotic.errors import ArgumentError
from demotic.metrics.metric import Array, Metric, References
from demotic.metrics.score import Score
from demotic.metrics.significance import (
    Significance,
    approximate_randomisation,
    confidence_interval,
    paired_bootstrap,
    sign_test,
    wilcoxon,
)
from demotic.progress import SILENT, Progress


@dataclass(frozen=True)
class Comparison:
    """A system against the baseline."""

    difference: float
    tests: tuple[Significance, ...]


@dataclass(frozen=True)
class Result:
    """One system under one metric; no comparison for the baseline itself."""

    system: str
    score: Score
    comparison: Comparison | None = None


def evaluate(
    systems: Mapping[str, Sequence[str]],
    references: References,
    metrics: Sequence[Metric],
    *,
    baseline: str | None = None,
    level: float = 0.95,
    samples: int = 1000,
    seed: int = 0,
    progress: Progress = SILENT,
) -> list[Result]:
    """Score every system with every metric and compare each with the baseline, if one is named.

    The sign and Wilcoxon tests look at sentence scores, bootstrap and randomisation at the score of
    the corpus.  Results stand in order of metrics, then systems; the baseline comes first.
    """
    if not systems:
        raise ArgumentError("no system to evaluate")
    if baseline is not None and baseline not in systems:
        raise ArgumentError(f"the baseline '{baseline}' is not among the systems")
    names = sorted(systems, key=lambda name: name != baseline)
    results: list[Result] = []
    with progress.step("scoring", total=len(names) * len(metrics), unit="scores") as advance:
        for metric in metrics:
            against: Array | None = None
            for name in names:
                statistics = metric.statistics(systems[name], references)
                score = Score(
                    metric.name,
                    metric.corpus_value(statistics),
                    metric.signature(len(references)),
                    confidence_interval(
                        metric, statistics, level=level, samples=samples, seed=seed
                    ),
                )
                comparison = None
                if against is not None:
                    comparison = _compare(metric, statistics, against, samples, seed)
                results.append(Result(name, score, comparison))
                if name == baseline:
                    against = statistics
                advance(1)
    return results


def _compare(metric: Metric, system: Array, baseline: Array, samples: int, seed: int) -> Comparison:
    gains = metric.sentence_values(system) - metric.sentence_values(baseline)
    if not metric.higher_is_better:
        gains = -gains
    return Comparison(
        metric.corpus_value(system) - metric.corpus_value(baseline),
        (
            paired_bootstrap(metric, system, baseline, samples=samples, seed=seed),
            approximate_randomisation(metric, system, baseline, samples=samples, seed=seed),
            sign_test(gains),
            wilcoxon(gains),
        ),
    )
