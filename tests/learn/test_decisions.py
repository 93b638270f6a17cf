"""Samples of explicit problems: uniform states, Zipfian alternatives, roll-outs of the policy."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from demotic.learn import DecisionTask, Expert, Features, LinearPolicy
from demotic.learn.rollouts import zipf_rank
from tests.learn.walks import spellings

WEIGHTS = np.array([0.3, -0.7, 0.2, 0.4])


@pytest.mark.parametrize("exponent", [0.0, 1.0, 2.0])
def test_ranks_follow_zipf(exponent: float) -> None:
    chisquare = pytest.importorskip("scipy.stats").chisquare
    draws = np.random.default_rng(3).random(20_000)
    found = Counter(zipf_rank(float(draw), 6, exponent) for draw in draws)
    shares = np.arange(1, 7, dtype=float) ** -exponent
    expected = len(draws) * shares / shares.sum()
    assert set(found) <= set(range(1, 7))
    assert chisquare([found[rank] for rank in range(1, 7)], expected).pvalue > 0.01


@given(st.floats(0, 1, exclude_max=True), st.integers(1, 1000), st.floats(0, 3))
def test_ranks_are_never_beyond_the_last(draw: float, count: int, exponent: float) -> None:
    assert 1 <= zipf_rank(draw, count, exponent) <= count


def test_states_are_drawn_uniformly_among_those_with_a_choice() -> None:
    chisquare = pytest.importorskip("scipy.stats").chisquare
    task = spellings(1)
    draws = [(float(s), 0.0) for s in np.random.default_rng(4).random(6_000)]
    found = Counter(sample.state for sample in task.samples(0, LinearPolicy(WEIGHTS), draws))
    assert chisquare([found[state] for state in range(3)]).pvalue > 0.01


def test_the_exponent_decides_how_often_bad_actions_are_tried() -> None:
    task, policy = spellings(1), LinearPolicy(WEIGHTS)
    draws = [(float(s), float(r)) for s, r in np.random.default_rng(4).random((500, 2))]
    shares = []
    for exponent in (0.0, 1.0, 5.0):
        found = task.samples(0, policy, draws, exponent=exponent)
        shares.append(float(np.mean([sample.rank == 1 for sample in found])))
    assert shares == pytest.approx([1 / 2, 1 / (1 + 1 / 2), 1 / (1 + 2**-5)], abs=0.06)
    plain = task.samples(0, policy, draws)
    assert np.mean([sample.rank == 1 for sample in plain]) == shares[1]


def test_the_path_taken_is_the_policys_and_the_other_follows_it_after_one_action() -> None:
    task = spellings(8)
    rng = np.random.default_rng(2)
    for example, problem in enumerate(task.examples):
        draws = [(float(s), float(r)) for s, r in rng.random((10, 2))]
        for sample in task.samples(example, LinearPolicy(WEIGHTS), draws):
            taken, other = sample.taken.actions, sample.alternative.actions
            assert taken[: sample.state] == other[: sample.state]
            assert taken[sample.state] != other[sample.state]
            for actions, free in ((taken, -1), (other, sample.state)):
                for place, action in enumerate(actions):
                    scores = [WEIGHTS @ problem.rows[actions[:place], a] for a in range(3)]
                    if place < sample.state or place > free:
                        assert action == int(np.argmax(scores))
                    else:
                        rank = sorted(scores, reverse=True).index(scores[action])
                        assert rank == sample.rank, "0 is the action taken"
            for path in (sample.taken, sample.alternative):
                word = path.end.word
                rows = [problem.rows[word[:i], word[i]] for i in range(sample.state, 3)]
                assert path.features == pytest.approx(np.sum(rows, axis=0))
                assert path.action == pytest.approx(rows[0])


@dataclass(frozen=True)
class OneWay(DecisionTask[int, str]):
    """Two steps without a choice."""

    feature_names: tuple[str, ...] = ("f",)

    def __len__(self) -> int:
        return 3

    def start(self, example: int) -> int:
        return 0

    def actions(self, state: int) -> list[str]:
        return ["on"] if state < 2 else []

    def features(self, state: int, action: str) -> Features:
        return Features.of([1.0])

    def next(self, state: int, action: str) -> int:
        return state + 1

    def end_cost(self, state: int) -> float:
        raise AssertionError("nothing to compare")


def test_without_a_choice_there_is_nothing_to_learn_from() -> None:
    policy = LinearPolicy(np.ones(1))
    assert OneWay().samples(0, policy, [(0.5, 0.5)]) == []
    assert list(OneWay().cost_examples(0, policy, policy, seed=1)) == []
    assert list(OneWay().cost_examples(0, Expert(), None, seed=1)) == []
