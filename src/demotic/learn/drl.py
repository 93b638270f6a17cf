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
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import nullcontext
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from demotic.errors import ArgumentError, DemoticError
from demotic.forest.weights import Floats
from demotic.learn import drl_state
from demotic.learn.averaged import AveragedWeights
from demotic.learn.epochs import Epoch
from demotic.learn.policies import LinearPolicy
from demotic.learn.replay import Replay
from demotic.learn.saved_state import SavedState
from demotic.learn.search import Features, Sample, SampleTask
from demotic.learn.updates import Update, difference, step_size
from demotic.progress import SILENT, Progress
from demotic.thread_pool import thread_pool

_AT_A_TIME = 256
"""Examples that threads have under way: an interruption waits for no more."""


@dataclass(frozen=True, kw_only=True)
class DrlOptions:
    """How to learn."""

    epochs: int = 10
    """Passes over the examples."""
    rate: float = 0.1
    """eta: how far an update goes."""
    update: Update = "full_path"
    """What an update looks at; those with a margin take ``rate`` as the longest step,
    ``expected_reward`` takes it times the gain, and ``replay`` goes that share of the way to what
    all samples ask for."""
    discount: float = 1.0
    """gamma: what a reward is worth one action later, in what a state is worth.  Below 1, short
    ways to the end are better than long ones, and rewards that come at once better than later
    ones, where the task has rewards before the end."""
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

    def __post_init__(self) -> None:
        for name, least in (
            ("epochs", 0), ("samples", 1), ("exponent", 0), ("rate", 0), ("keep", 0),
            ("discount", 0), ("temperature", 1e-6),
        ):  # fmt: skip
            if not least <= getattr(self, name) < math.inf:
                raise ArgumentError(f"{name} must be a number of at least {least}")
        if self.discount > 1:
            raise ArgumentError("discount must be at most 1")
        if self.keep > 1 or (self.update == "replay" and self.rate > 1):
            raise ArgumentError("keep, and the rate of replay, must be at most 1")


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


def drl(
    task: SampleTask[Any],
    weights: Mapping[str, float],
    *,
    options: DrlOptions | None = None,
    seed: int = 1,
    progress: Progress = SILENT,
    checkpoint: Path | None = None,
    resume: bool = False,
    evaluate: Evaluate | None = None,
    threads: int = 1,
) -> DrlResult:
    """Learn weights from the given ones on (a feature without one starts at 0).

    With ``checkpoint`` the state is written after each epoch; ``resume`` continues from there, if
    it exists, to the same result as without a break.  ``evaluate`` scores what was learned after
    each epoch.  The same seed gives the same result on every run, for any number of ``threads``:
    ``replay`` goes through several examples at the same time, the others through one after the
    other.
    """
    options = options or DrlOptions()
    names = tuple(task.feature_names)
    start = np.array([float(weights.get(name, 0.0)) for name in names])
    _check(names, weights, start, options, seed)
    if threads < 1:
        raise ArgumentError("learning needs at least one thread")
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

    free = np.array([name not in options.fixed for name in names], dtype=np.bool_)
    with (
        progress.step("learning", options.epochs * len(task), "examples") as advance,
        thread_pool(threads) if threads > 1 else nullcontext() as pool,
        np.errstate(over="ignore", invalid="ignore"),  # weights that are not finite are an error
    ):
        advance(len(epochs) * len(task))
        for number in range(len(epochs) + 1, options.epochs + 1):
            begin = time.process_time()
            task.prepare(_policy(learned))
            draw = [seed, number]
            if replay is None:
                passed = _online(task, learned, options, free, draw, advance)
            else:
                passed = _replayed(task, learned, replay, options, free, draw, advance, pool)
            seconds = time.process_time() - begin
            score = None
            if evaluate is not None:
                score = evaluate(_named(names, _result(learned, replay)), learned.sparse_mean())
            epochs.append(Epoch(number, *passed, score, seconds))
            if saved is not None:
                drl_state.save(saved, learned, replay, epochs)
            progress.say(_news(epochs[-1]))
        if replay is not None and epochs:  # the last step has not been tried yet
            task.prepare(_policy(learned))
            replay.judge(learned.dense, _mean_reward(task, learned, pool))
    return DrlResult(
        _named(names, _result(learned, replay)),
        learned.sparse_mean(),
        _named(names, learned.dense),
        tuple(epochs),
    )


class _Passed(NamedTuple):
    """What one pass over the examples met."""

    reward: float
    samples: int
    updates: int


def _online(
    task: SampleTask[Any],
    learned: AveragedWeights,
    options: DrlOptions,
    free: NDArray[np.bool_],
    seed: Sequence[int],
    advance: Callable[[int], None],
) -> _Passed:
    """Learn from one example after the other."""
    rewards, tried, updates = [], 0, 0
    for example, samples in _visits(task, learned, options, seed):
        moves: list[tuple[float, Features]] = []
        if samples:  # they share the policy's path
            rewards.append(_reward(task, example, samples[0].taken))
        for sample in samples:
            gain = _gain(task, example, sample, rewards[-1], options.discount)
            if gain == 0 or (gain < 0 and options.update != "expected_reward"):
                continue  # only what is strictly better teaches
            toward = difference(sample, options.update)
            toward = toward._replace(dense=_changing(toward.dense, free))
            lead = float(learned.dense @ toward.dense + learned.sparse[toward.ids] @ toward.values)
            size = step_size(options.update, options.rate, lead, gain, toward)
            moves.append((size, toward))
        for size, toward in moves:
            learned.add(size * toward.dense, toward.ids, size * toward.values)
        learned.step()  # update or not
        if samples:
            _check_finite(learned, seed[-1])
        tried += len(samples)
        updates += len(moves)
        advance(1)
    return _Passed(_mean(rewards), tried, updates)


def _replayed(
    task: SampleTask[Any],
    learned: AveragedWeights,
    replay: Replay,
    options: DrlOptions,
    free: NDArray[np.bool_],
    seed: Sequence[int],
    advance: Callable[[int], None],
    pool: Executor | None,
) -> _Passed:
    """Learn from all examples together."""
    rewards, tried = [], 0
    for example, samples in _visits(task, learned, options, seed, pool):
        if samples:
            rewards.append(_reward(task, example, samples[0].taken))
        for sample in samples:
            gain = _gain(task, example, sample, rewards[-1], options.discount)
            toward = _changing(difference(sample, options.update).dense, free)
            if not (math.isfinite(gain) and np.isfinite(toward).all()):
                raise DivergedError(f"a feature or reward of example {example + 1} is infinite")
            replay.see(toward, gain)
        tried += len(samples)
        advance(1)
    passed = _Passed(_mean(rewards), tried, tried)
    replay.judge(learned.dense, passed.reward)
    learned.add(replay.step(learned.dense, options.rate))
    _check_finite(learned, seed[-1])
    return passed


def _visits(
    task: SampleTask[Any],
    learned: AveragedWeights,
    options: DrlOptions,
    seed: Sequence[int],
    pool: Executor | None = None,
) -> Iterator[tuple[int, Sequence[Sample[Any]]]]:
    """Examples in random order, each with its samples: under the weights of the moment, or, by
    the threads of a pool, some at a time."""
    rng = np.random.default_rng(seed)  # of this epoch alone, so that one can resume here
    policy = _policy(learned)

    def visit(drawn: tuple[int, Floats]) -> tuple[int, Sequence[Sample[Any]]]:
        example, draws = drawn
        pairs = [(float(state), float(rank)) for state, rank in draws]
        return example, task.samples(example, policy, pairs, exponent=options.exponent)

    order = rng.permutation(len(task)).tolist()
    drawn = ((example, rng.random((options.samples, 2))) for example in order)
    while batch := list(islice(drawn, _AT_A_TIME)):
        yield from map(visit, batch) if pool is None else pool.map(visit, batch)


def _policy(learned: AveragedWeights) -> LinearPolicy:
    """Follows the weights as they change."""
    return LinearPolicy(learned.dense, learned.sparse)


def _reward(task: SampleTask[Any], example: int, rollout: Any) -> float:
    """What an end is worth: its cost, saved."""
    return 0.0 - task.cost(example, rollout)


def _gain(
    task: SampleTask[Any], example: int, sample: Sample[Any], taken: float, discount: float
) -> float:
    """What the alternative is worth more than what was taken, whose end is worth ``taken``."""
    if discount == 1:
        return _reward(task, example, sample.alternative) - taken
    better, worse = (
        sum(discount**i * each for i, each in enumerate(task.rewards(example, rollout)))
        for rollout in (sample.alternative, sample.taken)
    )
    return float(better - worse)


def _changing(dense: Floats, free: NDArray[np.bool_]) -> Floats:
    """A difference that leaves fixed features alone, infinite ones as well."""
    return np.where(free, dense, 0.0)


def _mean(rewards: Sequence[float]) -> float:
    return math.fsum(rewards) / len(rewards) if rewards else 0.0


def _check_finite(learned: AveragedWeights, epoch: int) -> None:
    if not learned.finite:
        raise DivergedError(
            f"the weights grew beyond all numbers in epoch {epoch}",
            remedy="learn at a lower rate; the checkpoint has the weights of the epoch before",
        )


def _mean_reward(task: SampleTask[Any], learned: AveragedWeights, pool: Executor | None) -> float:
    """Of the policy's own paths."""
    visits = _visits(task, learned, DrlOptions(), [0], pool)
    return _mean([_reward(task, example, found[0].taken) for example, found in visits if found])


def _result(learned: AveragedWeights, replay: Replay | None) -> Floats:
    """What was learned so far."""
    return learned.mean() if replay is None else replay.best


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
    for name in (*weights, *options.fixed):
        if name not in names:
            raise ArgumentError(
                f"there is no feature '{name}'", remedy="the features are " + ", ".join(names)
            )
    if not np.isfinite(start).all():
        raise ArgumentError("a weight to start from is not finite")
    if seed < 0:
        raise ArgumentError("the seed must not be negative")
