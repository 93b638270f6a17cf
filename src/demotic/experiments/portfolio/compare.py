"""What differs between two ways to train, set by set and on the mean, and what follows from it.

Only the held-out halves of the development sets decide: a default must win on the mean over the
sets without losing significantly on any of them.  Scores on test sets are shown and never asked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from demotic.metrics import Bleu
from demotic.metrics.metric import Array
from demotic.metrics.significance import resampled, significance_of

SAMPLES = 1000
LEVEL = 0.95
Records = Sequence[Mapping[str, Any]]
"""Results of a trial, one for each seed."""


@dataclass(frozen=True)
class Difference:
    """One set: BLEU gained on the held-out half, and how sure that is."""

    name: str
    held: float
    p_value: float
    """Of no difference, by paired bootstrap over sentences; two-sided."""
    test: float
    """Gained on the test set; nothing depends on it."""

    @property
    def significant(self) -> bool:
        """More than chance would do?"""
        return self.p_value < 1 - LEVEL


@dataclass(frozen=True)
class Comparison:
    """All sets: the mean gain on held-out halves, its interval, and each set."""

    sets: tuple[Difference, ...]
    mean: float
    low: float
    high: float

    @property
    def losses(self) -> list[Difference]:
        """Sets on which something was lost for sure."""
        return [each for each in self.sets if each.significant and each.held < 0]

    @property
    def gains(self) -> list[Difference]:
        """Sets on which something was gained for sure."""
        return [each for each in self.sets if each.significant and each.held > 0]

    @property
    def wins(self) -> bool:
        """May this become the default?"""
        return self.low > 0 and not self.losses

    @property
    def verdict(self) -> str:
        """The same in words."""
        lost = ", ".join(f"{each.name} ({each.held:+.2f})" for each in self.losses)
        if self.low > 0:
            if lost:
                return f"wins on the mean, but loses significantly on {lost}"
            return "wins on the mean without losing significantly on any set"
        on_mean = "loses on the mean" if self.high < 0 else "does not win on the mean"
        return f"{on_mean}, and loses significantly on {lost}" if lost else on_mean


def compare(ours: Mapping[str, Records], theirs: Mapping[str, Records]) -> Comparison | None:
    """One way to train against another, on the sets that both have; None if there are none.

    Scores are means over seeds.  The interval is a bootstrap over sets and, within each set that is
    drawn, over sentences.
    """
    names = [name for name in ours if name in theirs]
    if not names:
        return None
    differences, resamples = [], []
    for number, name in enumerate(names):
        one, other = ours[name], theirs[name]
        held = _mean(one, "held") - _mean(other, "held")
        gains = _resampled(one, number) - _resampled(other, number)
        resamples.append(gains)
        p_value = significance_of(gains, held).p_value
        test = _mean(one, "test") - _mean(other, "test")
        differences.append(Difference(name, held, p_value, test))
    low, high = _interval(np.array(resamples))
    mean = sum(each.held for each in differences) / len(differences)
    return Comparison(tuple(differences), mean, low, high)


def _mean(records: Records, part: str) -> float:
    return sum(float(record[part]["bleu"]) for record in records) / len(records)


def _resampled(records: Records, seed: int) -> Array:
    """The mean over seeds on resampled sentences, the same ones for every system."""
    metric = Bleu()
    scores = [
        resampled(metric, np.array(record["held"]["statistics"], dtype=np.float64), SAMPLES, seed)
        for record in records
    ]
    mean: Array = np.mean(scores, axis=0)
    return mean


def _interval(gains: Array) -> tuple[float, float]:
    """Of the mean over sets; ``gains`` has a row for each set, a column for each resample of it."""
    sets, samples = gains.shape
    rng = np.random.default_rng(0)
    drawn = rng.integers(sets, size=(samples, sets))
    means = gains[drawn, rng.integers(samples, size=drawn.shape)].mean(axis=1)
    low, high = np.quantile(means, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)
