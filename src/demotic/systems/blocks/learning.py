"""Weights of a block model: two vectors for real-valued features, one weight for each pair.

learned = learn_local(events, ROWS["row5"], config.learn, seed=1)
learned.weights                     # of the decoder's features, by name
learned.pairs                       # one for each pair
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from demotic.errors import ArgumentError
from demotic.grammar.orientation import FEATURES, NEUTRAL_FEATURES, BlockEvents
from demotic.learn import LearningResult, LocalWeights, SgdOptions, perceptron, sgd
from demotic.progress import SILENT, Progress

if TYPE_CHECKING:
    from demotic import _core
    from demotic.systems.blocks.config import LearnConfig
    from demotic.systems.blocks.rows import Row


@dataclass(frozen=True, eq=False)
class Learned:
    """What training found."""

    weights: dict[str, float]
    pairs: NDArray[np.float32]

    @property
    def floats(self) -> NDArray[np.float64]:
        """The weights of L/R events."""
        return np.array([self.weights[name] for name in FEATURES])


def decoder_weights(
    floats: Iterable[float], neutral: Iterable[float] | None, learn: LearnConfig
) -> dict[str, float]:
    """The decoder's weights; without a neutral model the same vector scores every transition."""
    weights = dict(zip(FEATURES, map(float, floats), strict=True))
    own = [weights[name] for name in NEUTRAL_FEATURES] if neutral is None else list(neutral)
    weights |= {
        f"Neutral{name}": float(value) for name, value in zip(NEUTRAL_FEATURES, own, strict=True)
    }
    return {**weights, "PassThrough": learn.pass_through}


def learn_local(
    events: BlockEvents,
    row: Row,
    learn: LearnConfig,
    *,
    frozen: Mapping[str, float] | None = None,
    before: Mapping[str, float] | None = None,
    options: SgdOptions | None = None,
    seed: int = 1,
    threads: int = 1,
    progress: Progress = SILENT,
) -> Learned:
    """Train the local model of a row.

    With ``frozen``, the decoder's weights stay as they are and only pairs learn (step 6 of the
    modified training).  ``before`` are weights whose neutral ones stay if there are no N events, as
    may happen where events are few; without it the others stand in, as they do where
    ``learn.neutral`` is ``tied``.  ``options`` replaces those of
    the row's protocol.
    """
    known = before is not None and len(events.neutral) == 0
    if len(events.successors) == 0:
        raise ArgumentError(
            "no block follows another: the model of orientations cannot be trained",
            remedy="give more text, better links, or a development set that this text translates",
        )
    if options is None:
        options = learn.joint if row.pairs or frozen is not None else learn.floats
    initial = None
    if frozen is not None:
        floats = np.array([frozen[name] for name in FEATURES])
        initial = LocalWeights(floats, np.zeros(events.successors.sparse_size, np.float32))

    def run(groups: _core.EventGroups, active: list[bool], how: SgdOptions) -> LearningResult:
        start = initial if groups is events.successors else None
        if learn.learner == "sgd":
            return sgd(
                groups, options=how, initial=start, train_dense=active, train_sparse=row.pairs,
                seed=seed, threads=threads, progress=progress,
            )  # fmt: skip
        return perceptron(
            groups, passes=learn.perceptron_passes, sample=how.sample, initial=start,
            averaged=learn.learner == "averaged-perceptron", train_dense=active,
            train_sparse=row.pairs, seed=seed, progress=progress,
        )  # fmt: skip

    active = [False] * len(FEATURES) if frozen is not None else row.active
    found = run(events.successors, active, options).weights
    if frozen is not None:
        return Learned(dict(frozen), found.sparse)
    neutral = None
    oriented = row.oriented and learn.neutral == "own"
    if oriented and before is not None and known:
        neutral = np.array([before[f"Neutral{name}"] for name in NEUTRAL_FEATURES])
    elif oriented and len(events.neutral) == 0:
        progress.warn(
            "every block follows another: the neutral model cannot be trained, and the "
            "weights of the others stand in"
        )
    elif oriented:
        # N events are few: they are all seen, as often as the protocol says.
        how = replace(options, sample=1.0)
        neutral = run(events.neutral, row.neutral_active, how).weights.dense
    return Learned(decoder_weights(found.dense, neutral, learn), found.sparse)


def wrong_signs(weights: Mapping[str, float]) -> list[str]:
    """The real-valued features that learned a weight above 0 although they are costs."""
    names = (*FEATURES, *(f"Neutral{name}" for name in NEUTRAL_FEATURES))
    return [name for name in names if weights.get(name, 0.0) > 0]


def warn_of_signs(learned: Learned, events: int, progress: Progress, *, remedy: str) -> None:
    """Say which costs were learned to be good: translations get worse by that."""
    wrong = wrong_signs(learned.weights)
    if wrong:
        progress.warn(
            f"{', '.join(wrong)}: learned to prefer what costs more, from {events:,} events; "
            f"{remedy}"
        )
