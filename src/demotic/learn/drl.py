"""Discriminative reinforcement learning (Gesmundo and Henderson 2014, section 4).

A policy takes the action of the highest score w·phi(s, a).  On each example the learner follows the
policy, picks a state of its path and another action there, follows the policy from that action on,
and where the new end is better moves the weights towards the features of the new path.  The result
is the mean of the weights after every example.  ``replay`` looks at many samples together, once in
an epoch.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from demotic.errors import ArgumentError, DemoticError
from demotic.forest.weights import Floats
from demotic.learn import drl_state
from demotic.learn.averaged import AveragedWeights
from demotic.learn.episodes import Epoch, Task
from demotic.learn.replay import Replay
from demotic.learn.saved_state import SavedState
from demotic.learn.updates import BOTH_WAYS, Difference, Update, difference, step_size
from demotic.progress import SILENT, Progress


@dataclass(frozen=True, kw_only=True)
class DrlOptions:
    """How to learn."""

    epochs: int = 10
    rate: float = 0.1
    """eta: how far an update goes."""
    update: Update = "full_path"
    """What an update looks at; those with a margin take ``rate`` as the longest step,
    ``expected_reward`` takes it times the gain, and ``replay`` goes that share of the way to what
    all samples ask for."""
    exponent: float = 1.0
    """Of Zipf's law, by which the other action is drawn; 0 draws uniformly."""
    samples: int = 1
    """States tried on the path of each example, all under the same weights."""
    keep: float = 0.9
    """``replay``: what samples still count an epoch later."""
    temperature: float = 0.15
    """``replay``: of the coins' odds, where a usual lead is 1; the lower, the more a small lead
    decides."""
    fixed: tuple[str, ...] = ()
    """Features whose weight does not change.  ``replay`` leaves them out where it compares
    scores: their weight should be 0, or their values follow the other weights as bounds do."""
    tied: tuple[tuple[str, ...], ...] = ()
    """Groups of features whose weights change together, by the sum of their differences."""

    def __post_init__(self) -> None:
        for name, least in (
            ("epochs", 0), ("samples", 1), ("exponent", 0), ("rate", 0), ("keep", 0),
            ("temperature", 1e-6),
        ):  # fmt: skip
            if not least <= getattr(self, name) < math.inf:
                raise ArgumentError(f"{name} must be a number of at least {least}")
        if self.keep > 1 or (self.update == "replay" and self.rate > 1):
            raise ArgumentError("keep, and the rate of replay, must be at most 1")
        if self.tied and self.update == "replay":
            raise ArgumentError("replay does not tie features")


@dataclass(frozen=True, eq=False)
class DrlResult:
    """What was learned, and how it was reached."""

    weights: dict[str, float]
    """Averaged; for ``replay`` the best of those that were tried."""
    sparse: Floats
    """Averaged weights of sparse features, by id."""
    last: dict[str, float]
    """The weights at the end of the last epoch."""
    epochs: tuple[Epoch, ...] = field(default=())


class DivergedError(DemoticError):
    """Weights grew beyond all numbers."""


Evaluate = Callable[[dict[str, float], Floats], float]
"""From what was learned so far, weights by name and sparse ones by id, to a score."""

Prepare = Callable[[Floats, Floats], None]
"""Told the weights, dense and sparse, before each epoch."""


def drl(
    task: Task[Any],
    weights: Mapping[str, float],
    *,
    options: DrlOptions | None = None,
    seed: int = 1,
    progress: Progress = SILENT,
    checkpoint: Path | None = None,
    resume: bool = False,
    evaluate: Evaluate | None = None,
    prepare: Prepare | None = None,
) -> DrlResult:
    """Learn weights from the given ones on (a feature without one starts at 0).

    With ``checkpoint`` the state is written after each epoch; ``resume`` continues from there, if
    it exists, to the same result as without a break.  ``prepare`` is told the weights before each
    epoch, ``evaluate`` scores what was learned after it.  The same seed gives the same result on
    every run.
    """
    options = options or DrlOptions()
    names = tuple(task.feature_names)
    start = np.array([float(weights.get(name, 0.0)) for name in names])
    _check(names, weights, start, options, seed)
    learned = AveragedWeights(start, task.sparse_features)
    replay = None
    if options.update == "replay":
        if task.sparse_features:
            raise ArgumentError(
                "replay does not learn sparse features", remedy="choose another update"
            )
        replay = Replay(start, keep=options.keep, temperature=options.temperature)
    epochs: list[Epoch] = []
    saved = None
    if checkpoint is not None:
        saved = SavedState(checkpoint, drl_state.settings(names, start, len(task), options, seed))
        if resume and checkpoint.exists():
            epochs = drl_state.restore(saved, learned, replay)
            if len(epochs) > options.epochs:
                raise ArgumentError(
                    f"{len(epochs)} epochs were learned already, more than {options.epochs}",
                    path=checkpoint,
                    remedy="ask for as many, or learn anew without --resume",
                )
            progress.say(f"learning continues after epoch {len(epochs)}")

    with progress.step("learning", options.epochs * len(task), "examples") as advance:
        advance(len(epochs) * len(task))
        for number in range(len(epochs) + 1, options.epochs + 1):
            begin = time.process_time()
            if prepare is not None:
                prepare(learned.dense, learned.sparse)
            with np.errstate(over="ignore", invalid="ignore"):  # an error says it below
                reward, samples, updates = _epoch(
                    task, learned, replay, options, _changes(names, options), [seed, number],
                    advance,
                )  # fmt: skip
                if replay is not None:
                    replay.judge(learned.dense, reward)
                    learned.add(replay.step(learned.dense, options.rate))
            _check_finite(learned, number)
            seconds = time.process_time() - begin
            score = None
            if evaluate is not None:
                score = evaluate(_named(names, _result(learned, replay)), learned.sparse_mean())
            epochs.append(Epoch(number, reward, samples, updates, score, seconds))
            if saved is not None:
                drl_state.save(saved, learned, replay, epochs)
            progress.say(_news(epochs[-1]))
    if replay is not None and epochs:  # the last step has not been tried yet
        if prepare is not None:
            prepare(learned.dense, learned.sparse)
        replay.judge(learned.dense, _mean_reward(task, learned.dense))
    return DrlResult(
        _named(names, _result(learned, replay)),
        learned.sparse_mean(),
        _named(names, learned.dense),
        tuple(epochs),
    )


def _epoch(
    task: Task[Any],
    learned: AveragedWeights,
    replay: Replay | None,
    options: DrlOptions,
    changes: Callable[[Floats], Floats],
    seed: list[int],
    advance: Callable[[int], None],
) -> tuple[float, int, int]:
    """One pass over the examples; the mean reward, the samples and the updates."""
    rng = np.random.default_rng(seed)  # of this epoch alone, so that one can resume here
    rewards, tried, updates = [], 0, 0
    for example in rng.permutation(len(task)).tolist():
        draws = [(float(s), float(r)) for s, r in rng.random((options.samples, 2))]
        samples = task.episode(example).samples(
            learned.dense,
            draws,
            exponent=options.exponent,
            sparse=learned.sparse if len(learned.sparse) else None,
        )
        moves: list[tuple[float, Difference]] = []
        if samples:  # they share the policy's path
            taken = task.reward(example, samples[0].taken)
            rewards.append(taken)
        for sample in samples:
            gain = task.reward(example, sample.alternative) - taken
            if gain <= 0 and options.update not in BOTH_WAYS:
                continue  # only what is strictly better teaches
            toward = difference(sample, options.update)
            toward = toward._replace(dense=changes(toward.dense))
            if replay is not None:
                if not (math.isfinite(gain) and np.isfinite(toward.dense).all()):
                    raise DivergedError(f"a feature or reward of example {example + 1} is infinite")
                replay.see(toward.dense, gain)
                updates += 1
                continue
            if gain == 0:
                continue
            lead = float(learned.dense @ toward.dense + learned.sparse[toward.ids] @ toward.values)
            size = step_size(options.update, options.rate, lead, gain, toward)
            moves.append((size, toward))
        for size, toward in moves:
            learned.add(size * toward.dense, toward.ids, size * toward.values)
        learned.step()  # update or not
        if samples:
            _check_finite(learned, seed[1])
        tried += len(samples)
        updates += len(moves)
        advance(1)
    return (math.fsum(rewards) / len(rewards) if rewards else 0.0), tried, updates


def _check_finite(learned: AveragedWeights, epoch: int) -> None:
    if not learned.finite:
        raise DivergedError(
            f"the weights grew beyond all numbers in epoch {epoch}",
            remedy="learn at a lower rate; the checkpoint has the weights of the epoch before",
        )


def _mean_reward(task: Task[Any], weights: Floats) -> float:
    """Of the policy's own paths."""
    rewards = [
        task.reward(example, samples[0].taken)
        for example in range(len(task))
        if (samples := task.episode(example).samples(weights, [(0.0, 0.0)]))
    ]
    return math.fsum(rewards) / len(rewards) if rewards else 0.0


def _result(learned: AveragedWeights, replay: Replay | None) -> Floats:
    """What was learned so far."""
    return learned.mean() if replay is None else replay.best


def _changes(names: Sequence[str], options: DrlOptions) -> Callable[[Floats], Floats]:
    """Differences with fixed features left alone and tied ones moved together."""
    free = np.array([name not in options.fixed for name in names], dtype=np.float64)
    groups = [[names.index(name) for name in group] for group in options.tied]

    def change(dense: Floats) -> Floats:
        dense = np.where(free > 0, dense, 0.0)  # a fixed feature may be infinite
        for group in groups:
            dense[group] = dense[group].sum()
        return dense

    return change


def _news(epoch: Epoch) -> str:
    text = (
        f"epoch {epoch.number}: mean reward {epoch.reward:.2f}, {epoch.updates:,} updates in "
        f"{epoch.samples:,} samples"
    )
    return text if epoch.score is None else f"{text}, score {epoch.score:.2f}"


def _named(names: Sequence[str], weights: Floats) -> dict[str, float]:
    return dict(zip(names, weights.tolist(), strict=True))


def _check(
    names: Sequence[str],
    weights: Mapping[str, float],
    start: Floats,
    options: DrlOptions,
    seed: int,
) -> None:
    if len(set(names)) < len(names):
        raise ArgumentError("two features have the same name")
    for name in (*weights, *options.fixed, *(name for group in options.tied for name in group)):
        if name not in names:
            raise ArgumentError(
                f"there is no feature '{name}'", remedy="the features are " + ", ".join(names)
            )
    if not np.isfinite(start).all():
        raise ArgumentError("a weight to start from is not finite")
    if seed < 0:
        raise ArgumentError("the seed must not be negative")
