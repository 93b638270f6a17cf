"""Minimum error rate training (Och 2003): weights that maximise corpus BLEU on a dev set.

Each round decodes the dev set with the present weights, adds what came out to what is known, and
climbs on it: line searches along every axis and some random directions, the best step taken, until
none gains.  Climbs start from the present weights, from the best ones so far and from random
points.  Lists of hypotheses grow from round to round; forests (Kumar et al. 2009) are searched
whole, and what the search found in them stays as a list.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np

from demotic.errors import ArgumentError
from demotic.forest.envelope import MAX_SEGMENTS
from demotic.forest.weights import Floats
from demotic.learn.candidates import Task
from demotic.learn.checkpoint import Checkpoint
from demotic.learn.climb import Climber, Point
from demotic.learn.line_search import LineSearch, decoded_bleu
from demotic.learn.rounds import Round, State
from demotic.progress import SILENT, Progress


@dataclass(frozen=True, kw_only=True)
class MertOptions:
    """How hard to try."""

    iterations: int = 10
    """Rounds of decoding and optimising, at most."""
    random_directions: int = 15
    """Beside one direction along each feature."""
    restarts: int = 3
    """Climbs from random points in each round."""
    min_gain: float = 0.01
    """In BLEU points (1e-4 of BLEU from 0 to 1): smaller gains end a climb, and a round of smaller
    gain ends tuning."""
    max_segments: int = MAX_SEGMENTS
    """The cap on a forest's envelope; a Round tells in how many sentences it was reached."""
    fixed: tuple[str, ...] = ()
    """Features whose weight is not to be changed, but for a factor common to all."""

    def __post_init__(self) -> None:
        for name in ("iterations", "random_directions", "restarts", "min_gain"):
            if not 0 <= getattr(self, name) < math.inf:
                raise ArgumentError(f"{name} must be a number that is not negative")
        if self.max_segments < 2:
            raise ArgumentError("max_segments must be at least 2")


@dataclass(frozen=True)
class MertResult:
    """The weights of the highest BLEU that was decoded, not only predicted."""

    weights: dict[str, float]
    bleu: float
    rounds: tuple[Round, ...]
    converged: bool
    """The last round gained less than ``min_gain``; otherwise the iterations were used up."""


def mert(
    task: Task,
    weights: Mapping[str, float],
    *,
    options: MertOptions | None = None,
    seed: int = 1,
    threads: int = 1,
    progress: Progress = SILENT,
    checkpoint: Path | None = None,
    resume: bool = False,
) -> MertResult:
    """Tune ``weights`` (a feature without one starts at 0) for corpus BLEU.

    With ``checkpoint`` the state is written after each round, in JSON with a file of hypotheses
    beside it; ``resume`` continues from there, if it exists, to the same result as without a break.
    The same seed gives the same result for any number of threads.
    """
    options = options or MertOptions()
    names = tuple(task.feature_names)
    _check(names, weights, options, seed)
    state = State({name: float(weights.get(name, 0.0)) for name in names})
    kept = None
    lists = None
    if checkpoint is not None:
        kept = Checkpoint(checkpoint, _settings(names, state.weights, options, seed))
        if resume and checkpoint.exists():
            state, lists = kept.load()
            progress.say(f"tuning continues after round {len(state.rounds)}")

    search: LineSearch | None = None
    with progress.step("tuning", total=options.iterations, unit="rounds") as advance:
        advance(len(state.rounds))
        while not state.converged and len(state.rounds) < options.iterations:
            candidates = task.candidates(state.weights)
            if search is None:
                search = LineSearch(
                    names, len(candidates), max_segments=options.max_segments, threads=threads
                )
                if lists is not None:
                    search.restore(*lists)
            known = search.hypotheses
            search.add(candidates)
            bleu = decoded_bleu(names, candidates, _array(names, state.weights), threads=threads)
            state = _round(search, state, bleu, known, options, seed)
            if kept is not None:
                kept.save(state, search.lists())
            progress.say(_news(state.rounds[-1]))
            advance(1)
    if state.final_bleu is None:
        candidates = task.candidates(state.weights)
        final = decoded_bleu(names, candidates, _array(names, state.weights), threads=threads)
        state = replace(state, final_bleu=final)
        if kept is not None:
            kept.save(state)
    result = _result(state)
    progress.say(f"tuned: BLEU {result.bleu:.2f}")
    return result


def _round(
    search: LineSearch, state: State, bleu: float, known: int, options: MertOptions, seed: int
) -> State:
    """Optimise on what is known after a decoding with ``state.weights`` that reached ``bleu``.

    ``known`` is the number of hypotheses before that decoding.
    """
    number = len(state.rounds) + 1
    names = tuple(state.weights)
    start = _array(names, state.weights)
    free = np.array([name not in options.fixed for name in names], dtype=np.float64)
    rng = np.random.default_rng([seed, number])  # of this round alone, so that one can resume here

    climber = Climber(search, free, options.random_directions, options.min_gain, rng)

    before = search.bleu(start)
    best = _best_climb(climber, start, state.rounds, options.restarts)
    gain = best.bleu - before
    converged = gain < options.min_gain or gain <= 0
    found = start if converged else _scaled(best.weights, start)

    search.steps(found, climber.directions())
    truncated = search.truncated
    search.forget()
    this = Round(
        number=number,
        weights=state.weights,
        bleu=bleu,
        reached=best.bleu,
        gain=gain,
        moved=float(np.abs(found - start).sum() / (np.abs(start).sum() or 1.0)),
        new=max(search.hypotheses - known, 0),
        truncated=truncated,
    )
    return State(
        weights=dict(zip(names, found.tolist(), strict=True)),
        rounds=(*state.rounds, this),
        converged=converged,
        final_bleu=bleu if converged else None,
    )


def _best_climb(climber: Climber, start: Floats, rounds: Sequence[Round], restarts: int) -> Point:
    """From the present weights; from others too where their climb on the lists gets higher."""
    best = climber.climb(start)
    others = [climber.random_point(start) for _ in range(restarts)]
    if rounds:
        earlier = max(rounds, key=lambda this: this.bleu)
        others.insert(0, _array(tuple(earlier.weights), earlier.weights))
    for point in others:
        end = climber.climb_lists(point)
        if end.bleu > best.bleu:
            best = max(best, climber.climb(end.weights), key=lambda end: end.bleu)
    return best


def _news(this: Round) -> str:
    text = (
        f"round {this.number}: BLEU {this.bleu:.2f}, then {this.reached:.2f} ({this.gain:+.2f}) "
        f"on what is known; weights moved by {100 * this.moved:.1f}%, {this.new:,} new hypotheses"
    )
    return f"{text}, cap reached in {this.truncated}" if this.truncated else text


def _result(state: State) -> MertResult:
    assert state.final_bleu is not None
    decoded = [(state.weights, state.final_bleu), *((r.weights, r.bleu) for r in state.rounds)]
    weights, bleu = max(decoded, key=lambda pair: pair[1])
    return MertResult(dict(weights), bleu, state.rounds, state.converged)


def _scaled(weights: Floats, like: Floats) -> Floats:
    """A common factor changes no decision; the sum of absolute weights stays what it was."""
    size = np.abs(weights).sum()
    return weights if size == 0 else weights * ((np.abs(like).sum() or 1.0) / size)


def _array(names: Sequence[str], weights: Mapping[str, float]) -> Floats:
    return np.array([weights[name] for name in names], dtype=np.float64)


def _settings(
    names: Sequence[str], start: Mapping[str, float], options: MertOptions, seed: int
) -> dict[str, object]:
    """What a run must share with the one it continues; that may get more iterations."""
    settings = asdict(options)
    del settings["iterations"]
    return {"features": list(names), "start": dict(start), "seed": seed, **settings}


def _check(
    names: Sequence[str], weights: Mapping[str, float], options: MertOptions, seed: int
) -> None:
    if not names:
        raise ArgumentError("there is no feature to tune")
    if len(set(names)) < len(names):
        raise ArgumentError("two features have the same name")
    for name in (*weights, *options.fixed):
        if name not in names:
            raise ArgumentError(
                f"there is no feature '{name}'", remedy="the features are " + ", ".join(names)
            )
    for name, value in weights.items():
        if not math.isfinite(value):
            raise ArgumentError(f"the weight of feature '{name}' is not finite")
    if seed < 0:
        raise ArgumentError("the seed must not be negative")
