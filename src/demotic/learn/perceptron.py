"""Perceptrons over the same events: what the local log-linear model is compared with.

    result = perceptron(events, passes=10, averaged=True)

Of the wrong candidates the best one is compared with the label: if it scores as high, w is moved by
the difference of their features.  With costs, the best of the cheapest candidates, a, is compared
with the best of the others, b: if b scores as high, w moves by (c_b - c_a) (x_a - x_b).
``averaged`` gives the mean of the weights after each event (Freund and Schapire 1999; Collins
2002).
"""

from __future__ import annotations

from collections.abc import Sequence

from demotic import _core
from demotic.learn.events import LocalWeights
from demotic.learn.sgd import LearningResult, run
from demotic.progress import SILENT, Progress


def perceptron(
    events: _core.EventGroups,
    *,
    passes: int = 10,
    averaged: bool = False,
    sample: float = 1.0,
    initial: LocalWeights | None = None,
    train_dense: Sequence[bool] | None = None,
    train_sparse: bool = True,
    seed: int = 1,
    progress: Progress = SILENT,
) -> LearningResult:
    """Learn weights from mistakes, one event at a time in random order."""
    initial = initial or LocalWeights.zeros(events)
    learner = _core.LocalLearner(
        events,
        "averaged-perceptron" if averaged else "perceptron",
        "likelihood",
        1.0,
        1.0,
        False,
        0.0,
        list(train_dense or []),
        train_sparse,
        seed,
        False,
        0,
        False,
        *initial.core(),
    )
    return run(learner, events, passes=passes, sample=sample, progress=progress)
