"""Discriminative reinforcement learning (Gesmundo and Henderson 2014, section 4).

A policy takes the action of the highest score w·phi(s, a).  On each example the learner follows the
policy, picks a state of its path and another action there, follows the policy from that action on,
and where the new end is better moves the weights towards the features of the new path.  The result
is the mean of the weights after every example.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from demotic.errors import ArgumentError, DemoticError
from demotic.forest.weights import Floats
from demotic.learn.averaged import AveragedWeights
from demotic.learn.episodes import Epoch, Task
from demotic.learn.saved_state import SavedState
from demotic.learn.updates import Difference, Update, difference, step_size
from demotic.progress import SILENT, Progress


@dataclass(frozen=True, kw_only=True)
class DrlOptions:
    """How to learn."""

    epochs: int = 10
    rate: float = 0.1
    """eta: how far an update goes."""
    update: Update = "full_path"
    """What an update looks at; those with a margin take ``rate`` as the longest step, and
    ``expected_reward`` takes it times the gain."""
    exponent: float = 1.0
    """Of Zipf's law, by which the other action is drawn; 0 draws uniformly."""
    samples: int = 1
    """States tried on the path of each example, all under the same weights."""
    fixed: tuple[str, ...] = ()
    """Features whose weight does not change."""
    tied: tuple[tuple[str, ...], ...] = ()
    """Groups of features whose weights change together, by the sum of their differences."""

    def __post_init__(self) -> None:
        for name, least in (("epochs", 0), ("samples", 1), ("exponent", 0), ("rate", 0)):
            if not least <= getattr(self, name) < math.inf:
                raise ArgumentError(f"{name} must be a number of at least {least}")


@dataclass(frozen=True, eq=False)
class DrlResult:
    """The averaged weights, and how they were reached."""

    weights: dict[str, float]
    sparse: Floats
    """Averaged weights of sparse features, by id."""
    last: dict[str, float]
    """The weights after the last example, not averaged."""
    epochs: tuple[Epoch, ...] = field(default=())


class DivergedError(DemoticError):
    """Weights grew beyond all numbers."""


Evaluate = Callable[[dict[str, float], Floats], float]
"""From averaged weights, by name and sparse ones by id, to a score."""


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
) -> DrlResult:
    """Learn weights from the given ones on (a feature without one starts at 0).

    With ``checkpoint`` the state is written after each epoch; ``resume`` continues from there, if
    it exists, to the same result as without a break.  ``evaluate`` scores the averaged weights
    after each epoch.  The same seed gives the same result on every run.
    """
    options = options or DrlOptions()
    names = tuple(task.feature_names)
    start = np.array([float(weights.get(name, 0.0)) for name in names])
    _check(names, weights, start, options, seed)
    learned = AveragedWeights(start, task.sparse_features)
    epochs: list[Epoch] = []
    saved = None
    if checkpoint is not None:
        saved = SavedState(checkpoint, _settings(names, start, len(task), options, seed))
        if resume and checkpoint.exists():
            epochs = _restore(saved, learned)
            progress.say(f"learning continues after epoch {len(epochs)}")

    with progress.step("learning", options.epochs * len(task), "examples") as advance:
        advance(len(epochs) * len(task))
        for number in range(len(epochs) + 1, options.epochs + 1):
            begin = time.process_time()
            with np.errstate(over="ignore", invalid="ignore"):  # an error says it below
                reward, samples, updates = _epoch(
                    task, learned, options, _changes(names, options), [seed, number], advance
                )
            seconds = time.process_time() - begin
            score = None
            if evaluate is not None:
                score = evaluate(_named(names, learned.mean()), learned.sparse_mean())
            epochs.append(Epoch(number, reward, samples, updates, score, seconds))
            if saved is not None:
                _save(saved, learned, epochs)
            progress.say(_news(epochs[-1]))
    return DrlResult(
        _named(names, learned.mean()),
        learned.sparse_mean(),
        _named(names, learned.dense),
        tuple(epochs),
    )


def _epoch(
    task: Task[Any],
    learned: AveragedWeights,
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
        for sample in samples:
            taken = task.reward(example, sample.taken)
            gain = task.reward(example, sample.alternative) - taken
            if gain == 0 or (gain < 0 and options.update != "expected_reward"):
                continue  # only what is strictly better teaches
            toward = difference(sample, options.update)
            toward = toward._replace(dense=changes(toward.dense))
            lead = float(learned.dense @ toward.dense + learned.sparse[toward.ids] @ toward.values)
            size = step_size(options.update, options.rate, lead, gain, toward)
            moves.append((size, toward))
        if samples:
            rewards.append(taken)  # the same for all samples: they share the policy's path
        for size, toward in moves:
            learned.add(size * toward.dense, toward.ids, size * toward.values)
        learned.step()  # update or not
        if moves and not learned.finite:
            raise DivergedError(
                f"the weights grew beyond all numbers in epoch {seed[1]}",
                remedy="learn at a lower rate; the checkpoint has the weights of the epoch before",
            )
        tried += len(samples)
        updates += len(moves)
        advance(1)
    return (math.fsum(rewards) / len(rewards) if rewards else 0.0), tried, updates


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


# -- checkpoints --------------------------------------------------------------------------------


def _settings(
    names: Sequence[str], start: Floats, examples: int, options: DrlOptions, seed: int
) -> dict[str, Any]:
    chosen = asdict(options)
    del chosen["epochs"]  # more of them may be asked for later
    return {
        "features": list(names),
        "start": start.tolist(),
        "examples": examples,
        "seed": seed,
        **chosen,
    }


def _save(saved: SavedState, learned: AveragedWeights, epochs: Sequence[Epoch]) -> None:
    state = {
        "weights": learned.dense.tolist(),
        "sum": learned.dense_sum.tolist(),
        "count": learned.count,
        "epochs": [asdict(epoch) for epoch in epochs],
    }
    arrays = None
    if len(learned.sparse):
        arrays = {"weights": learned.sparse, "sum": learned.sparse_sum}
    saved.save(state, arrays, number=len(epochs))


def _restore(saved: SavedState, learned: AveragedWeights) -> list[Epoch]:
    """Put the saved state into ``learned``; the epochs behind it."""
    record, arrays = saved.load()
    try:
        learned.dense[:] = record["weights"]
        learned.dense_sum[:] = record["sum"]
        learned.count = int(record["count"])
        if len(learned.sparse):
            if arrays is None:
                raise ValueError("there are no sparse weights")
            learned.sparse[:] = arrays["weights"]
            learned.sparse_sum[:] = arrays["sum"]
        return [Epoch(**epoch) for epoch in record["epochs"]]
    except (ValueError, KeyError, TypeError) as error:
        raise saved.damaged(str(error)) from None


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
