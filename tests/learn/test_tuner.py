"""What all tuners share: they gain, for any threads and after any break, and judge as they say."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from demotic.errors import ArgumentError
from demotic.learn import (
    Candidates,
    KBestCandidates,
    MertOptions,
    MiraOptions,
    ProOptions,
    Task,
    TunerOptions,
    tune_weights,
)
from tests.forest.toys import FEATURES
from tests.learn.dev_sets import ListTask
from tests.learn.test_checkpoint import Breaking
from tests.learn.test_mert import START, forest_task, list_task
from tests.oracles import mert as oracle

TUNERS: dict[str, TunerOptions] = {
    "mert": MertOptions(iterations=4, random_directions=4, restarts=1),
    "mira": MiraOptions(iterations=4, passes=20, c=0.1),
    "pro": ProOptions(iterations=4, samples=500, step=0.5),
}
TASKS = {"lists": list_task, "forests": forest_task}

tuners = pytest.mark.parametrize("options", TUNERS.values(), ids=TUNERS)
tasks = pytest.mark.parametrize("kind", TASKS)


def quality(statistics: list[int]) -> float:
    return sum(statistics[:4])


def honest_task(seed: int, sentences: int = 40, k: int = 4) -> ListTask:
    """``f`` tells how good a hypothesis is, ``g`` is noise and ``h`` misleads a bit."""
    rng = random.Random(seed)
    known: oracle.Lists = []
    while len(known) < sentences:
        known += oracle.random_lists(rng, sentences=1, size=30)
    for hypotheses in known:
        words = hypotheses[0].statistics[-1]
        for each in hypotheses:
            each.statistics[-1] = words
            good = quality(each.statistics)
            each.features = [good + rng.gauss(0, 1), rng.gauss(0, 2), -0.2 * good + rng.gauss(0, 1)]
    return ListTask(known, k)


@tuners
@tasks
def test_every_tuner_gains_on_lists_and_on_forests(options: TunerOptions, kind: str) -> None:
    result = tune_weights(TASKS[kind](), START, options=options)
    assert result.bleu > result.rounds[0].bleu + 3
    assert result.bleu >= max(this.bleu for this in result.rounds)


@tuners
def test_what_is_learned_holds_on_other_sentences(options: TunerOptions) -> None:
    """Where a feature tells what is good, its weight grows against noise and what misleads."""
    start = {"f": 0.1, "g": 1.0, "h": 1.0}
    result = tune_weights(honest_task(1), start, options=replace(options, iterations=8))
    unseen = honest_task(2).known
    before = oracle.corpus_bleu(unseen, [start[name] for name in FEATURES])
    after = oracle.corpus_bleu(unseen, [result.weights[name] for name in FEATURES])
    ideal = oracle.corpus_bleu(unseen, [1.0, 0.0, 0.0])
    assert after > before + 0.5 * (ideal - before)


@tuners
def test_what_can_be_told_apart_is(options: TunerOptions) -> None:
    """Some weights choose the best of every list, and are found."""
    rng = random.Random(3)
    known = []
    for _ in range(20):
        length = rng.randint(4, 9)
        totals = [length - n for n in range(4)]
        hypotheses = []
        for lost in range(5):
            matches = [max(total - lost, 0) for total in totals]
            features = [float(-lost), rng.gauss(0, 3), rng.gauss(0, 3)]
            hypotheses.append(oracle.Hypothesis(features, [*matches, *totals, length, length]))
        known.append(hypotheses)
    start = {"f": 0.0, "g": 1.0, "h": -1.0}
    options = replace(options, iterations=15, patience=0)
    result = tune_weights(ListTask(known, 2), start, options=options)
    assert result.rounds[0].bleu < 60
    assert result.bleu > 99.9


@tuners
@tasks
def test_threads_do_not_change_the_result(options: TunerOptions, kind: str) -> None:
    first = tune_weights(TASKS[kind](), START, options=options, seed=3)
    assert first == tune_weights(TASKS[kind](), START, options=options, seed=3, threads=3)


@tuners
@tasks
def test_a_run_that_was_broken_off_ends_as_one_that_was_not(
    options: TunerOptions, kind: str, tmp_path: Path
) -> None:
    options = replace(options, average=2, holdout=0.25, patience=3)
    task: Task = TASKS[kind]()
    whole = tune_weights(task, START, options=options)
    path = tmp_path / "tune.json"
    for at in (2, 2):
        with pytest.raises(KeyboardInterrupt):
            tune_weights(Breaking(task, at), START, options=options, checkpoint=path, resume=True)
    again = tune_weights(task, START, options=options, checkpoint=path, resume=True)
    assert again == whole


def test_a_checkpoint_of_another_tuner_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "tune.json"
    tune_weights(list_task(), START, options=TUNERS["mert"], checkpoint=path)
    with pytest.raises(ArgumentError, match=r"another value of"):
        tune_weights(list_task(), START, options=TUNERS["pro"], checkpoint=path, resume=True)


@tuners
def test_fixed_weights_keep_their_share(options: TunerOptions) -> None:
    held = tune_weights(list_task(), START, options=replace(options, fixed=("f", "h")))
    assert held.weights["f"] / held.weights["h"] == pytest.approx(-2.0)
    assert held.rounds[1].weights["g"] != 0.5


class Spoilt(ListTask):
    """The hypotheses of some sentences are worth nothing."""

    def __init__(self, task: ListTask, spoilt: set[int]) -> None:
        known = [
            [oracle.Hypothesis(h.features, [0] * 4 + [10] * 5 + [999]) for h in hypotheses]
            if sentence in spoilt
            else hypotheses
            for sentence, hypotheses in enumerate(task.known)
        ]
        super().__init__(known, task.k)


def held_out(task: ListTask, options: TunerOptions, seed: int) -> set[int]:
    """The sentences whose loss does not change the BLEU of what is tuned on."""
    options = replace(options, iterations=0)
    whole = tune_weights(task, START, options=options, seed=seed)
    return {
        sentence
        for sentence in range(len(task.known))
        if tune_weights(Spoilt(task, {sentence}), START, options=options, seed=seed).bleu
        == whole.bleu
    }


@tuners
def test_what_is_held_out_is_not_learned_from(options: TunerOptions) -> None:
    options = replace(options, holdout=0.25, patience=0)
    task = honest_task(5, sentences=16)
    held = held_out(task, options, seed=1)
    assert len(held) == 4
    assert held != held_out(task, options, seed=2)
    whole = tune_weights(task, START, options=options)
    spoilt = tune_weights(Spoilt(task, held), START, options=options)
    assert [r.weights for r in spoilt.rounds] == [r.weights for r in whole.rounds]
    assert [r.bleu for r in spoilt.rounds] == [r.bleu for r in whole.rounds]
    assert {r.decoded.held_out for r in spoilt.rounds} == {0.0}


@tuners
def test_held_out_sentences_choose_the_round(options: TunerOptions) -> None:
    options = replace(options, holdout=0.3, patience=0)
    task = list_task(1)
    result = tune_weights(task, START, options=options)
    rounds = [this.decoded.held_out for this in result.rounds]
    assert result.held_out is not None
    assert result.held_out >= max(each for each in rounds if each is not None)
    held = held_out(task, options, seed=1)
    weights = [result.weights[name] for name in FEATURES]
    out = [each for i, each in enumerate(task.known) if i in held]
    assert result.held_out == pytest.approx(oracle.corpus_bleu(out, weights))


def test_a_dev_set_too_small_to_hold_out_is_refused() -> None:
    for share in (0.01, 0.99):
        with pytest.raises(ArgumentError, match="leaves nothing to tune on or to judge by"):
            tune_weights(list_task(), START, options=MertOptions(holdout=share))


@tuners
def test_the_average_is_that_of_the_last_rounds(options: TunerOptions) -> None:
    options = replace(options, average=3, patience=0)
    result = tune_weights(list_task(), START, options=options)
    plain = tune_weights(list_task(), START, options=replace(options, average=1))
    visited = [this.weights for this in result.rounds[1:]]
    if not result.converged:
        more = replace(options, iterations=options.iterations + 1)
        visited = [this.weights for this in tune_weights(list_task(), START, options=more).rounds]
        visited = visited[1:]
    rows = np.array([list(weights.values()) for weights in visited[-3:]])
    rows *= (np.abs(rows[-1]).sum() / np.abs(rows).sum(axis=1))[:, np.newaxis]
    assert [*result.weights.values()] == pytest.approx(rows.mean(axis=0).tolist())
    assert result.rounds == plain.rounds
    values = [result.weights[name] for name in FEATURES]
    assert result.bleu == pytest.approx(oracle.corpus_bleu(list_task().known, values))


class Fading(ListTask):
    """What it decodes gets worse from round to round, whatever the weights."""

    def candidates(self, weights: Mapping[str, float]) -> list[Candidates]:
        found = super().candidates(weights)
        worse = np.array([self.decoded, 0, 0, 0, 0, 0, 0, 0, 0, 0])
        return [
            KBestCandidates(each.features, np.maximum(each.statistics - worse, 0))
            for each in found
            if isinstance(each, KBestCandidates)
        ]


@pytest.mark.parametrize("patience", [1, 2, 3])
def test_patience_ends_what_no_longer_decodes_better(patience: int) -> None:
    options = ProOptions(iterations=6, step=0.01, patience=patience)
    result = tune_weights(Fading(honest_task(7).known, 5), START, options=options)
    assert len(result.rounds) == 1 + patience
    assert result.weights == START
    patient = replace(options, patience=0)
    assert len(tune_weights(Fading(honest_task(7).known, 5), START, options=patient).rounds) == 6


@pytest.mark.parametrize("pull", [0.0, 0.5])
def test_mert_stays_nearer_to_where_it_began_at_a_price(pull: float) -> None:
    def distance(l2: float) -> float:
        options = MertOptions(iterations=3, random_directions=4, restarts=1, l2=l2)
        rounds = tune_weights(list_task(), START, options=options).rounds
        last = np.array([*rounds[-1].weights.values()])
        return float(np.linalg.norm(last - np.array([*START.values()])))

    assert distance(1000.0) < 0.2 < distance(pull)
