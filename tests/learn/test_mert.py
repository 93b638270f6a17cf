"""Tuning as a whole: it gains, keeps its promises about seeds, threads and breaks, and says no."""

from __future__ import annotations

import io
import random
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from demotic.errors import ArgumentError
from demotic.learn import (
    Candidates,
    Decoded,
    KBestCandidates,
    Known,
    MertOptions,
    decoded_bleu,
    tune_weights,
)
from demotic.learn.climb import Climber
from demotic.learn.mert import _best_climb
from demotic.learn.rounds import Situation
from demotic.progress import PlainProgress
from tests.forest.toys import FEATURES
from tests.learn.dev_sets import ForestTask, ListTask, references_of, search_of, toys
from tests.learn.moses_mert import read_lists
from tests.oracles import mert as oracle

START = {"f": 1.0, "g": 0.5, "h": -0.5}
QUICK = MertOptions(iterations=4, random_directions=4, restarts=1)


def list_task(seed: int = 0, k: int = 3) -> ListTask:
    rng = random.Random(seed)
    known = [oracle.random_lists(rng, sentences=1, size=30)[0] for _ in range(12)]
    return ListTask(known, k)


def forest_task(seed: int = 5) -> ForestTask:
    """Each sentence's references are one of its derivations and some random words."""
    cases = toys(seed, sentences=12)
    rng = random.Random(seed)
    references = []
    for case in cases:
        words = case.toy.words(rng.choice(case.trees()))
        references.append([" ".join(words), references_of(rng)[0]])
    return ForestTask(cases, references)


def test_lists_are_tuned_to_a_higher_bleu() -> None:
    task = list_task()
    result = tune_weights(task, START, options=MertOptions(restarts=5))
    start = oracle.corpus_bleu(task.known, [START[name] for name in FEATURES])
    assert result.rounds[0].bleu == pytest.approx(start)
    assert result.bleu > start + 5
    assert result.rounds[0].new > result.rounds[-1].new


def test_forests_are_tuned_to_a_higher_bleu() -> None:
    result = tune_weights(forest_task(), START, options=MertOptions())
    assert result.bleu > result.rounds[0].bleu + 10
    assert all(this.truncated == 0 for this in result.rounds)


@given(st.integers(0, 1000))
def test_the_bleu_told_is_that_of_the_weights_returned(seed: int) -> None:
    task = list_task(seed)
    result = tune_weights(task, START, options=QUICK, seed=seed)
    weights = [result.weights[name] for name in FEATURES]
    assert result.bleu == pytest.approx(oracle.corpus_bleu(task.known, weights), abs=1e-9)
    assert result.bleu >= max(this.bleu for this in result.rounds)


def test_the_same_seed_gives_the_same_result_for_any_threads() -> None:
    for task in (list_task(), forest_task()):
        first = tune_weights(task, START, options=QUICK, seed=3)
        assert first == tune_weights(task, START, options=QUICK, seed=3)
        assert first == tune_weights(task, START, options=QUICK, seed=3, threads=3)


def test_another_seed_searches_elsewhere() -> None:
    assert tune_weights(list_task(), START, options=QUICK, seed=1).weights != (
        tune_weights(list_task(), START, options=QUICK, seed=2).weights
    )


def test_reached_is_what_the_next_round_begins_with_when_all_is_known() -> None:
    task = list_task(k=100)
    result = tune_weights(task, START, options=MertOptions(restarts=0, iterations=3))
    assert result.rounds[1].bleu == pytest.approx(result.rounds[0].reached)
    assert result.rounds[1].new == 0


def test_tuning_ends_when_a_round_gains_too_little() -> None:
    task = list_task(k=100)
    result = tune_weights(task, START, options=MertOptions(min_gain=100.0))
    assert result.converged
    assert len(result.rounds) == 1
    assert task.decoded == 1  # its BLEU is known
    assert result.weights == START


class Misleading(ListTask):
    """Shows what leads astray: the weights of the first rounds decode better than the last."""

    def candidates(self, weights: Mapping[str, float]) -> list[Candidates]:
        if self.decoded >= 2:
            weights = {name: -value for name, value in weights.items()}
        return super().candidates(weights)


def test_the_best_weights_of_all_rounds_are_the_result_and_not_the_last() -> None:
    worse = 0
    for seed in range(5):
        known = list_task(seed).known
        result = tune_weights(Misleading(known, 3), START, options=replace(QUICK, min_gain=0.0))
        rounds = {this.bleu: this.weights for this in result.rounds}
        worse += result.rounds[-1].bleu < max(rounds) == result.bleu
        assert result.bleu >= max(rounds)
        if result.bleu in rounds:
            assert result.weights == rounds[result.bleu]
    assert worse > 1, "otherwise nothing was to be forgotten"


def test_climbs_start_from_the_best_weights_so_far_too() -> None:
    """Where the present weights are a plateau, what was found before is not lost."""
    search = search_of(list_task().known)
    plateau = np.zeros(len(FEATURES))
    best = tune_weights(list_task(k=100), START, options=QUICK)
    climber = Climber(search, np.zeros(len(FEATURES)), 1, 0.0, np.random.default_rng(1))
    assert _best_climb(climber, plateau, (), 0).bleu < best.bleu
    earlier = replace(best.rounds[0], weights=best.weights, decoded=Decoded(best.bleu))
    found = _best_climb(climber, plateau, (best.rounds[0], earlier, best.rounds[0]), 0)
    assert found.bleu == pytest.approx(best.bleu)


def test_a_round_forgets_what_was_best_nowhere_around_its_weights() -> None:
    known = Known(FEATURES, 12)
    known.add(forest_task().candidates(START))
    start = np.array([START[name] for name in FEATURES])
    at = Situation(start, start, np.ones(3), (), np.random.default_rng(1), threads=1)
    QUICK.optimise(known, at)
    kept = known.hypotheses
    known.forget()
    assert known.hypotheses == kept, "nothing was left to forget"


def test_a_step_of_less_than_the_smallest_gain_is_not_taken() -> None:
    search = search_of(list_task().known)
    start = np.array([START[name] for name in FEATURES])

    def climbed(min_gain: float) -> float:
        climber = Climber(search, np.ones(3), 4, min_gain, np.random.default_rng(1))
        return climber.climb_lists(start).bleu

    before, free = search.bleu(start), climbed(0.0)
    assert free > before + 5
    assert climbed(free - before + 1) == before
    assert before < climbed(6.0) < free, "a few large steps"


def test_the_last_weights_are_decoded_too() -> None:
    task = list_task()
    result = tune_weights(task, START, options=MertOptions(iterations=1))
    assert not result.converged
    assert task.decoded == 2
    assert result.bleu > result.rounds[0].bleu
    assert result.weights != START


def test_no_iterations_only_measure() -> None:
    result = tune_weights(list_task(), START, options=MertOptions(iterations=0))
    assert (result.weights, result.rounds, result.converged) == (START, (), False)
    assert result.bleu > 0


def test_the_size_of_weights_stays_and_fixed_ones_keep_their_share() -> None:
    free = tune_weights(list_task(), START, options=QUICK)
    assert sum(map(abs, free.weights.values())) == pytest.approx(2.0)
    assert free.weights != START
    held = tune_weights(list_task(), START, options=MertOptions(iterations=2, fixed=("f", "h")))
    assert held.weights["f"] / held.weights["h"] == pytest.approx(-2.0)
    assert held.weights["g"] != 0.5


def test_a_dev_set_of_one_line_and_weights_of_zero_work() -> None:
    known = oracle.random_lists(random.Random(4), sentences=1, size=10)
    result = tune_weights(ListTask(known, 4), {}, options=MertOptions())
    best = max(oracle.bleu(h.statistics) for h in known[0])
    assert 0 < result.bleu <= best + 1e-9


def test_progress_tells_round_bleu_and_change() -> None:
    out = io.StringIO()
    tune_weights(list_task(), START, options=QUICK, progress=PlainProgress(out))
    assert "round 1: BLEU" in out.getvalue()
    assert "weights moved by" in out.getvalue()
    assert "tuned: BLEU" in out.getvalue()


def test_moses_lists_are_tuned_at_least_as_well_as_moses_does(data: Path) -> None:
    folder = data / "decoder-tests/moses/tests/mert.basic"
    names, lists = read_lists(folder / "data/FEATSTAT.txt.gz", folder / "data/SCORESTAT.txt")
    expected = (folder / "truth/results.txt").read_text().split("Best point:")[1].split("STDOUT")[0]
    weights, score = expected.split("=>")
    theirs = decoded_bleu(names, lists, np.array([float(w) for w in weights.split()]))
    assert theirs == pytest.approx(100 * float(score), abs=1e-4)  # the same BLEU of their weights

    class Moses:
        feature_names = names

        def candidates(self, weights: Mapping[str, float]) -> list[KBestCandidates]:
            return lists

    first = (folder / "data/INIT").read_text().splitlines()[0]
    start = dict(zip(names, map(float, first.split()), strict=True))
    result = tune_weights(Moses(), start, options=MertOptions(restarts=100, min_gain=0.0))
    assert result.bleu >= theirs - 1e-9


# -- bad input ----------------------------------------------------------------------------------


class Given:
    """Always the same candidates."""

    feature_names = ("lm", "words")

    def __init__(self, *given: Candidates) -> None:
        self.given = given

    def candidates(self, weights: Mapping[str, float]) -> tuple[Candidates, ...]:
        return self.given


def test_an_empty_dev_set_is_refused() -> None:
    with pytest.raises(ArgumentError, match="dev set is empty"):
        tune_weights(Given(), {"lm": 1.0}, options=MertOptions())
    with pytest.raises(ArgumentError, match="dev set is empty"):
        tune_weights(Given(), {"lm": 1.0}, options=MertOptions(iterations=0))


def test_a_feature_that_is_no_number_is_named() -> None:
    rows = np.array([[1.0, np.nan]])
    task = Given(KBestCandidates(rows, np.ones((1, 10))))
    with pytest.raises(ArgumentError, match="sentence 1, hypothesis 1: feature 'words'"):
        tune_weights(task, {"lm": 1.0}, options=MertOptions())


def test_wrong_numbers_of_features_are_refused() -> None:
    with pytest.raises(ArgumentError, match="sentence 1 has 3 features, the task names 2"):
        tune_weights(
            Given(KBestCandidates(np.ones((1, 3)), np.ones((1, 10)))),
            {"lm": 1.0},
            options=MertOptions(),
        )


@pytest.mark.parametrize(
    ("weights", "options", "seed", "message"),
    [
        ({"length": 1.0}, {}, 1, "no feature 'length'"),
        ({"lm": float("nan")}, {}, 1, "'lm' is not finite"),
        ({"lm": 1.0}, {"fixed": ("tm",)}, 1, "no feature 'tm'"),
        ({"lm": 1.0}, {}, -1, "seed"),
        ({"lm": 1.0}, {"min_gain": float("nan")}, 1, "min_gain"),
        ({"lm": 1.0}, {"iterations": -1}, 1, "iterations"),
        ({"lm": 1.0}, {"max_segments": 1}, 1, "max_segments"),
    ],
)
def test_settings_without_sense_are_refused(
    weights: dict[str, float], options: dict[str, object], seed: int, message: str
) -> None:
    with pytest.raises(ArgumentError, match=message):
        tune_weights(Given(), weights, options=MertOptions(**options), seed=seed)  # type: ignore[arg-type]
