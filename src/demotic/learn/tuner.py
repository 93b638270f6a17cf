"""The loop that all tuners share: decode the dev set, add to what is known, find better weights.

    result = tune_weights(task, {"LanguageModel": 1.0}, options=MiraOptions(), seed=1)
    result.weights, result.bleu

How weights are found is the options' own affair: ``MertOptions`` climbs by exact line searches,
``MiraOptions`` and ``ProOptions`` learn to rank hypotheses, ``MinriskOptions`` optimises
expectations.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np

from demotic.errors import ArgumentError
from demotic.forest.weights import Floats
from demotic.learn.candidates import Candidates, Task
from demotic.learn.checkpoint import Checkpoint
from demotic.learn.known import Known, decoded_bleu
from demotic.learn.rounds import Decoded, Round, Situation, State, TunerOptions, scaled
from demotic.progress import SILENT, Progress


@dataclass(frozen=True)
class TuneResult:
    """The weights that were decoded best, not only predicted; or the mean of the last ones."""

    weights: dict[str, float]
    bleu: float
    """Decoded with these weights, of the sentences that were tuned on."""
    rounds: tuple[Round, ...]
    converged: bool
    """The last round found nothing worth another one; otherwise tuning was cut short."""
    held_out: float | None = None
    """Decoded with these weights, of the sentences that were held out."""


def tune_weights(
    task: Task,
    weights: Mapping[str, float],
    *,
    options: TunerOptions,
    seed: int = 1,
    threads: int = 1,
    progress: Progress = SILENT,
    checkpoint: Path | None = None,
    resume: bool = False,
) -> TuneResult:
    """Tune ``weights`` (a feature without one starts at 0) for corpus BLEU.

    They are those of the task's features; of tuners that learn sparse ones, of these, too.

    With ``checkpoint`` the state is written after each round, in JSON with a file of hypotheses
    beside it; ``resume`` continues from there, if it exists, to the same result as without a break.
    The same seed gives the same result for any number of threads.
    """
    names = tuple(task.feature_names)
    _check(names, weights, options, seed)
    start = {name: float(weights.get(name, 0.0)) for name in names}
    others = {name: float(w) for name, w in weights.items() if name not in start}
    state = State(start | others)
    kept = lists = None
    if checkpoint is not None:
        kept = Checkpoint(checkpoint, _settings(start, others, options, seed))
        if resume and checkpoint.exists():
            state, lists = kept.load()
            progress.say(f"tuning continues after round {len(state.rounds)}")

    dev = _Dev(task, options, seed, threads)
    known: Known | None = None
    with progress.step("tuning", total=options.iterations, unit="rounds") as advance:
        advance(len(state.rounds))
        while not _is_over(state, options):
            candidates, decoded = dev.decode(state.weights)
            if known is None:
                known = options.known(names, len(candidates), threads)
                for earlier in _last(state.rounds, options.remembered):
                    known.add(dev.decode(earlier.weights)[0])
                if lists is not None:
                    known.restore(*lists)
            state = _round(known, candidates, state, decoded, start, options, seed, threads)
            if kept is not None:
                kept.save(state, known.lists())
            progress.say(_news(state.rounds[-1]))
            advance(1)
    if state.final is None:
        state = replace(state, final=dev.decode(_final_weights(state, options))[1])
        if kept is not None:
            kept.save(state)
    result = _result(state, options)
    progress.say(f"tuned: {_told(Decoded(result.bleu, result.held_out))} (of tokens)")
    return result


@dataclass(frozen=True, eq=False)
class _Dev:
    """The dev set, a part of what judges held out."""

    task: Task
    options: TunerOptions
    seed: int
    threads: int

    def decode(self, weights: Mapping[str, float]) -> tuple[list[Candidates], Decoded]:
        """Candidates of the sentences to tune on, and the BLEU of both parts."""
        candidates = self.task.candidates(weights)
        if not self.options.WEIGHS and any(each.weight != 1 for each in candidates):
            raise ArgumentError(
                "sentences that count more or less than others", remedy="tune by minrisk"
            )
        judges = [number for number, each in enumerate(candidates) if each.judges]
        held = _held_out(len(judges), self.options.holdout, self.seed)
        out = {number for number, left in zip(judges, held, strict=True) if left}
        tuned = [each for number, each in enumerate(candidates) if number not in out]
        others = [candidates[number] for number in sorted(out)]
        judged = [each for each in tuned if each.judges]
        held_out = self._bleu(others, weights) if others else None
        return tuned, Decoded(self._bleu(judged, weights), held_out)

    def _bleu(self, candidates: Sequence[Candidates], weights: Mapping[str, float]) -> float:
        names = tuple(self.task.feature_names)
        return decoded_bleu(names, candidates, _array(names, weights), threads=self.threads)


def _held_out(sentences: int, share: float, seed: int) -> list[bool]:
    """Which sentences are not tuned on, drawn by the seed."""
    count = round(share * sentences)
    if share and not 0 < count < sentences:
        raise ArgumentError(
            f"a share of {share} of {sentences} sentences leaves nothing to tune on or to judge by",
            remedy="give a larger development set, or holdout = 0",
        )
    drawn = set(np.random.default_rng([seed, 0]).permutation(sentences)[:count].tolist())
    return [sentence in drawn for sentence in range(sentences)]


def _last(rounds: tuple[Round, ...], number: int) -> tuple[Round, ...]:
    return rounds[-number:] if number else ()


def _is_over(state: State, options: TunerOptions) -> bool:
    rounds = state.rounds
    if state.converged or len(rounds) >= options.iterations:
        return True
    if not options.patience or len(rounds) <= options.patience:
        return False
    best = max(range(len(rounds)), key=lambda i: rounds[i].decoded.judged)
    return len(rounds) - 1 - best >= options.patience


def _round(
    known: Known,
    candidates: Sequence[Candidates],
    state: State,
    decoded: Decoded,
    start: Mapping[str, float],
    options: TunerOptions,
    seed: int,
    threads: int,
) -> State:
    """Optimise on what is known after a decoding with ``state.weights``."""
    number = len(state.rounds) + 1
    names = tuple(start)
    before = known.hypotheses
    known.add(candidates)
    at = Situation(
        weights=_array(names, state.weights),
        start=_array(names, start),
        free=np.array([name not in options.fixed for name in names], dtype=np.float64),
        rounds=state.rounds,
        rng=np.random.default_rng([seed, number]),
        threads=threads,
        decoded=decoded,
        names=names,
        sparse={name: w for name, w in state.weights.items() if name not in start},
    )
    found = options.optimise(known, at)
    this = Round(
        number=number,
        weights=state.weights,
        decoded=decoded,
        reached=found.reached,
        gain=found.gain,
        moved=float(np.abs(found.weights - at.weights).sum() / (np.abs(at.weights).sum() or 1.0)),
        new=max(known.hypotheses - before, 0),
        truncated=found.truncated,
    )
    return State(
        weights=dict(zip(names, found.weights.tolist(), strict=True)) | dict(found.sparse),
        rounds=(*state.rounds, this),
        converged=found.converged,
        final=decoded if found.converged and options.average == 1 else None,
    )


def _final_weights(state: State, options: TunerOptions) -> dict[str, float]:
    """The last ones, or the mean of the last so many rounds', each of the size of the last."""
    if options.average == 1:
        return state.weights
    found = [this.weights for this in state.rounds[1:]]
    if not state.converged or not found:
        found.append(state.weights)
    names = tuple(dict.fromkeys(name for w in found for name in w))
    last = _array(names, state.weights)
    mean = np.mean([scaled(_array(names, w), last) for w in found[-options.average :]], axis=0)
    return dict(zip(names, mean.tolist(), strict=True))


def _result(state: State, options: TunerOptions) -> TuneResult:
    assert state.final is not None
    decoded = [(_final_weights(state, options), state.final)]
    if options.average == 1:
        decoded += [(this.weights, this.decoded) for this in state.rounds]
    weights, best = max(decoded, key=lambda pair: pair[1].judged)
    return TuneResult(dict(weights), best.bleu, state.rounds, state.converged, best.held_out)


def _told(decoded: Decoded) -> str:
    held = "" if decoded.held_out is None else f" ({decoded.held_out:.2f} held out)"
    return f"BLEU {decoded.bleu:.2f}{held}"


def _news(this: Round) -> str:
    text = (
        f"round {this.number}: {_told(this.decoded)}, then {this.reached:.2f} ({this.gain:+.2f}) "
        f"on what is known; weights moved by {100 * this.moved:.1f}%, {this.new:,} new hypotheses"
    )
    return f"{text}, cap reached in {this.truncated}" if this.truncated else text


def _array(names: Sequence[str], weights: Mapping[str, float]) -> Floats:
    return np.array([weights.get(name, 0.0) for name in names], dtype=np.float64)


def _settings(
    start: Mapping[str, float], others: Mapping[str, float], options: TunerOptions, seed: int
) -> dict[str, object]:
    """What a run must share with the one it continues; that may get more iterations."""
    settings = asdict(options)
    del settings["iterations"]
    tuner = type(options).__name__.removesuffix("Options").lower()
    return {
        "tuner": tuner, "features": list(start), "start": {**start, **others}, "seed": seed,
        **settings,
    }  # fmt: skip


def _check(
    names: Sequence[str], weights: Mapping[str, float], options: TunerOptions, seed: int
) -> None:
    if not names:
        raise ArgumentError("there is no feature to tune")
    if len(set(names)) < len(names):
        raise ArgumentError("two features have the same name")
    wanted = options.fixed if options.LEARNS_SPARSE else (*weights, *options.fixed)
    for name in wanted:
        if name not in names:
            raise ArgumentError(
                f"there is no feature '{name}'", remedy="the features are " + ", ".join(names)
            )
    for name, value in weights.items():
        if not math.isfinite(value):
            raise ArgumentError(f"the weight of feature '{name}' is not finite")
    if seed < 0:
        raise ArgumentError("the seed must not be negative")
