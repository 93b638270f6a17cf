"""Stochastic gradient descent on the local log-linear model (Tillmann and Zhang 2005, equation 9).

    result = sgd(events, options=SgdOptions(passes=40), seed=1)
    result.weights.dense, result.weights.sparse, result.passes[-1].loss

One event at a time in random order: w <- w + eta sum_j p_j (x_label - x_j), or minus eta times the
derivative of another loss (:mod:`demotic.learn.events`).  A pass's order is computed from
(seed, pass), so that a run can be repeated bit by bit.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from demotic import _core
from demotic.errors import ArgumentError, check_choices, check_counts
from demotic.learn.events import EventLoss, LocalWeights, Objective
from demotic.progress import SILENT, Progress

_SLICE = 1 << 20  # events or groups visited between two looks at the keyboard


@dataclass(frozen=True, kw_only=True)
class SgdOptions:
    """How to learn."""

    passes: int = 40
    """Over the events."""
    eta_float: float = 1e-5
    """The step size of dense weights."""
    eta_binary: float = 1e-5
    """The step size of sparse weights; those of the paper are of binary features."""
    adagrad: bool = False
    """Divide each weight's steps by the root of the sum of its squared gradients so far."""
    l2: float = 0.0
    """Of the penalty on the weights' squares."""
    decay: float = 1.0
    """Below 1, steps are multiplied by it after a pass whose loss hardly fell."""
    stall: float = 1e-4
    """What is hardly: less than this share of the loss."""
    unit: Literal["event", "group"] = "group"
    """A step for each event, as the paper does, or for all events of a group at once, which costs
    as much as one."""
    sample: float = 1.0
    """The share of events or groups that a pass visits, at random."""
    minibatch: int = 0
    """So many events are summed into one step, over threads, with the same result for any number of
    them; 0 sums none."""
    hogwild: bool = False
    """Let threads race: fast, and different every time."""

    def __post_init__(self) -> None:
        check_choices(self)
        check_counts(self, "passes", "minibatch")
        for name in ("eta_float", "eta_binary", "l2", "stall"):
            if not 0 <= getattr(self, name) < math.inf:
                raise ArgumentError(f"{name} must be a number of at least 0")
        if not 0 < self.decay <= 1:
            raise ArgumentError("decay must be above 0 and at most 1")
        if not 0 < self.sample <= 1:
            raise ArgumentError("sample must be above 0 and at most 1")
        if self.hogwild and (self.adagrad or self.minibatch):
            raise ArgumentError(
                "hogwild goes with plain steps", remedy="leave out adagrad and minibatch"
            )


@dataclass(frozen=True, eq=False)
class LearningResult:
    """Weights, and what each pass met: the loss of events before they changed the weights."""

    weights: LocalWeights
    passes: tuple[Objective, ...]


def sgd(
    events: _core.EventGroups,
    *,
    options: SgdOptions | None = None,
    loss: EventLoss = "likelihood",
    initial: LocalWeights | None = None,
    train_dense: Sequence[bool] | None = None,
    train_sparse: bool = True,
    seed: int = 1,
    threads: int = 1,
    progress: Progress = SILENT,
) -> LearningResult:
    """Learn weights; those of ``train_dense`` that are false, and sparse ones, may stay fixed."""
    options = options or SgdOptions()
    initial = initial or LocalWeights.zeros(events)
    learner = _core.LocalLearner(
        events,
        "sgd",
        loss,
        options.eta_float,
        options.eta_binary,
        options.adagrad,
        options.l2,
        list(train_dense or []),
        train_sparse,
        seed,
        options.unit == "group",
        options.minibatch,
        options.hogwild,
        *initial.core(),
    )
    return run(
        learner,
        events,
        passes=options.passes,
        sample=options.sample,
        decay=options.decay,
        stall=options.stall,
        batch=options.minibatch,
        threads=threads,
        progress=progress,
    )


def run(
    learner: _core.LocalLearner,
    events: _core.EventGroups,
    *,
    passes: int,
    sample: float = 1.0,
    decay: float = 1.0,
    stall: float = 0.0,
    batch: int = 0,
    threads: int = 1,
    progress: Progress = SILENT,
) -> LearningResult:
    """Visit the events pass by pass."""
    if passes < 0:
        raise ArgumentError("passes must be 0 or more")
    if not 0 < sample <= 1:
        raise ArgumentError("sample must be above 0 and at most 1")
    if len(events) == 0:
        raise ArgumentError("there are no events to learn from")
    visited = math.ceil(learner.visits * sample)
    step = _SLICE if batch == 0 else math.ceil(_SLICE / batch) * batch
    done: list[Objective] = []
    with progress.step("learning", passes, "passes") as advance:
        for number in range(passes):
            total = Objective(0.0, 0, 0, 0)
            for begin in range(0, visited, step):
                end = min(begin + step, visited)
                total += Objective.of(learner.run(number, begin, end, threads))
            advance(1)
            learner.end_pass(total.events)
            if done and total.loss > (1 - stall) * done[-1].loss:
                learner.scale_eta(decay)
            done.append(total)
    return LearningResult(LocalWeights(*learner.weights()), tuple(done))
