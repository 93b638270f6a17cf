"""E2: what training costs for a sentence and a pass over them, and how it converges."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from demotic.experiments.umt.bench import HIERO, Arm, Bench
from demotic.learn import MertOptions, tune_weights
from demotic.systems.hiero import START
from demotic.systems.tuning import TuningTask
from demotic.systems.umt.start import learned


def tuned_by_mert(
    bench: Bench, name: str, *, seed: int = 1, only: Sequence[str] | None = None
) -> dict[str, Any]:
    """MERT for cube pruning, on one thread; its weights, its cost, the translations it leads to.

    ``only`` are the features to be used, all where there are none.
    """
    decoder = bench.hiero(HIERO[name], {})
    task = TuningTask(decoder, bench.dev, "kbest", 100, 1)
    names = task.feature_names
    # A model that was given has been tuned already; a few rounds more adapt its weights.
    given = bench.setup.model is not None and only is None
    start = bench.model.weights if given else START
    fixed = tuple(name for name in names if only is not None and name not in only)
    rounds = 2 if bench.setup.quick or given else MertOptions().iterations
    begin = time.process_time()
    found = tune_weights(
        task,
        {name: 0.0 if name in fixed else start.get(name, 0.0) for name in names},
        options=MertOptions(iterations=rounds, fixed=fixed),
        seed=seed,
        progress=bench.setup.progress,
    )
    seconds = time.process_time() - begin
    return {
        "weights": found.weights,
        "dev": found.bleu,
        "rounds": [this.bleu for this in found.rounds],
        "ms": 1000 * seconds / len(found.rounds) / len(bench.dev.source),
        "seconds": seconds,
        **bench.translated(decoder.with_weights(found.weights)),
    }


def learning_cost(bench: Bench, arm: Arm) -> dict[str, float]:
    """DRL's milliseconds a sentence and epoch, parsing once, or in every epoch as MERT does."""
    drl = replace(arm.drl, epochs=2)
    found = {}
    for name, kept in (("parsing once", 1 << 30), ("parsing each time", 0)):
        learner = replace(
            bench.learner(arm.seed, reward=arm.reward, memory=kept), folder=None, resume=False
        )
        trial = learned(learner, START, arm.features, arm.search, drl)
        # The first epoch parses; the second is what nine of ten are like.
        first, second = (epoch.seconds for epoch in trial.epochs)
        mean = (first + 9 * second) / 10 if kept else (first + second) / 2
        found[name] = 1000 * mean / len(bench.dev.source)
    return found
