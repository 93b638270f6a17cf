"""How far an alternative moves the weights: the full path, two actions, a margin, or a gradient.

Gesmundo and Henderson (2014, section 4.2) use the difference of the full paths' features and a
constant rate where the alternative is better; they found updates of the two actions alone,
Passive-Aggressive, aggressive (Shen et al. 2007) and MIRA worse.

``expected_reward`` is ours.  Alternatives that are better by luck have, on the whole, lower scores
under the present weights than what was taken; to learn from them alone wears good weights down.
So it learns from both kinds: it follows the gradient of the reward that a coin would expect which
takes one of the two paths with the odds of their scores.  ``replay``, ours as well, does so
with all samples seen so far: see :mod:`demotic.learn.replay`.
"""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np

from demotic.learn.search import Features, Sample, collected

Update = Literal[
    "full_path", "two_actions", "passive_aggressive", "aggressive", "mira", "expected_reward",
    "replay",
]  # fmt: skip


def difference(sample: Sample[Any], update: Update) -> Features:
    """D, what to move along: the features of the alternative minus those of what was taken.

    ``two_actions`` looks at the first action of both only.
    """
    better, taken = sample.alternative, sample.taken
    if update == "two_actions":
        return Features.of(better.action - taken.action)
    ids, values = collected(
        np.concatenate([better.sparse_ids, taken.sparse_ids]),
        np.concatenate([better.sparse_values, -taken.sparse_values]),
    )
    return Features(better.features - taken.features, ids, values)


def step_size(update: Update, rate: float, lead: float, gain: float, difference: Features) -> float:
    """How far: ``rate``, or as far as the margin asks, ``rate`` at most; 0 for not at all.

    ``lead`` is w·D, by how much the alternative's score is higher (lower as a rule), ``gain`` by
    how much its reward is.  Passive-Aggressive (PA-I, Crammer et al. 2006) asks for a margin of 1,
    MIRA for one of the size of the gain.  ``aggressive`` repeats the plain step until the
    alternative scores higher.  Only ``expected_reward`` has an answer for alternatives that are
    worse.
    """
    if update == "expected_reward":
        return rate * gain * _odds_slope(lead)
    if gain <= 0:
        return 0.0
    if update in ("full_path", "two_actions"):
        return rate
    norm = float(difference.dense @ difference.dense + difference.values @ difference.values)
    if update == "aggressive":
        again = math.floor(max(0.0, -lead) / (rate * norm)) if rate * norm > 0 else 0
        return rate * (1 + again)
    margin = 1.0 if update == "passive_aggressive" else gain
    return min(rate, max(0.0, margin - lead) / norm) if norm > 0 else 0.0


def _odds_slope(lead: float) -> float:
    """The derivative of 1 / (1 + exp(-lead))."""
    tail = math.exp(-abs(lead))
    return tail / (1 + tail) ** 2
