"""Local weights from choices among blocks of all lengths, and what a block costs by itself.

    learned = learn_lengths(oracles.events, row, learn, options=options, seed=1)
    learned.weights["Partition"]              # a price for each block

The paper's candidates share a source phrase, so that nothing tells whether two short blocks are
better than a long one.  Here all blocks compete that could come next, and a choice is worth its
features and c for each source word that it covers.  The probability of a whole translation is the
product of these choices:

    sum_i w.f(b_i) + c J(b_i) - ln Z_i

All translations of a sentence cover the same words, so that c adds the same to each and a decoder
needs none.  Z is taken for a constant, as in the paper; not one half, but e to the mean of ln Z on
the events learned from.  The weight of ``Partition`` makes it so.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from demotic.grammar.orientation import FEATURES, NEUTRAL_FEATURES, BlockEvents
from demotic.learn import LocalWeights, SgdOptions, objective, sgd
from demotic.systems.blocks.learning import Learned, decoder_weights

if TYPE_CHECKING:
    from collections.abc import Mapping

    from demotic import _core
    from demotic.systems.blocks.config import LearnConfig
    from demotic.systems.blocks.rows import Row


def learn_lengths(
    events: BlockEvents,
    row: Row,
    learn: LearnConfig,
    *,
    options: SgdOptions,
    before: Mapping[str, float],
    seed: int = 1,
    threads: int = 1,
) -> Learned:
    """Weights from events whose last feature is the number of source words.

    ``before`` are weights whose neutral ones stay if there are no N events.
    """
    found = sgd(
        events.successors, options=options, train_dense=[*row.active, True], seed=seed,
        threads=threads,
    ).weights  # fmt: skip
    log_z, count = log_partitions(events.successors, found), len(events.successors)
    neutral = None
    if learn.neutral == "own" and len(events.neutral):
        start = LocalWeights.zeros(events.neutral)
        start.dense[-1] = found.dense[-1]  # c is that of all words, or it would not add up
        alone = sgd(
            events.neutral, options=options, initial=start,
            train_dense=[*row.neutral_active, False], seed=seed, threads=threads,
        ).weights  # fmt: skip
        log_z += log_partitions(events.neutral, alone)
        count += len(events.neutral)
        neutral = alone.dense[:-1]
    elif learn.neutral == "own":
        neutral = np.array([before[f"Neutral{name}"] for name in NEUTRAL_FEATURES])
    weights = decoder_weights(found.dense[: len(FEATURES)], neutral, learn)
    weights["Partition"] = -log_z / max(1, count) / math.log(2)
    return Learned(weights, np.zeros(0, np.float32))


def log_partitions(events: _core.EventGroups, weights: LocalWeights) -> float:
    """The sum of ln Z over the events."""
    total = objective(events, weights).loss
    for group, label in zip(events.group, events.label, strict=True):
        begin, end = (int(events.group_ptr[group + i]) for i in (0, 1))
        rows = events.features[begin * events.width : end * events.width]
        total += float(rows.reshape(events.width, -1)[:, label] @ weights.dense)
    return total
