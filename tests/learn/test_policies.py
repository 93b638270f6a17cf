"""Mixtures mix as SEARN, DAgger and LOLS do."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from demotic.errors import ArgumentError
from demotic.learn import Expert, LinearPolicy, Mixture
from demotic.learn.policies import no_draw
from tests.learn.trees import Anything, Trees
from tests.learn.walks import Spelt, spellings

ALWAYS = [LinearPolicy(np.array([float(i), 0.0, 0.0, 0.0])) for i in range(3)]


@given(st.floats(0.01, 1.0), st.integers(1, 6))
def test_searns_shares_after_some_rounds(beta: float, rounds: int) -> None:
    learned = [LinearPolicy(np.zeros(1)) for _ in range(rounds)]
    policy: Expert | Mixture = Expert()
    for each in learned:
        policy = Mixture.of(policy, each, beta)
    assert isinstance(policy, Mixture)
    assert policy.policies == (Expert(), *learned)
    wanted = [beta * (1 - beta) ** (rounds - i) for i in range(1, rounds + 1)]
    assert policy.shares == pytest.approx([(1 - beta) ** rounds, *wanted])
    final = policy.without_expert()
    assert final.policies == tuple(learned)
    assert final.shares == pytest.approx([share / (1 - (1 - beta) ** rounds) for share in wanted])


def test_a_mixture_of_another_kind_stays_whole() -> None:
    inner = Mixture.of(ALWAYS[0], Expert(), 0.5, drawn="rollout")
    assert Mixture.of(inner, ALWAYS[1], 0.25).policies == (inner, ALWAYS[1])


def follow_letters(policy: Mixture, count: int) -> list[list[bool]]:
    """Of each roll-out, which steps took action 1."""
    task = spellings(1, length=8, letters=2)
    draw = np.random.default_rng(9).random
    return [
        [action == 1 for action in policy.follow(task, Spelt(0), draw).actions]
        for _ in range(count)
    ]


class Constant(Anything):
    """Always the action of one number."""

    def __init__(self, number: int) -> None:
        self.number = number

    def action(self, search, state, actions, draw):  # type: ignore[no-untyped-def]
        return actions[self.number]


def test_steps_are_drawn_by_their_shares_one_by_one() -> None:
    policy = Mixture((Constant(0), Constant(1)), (0.3, 0.7))
    found = np.array(follow_letters(policy, 500))
    assert chisquare([(~found).sum(), found.sum()], [0.3 * 4000, 0.7 * 4000]).pvalue > 0.01
    after = found[:, 1:][found[:, :-1]]
    assert after.mean() == pytest.approx(0.7, abs=0.04), "whatever came before"


def test_roll_outs_are_drawn_as_a_whole() -> None:
    policy = Mixture.of(Constant(0), Constant(1), 0.7, drawn="rollout")
    found = [set(each) for each in follow_letters(policy, 1000)]
    assert all(len(each) == 1 for each in found)
    ones = sum(each == {True} for each in found)
    assert chisquare([1000 - ones, ones], [300, 700]).pvalue > 0.01


def test_what_is_drawn_for_a_roll_out_stays_inside_a_mixture_of_steps() -> None:
    inner = Mixture.of(Constant(0), Constant(1), 0.5, drawn="rollout")
    policy = Mixture((inner, inner), (0.5, 0.5))
    lengths = [len(set(each)) for each in follow_letters(policy, 100)]
    assert set(lengths) == {1, 2}, "two draws for a roll-out, the same ones for all its steps"
    chosen = Mixture((inner,), (1.0,))
    assert {len(set(each)) for each in follow_letters(chosen, 50)} == {1}


@given(st.integers(0, 500), st.sampled_from([0.0, 1.0]))
def test_a_whole_share_is_that_policy(seed: int, share: float) -> None:
    task = Trees(seed)
    policy = LinearPolicy(np.ones(2), np.ones(task.sparse_features))
    mixed = Mixture.of(policy, Expert(), share)
    alone = Expert() if share else policy
    draw = np.random.default_rng(seed).random
    start = task.start(0)
    assert mixed.follow(task, start, draw).actions == alone.follow(task, start, no_draw).actions


def test_a_share_of_0_is_never_drawn() -> None:
    policy = Mixture((*[Constant(0)] * 10, Constant(1)), (*[0.1] * 10, 0.0))
    task = spellings(1, length=1, letters=2)
    highest = math.nextafter(1.0, 0.0)
    assert policy.follow(task, Spelt(0), lambda: highest).actions == [0]


@pytest.mark.parametrize(
    ("shares", "message"),
    [((0.5, 0.6), r"add up to 1\.1"), ((1.5, -0.5), "negative"), ((1.0,), "a share for each"),
     ((math.nan, 1.0), "negative")],
)  # fmt: skip
def test_senseless_shares_are_refused(shares: tuple[float, ...], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        Mixture((Expert(), ALWAYS[0]), shares)


def test_senseless_mixtures_are_refused() -> None:
    with pytest.raises(ArgumentError, match="needs policies"):
        Mixture((), ())
    with pytest.raises(ArgumentError, match=r"a share of 1\.2"):
        Mixture.of(Expert(), ALWAYS[0], 1.2)
    with pytest.raises(ArgumentError, match="nothing is left"):
        Mixture((Expert(),), (1.0,)).without_expert()


def test_equal_scores_give_the_first_action() -> None:
    task = spellings(3)
    walk = LinearPolicy(np.zeros(4)).follow(task, Spelt(0), no_draw)
    assert walk.actions == [0, 0, 0]
    assert LinearPolicy(np.zeros(4)).ranked(task, Spelt(0), range(3)) == [0, 1, 2]
