"""Replay finds weights under which the better roll-outs seen so far have the higher scores."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from demotic.errors import ArgumentError, CorruptFileError
from demotic.forest.weights import Floats
from demotic.learn import DrlOptions, drl
from demotic.learn.replay import Replay
from tests.learn.walks import spellings

OPTIONS = DrlOptions(update="replay", rate=0.3, epochs=4, samples=2)


def seen(differences: Floats, gains: Floats, *, temperature: float = 0.15) -> Replay:
    replay = Replay(differences.shape[1], memory=0.5, temperature=temperature)
    for difference, gain in zip(differences, gains, strict=True):
        replay.see(difference, float(gain))
    return replay


def metric(differences: Floats) -> Floats:
    found = differences.T @ differences / len(differences)
    return np.asarray(found + 1e-3 * np.diag(np.diagonal(found)))


def expected(
    weights: Floats, differences: Floats, gains: Floats, temperature: float = 0.15
) -> float:
    """J, with the weights made as long as the differences."""
    weights = weights / np.sqrt(weights @ metric(differences) @ weights)
    odds = 1 / (1 + np.exp(-(differences @ weights) / temperature))
    return float(gains @ odds)


@given(st.integers(0, 1000))
def test_no_direction_of_two_weights_gains_more(seed: int) -> None:
    rng = np.random.default_rng(seed)
    differences = rng.normal(size=(200, 2)) @ rng.normal(size=(2, 2))
    gains = differences @ rng.normal(size=2) + 0.1 * rng.normal(size=200)
    start = rng.normal(size=2)
    found = start + seen(differences, gains, temperature=1.0).step(start, 0.0, 1.0)
    reached = expected(found, differences, gains, 1.0)
    for angle in np.linspace(0, 2 * np.pi, 100):
        other = np.array([np.cos(angle), np.sin(angle)])
        assert expected(other, differences, gains, 1.0) <= reached + 1e-3 * abs(reached)


@given(st.integers(0, 1000))
def test_a_whole_step_never_loses(seed: int) -> None:
    rng = np.random.default_rng(seed)
    differences, gains, start = rng.normal(size=(60, 4)), rng.normal(size=60), rng.normal(size=4)
    found = start + seen(differences, gains).step(start, 0.0, 1.0)
    before = expected(start, differences, gains)
    assert expected(found, differences, gains) >= before - 1e-9


@given(st.integers(0, 1000), st.floats(0.01, 1.0))
def test_the_scale_of_a_feature_does_not_matter(seed: int, rate: float) -> None:
    rng = np.random.default_rng(seed)
    differences, gains, weights = rng.normal(size=(50, 3)), rng.normal(size=50), rng.normal(size=3)
    scale = np.array([2.0**-10, 1.0, 2.0**13])
    plain = seen(differences, gains).step(weights, 0.0, rate)
    scaled = seen(differences * scale, gains).step(weights / scale, 0.0, rate)
    assert scaled * scale == pytest.approx(plain, rel=1e-6, abs=1e-9)


def test_lengths_stay_and_a_share_of_the_way_lies_between() -> None:
    rng = np.random.default_rng(1)
    differences, gains, weights = rng.normal(size=(99, 2)), rng.normal(size=99), rng.normal(size=2)
    whole = weights + seen(differences, gains).step(weights, 0.0, 1.0)
    part = weights + seen(differences, gains).step(weights, 0.0, 0.25)
    lengths = [float(each @ metric(differences) @ each) for each in (weights, whole, part)]
    assert lengths == pytest.approx([lengths[0]] * 3)
    assert part == pytest.approx(
        (0.75 * weights + 0.25 * whole) * (part[0] / (0.75 * weights[0] + 0.25 * whole[0]))
    )
    assert not np.allclose(weights, whole)


def test_old_samples_fade_and_are_forgotten() -> None:
    replay = seen(np.array([[1.0]]), np.array([1.0]))
    weights = np.ones(1)
    replay.step(weights, 0.0, 1.0)
    assert replay.counts.tolist() == [0.5]
    replay.see(np.array([2.0]), -1.0)
    replay.step(weights, 0.0, 1.0)
    assert replay.counts.tolist() == [0.25, 0.5]
    for _ in range(7):
        replay.step(weights, 0.0, 1.0)
    assert replay.differences.tolist() == []


def test_the_best_weights_are_kept() -> None:
    replay = Replay(1, memory=0.5, temperature=1.0)
    for weight, reward in ((1.0, 3.0), (2.0, 5.0), (3.0, 4.0)):
        replay.step(np.array([weight]), reward, 0.5)
    assert replay.best.tolist() == [2.0]


def test_without_differences_there_is_no_step() -> None:
    assert seen(np.zeros((5, 2)), np.ones(5)).step(np.ones(2), 0.0, 1.0).tolist() == [0.0, 0.0]
    assert seen(np.empty((0, 2)), np.empty(0)).step(np.ones(2), 0.0, 1.0).tolist() == [0.0, 0.0]


def test_weights_of_0_start_uphill() -> None:
    differences = np.array([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]])
    change = seen(differences, np.array([1.0, -1.0, 0.0])).step(np.zeros(2), 0.0, 0.1)
    assert change[0] > 0 > change[1]


def test_features_that_never_differ_keep_their_weight() -> None:
    differences = np.array([[1.0, 0.0], [-2.0, 1e-17]])
    change = seen(differences, np.array([1.0, -1.0])).step(np.array([0.5, 0.7]), 0.0, 1.0)
    assert change.tolist() == pytest.approx([0.0, 0.0])


def test_what_telescopes_or_is_fixed_keeps_its_weight_in_learning() -> None:
    task = spellings(40)
    start = {"potential": 0.25, "f0": 0.5}
    result = drl(task, start, options=replace(OPTIONS, fixed=("f0",)))
    assert result.last["potential"] == pytest.approx(0.25, abs=1e-12)
    assert result.last["f0"] == 0.5
    assert result.last["f1"] != 0


def test_the_result_is_what_the_best_epoch_used() -> None:
    task, told = spellings(25), []
    result = drl(
        task, {"f0": 1.0}, options=OPTIONS, prepare=lambda dense, _: told.append(dense.copy())
    )
    rewards = [epoch.reward for epoch in result.epochs]
    assert list(result.weights.values()) == told[int(np.argmax(rewards))].tolist()
    assert told[0].tolist() == [1.0, 0.0, 0.0, 0.0]
    assert len(told) == OPTIONS.epochs


def test_a_break_does_not_show(tmp_path: Path) -> None:
    task, place = spellings(25), tmp_path / "state.json"
    whole = drl(task, {"f0": 1.0}, options=OPTIONS)
    drl(task, {"f0": 1.0}, options=replace(OPTIONS, epochs=2), checkpoint=place)
    resumed = drl(task, {"f0": 1.0}, options=OPTIONS, checkpoint=place, resume=True)
    assert resumed.weights == whole.weights
    assert resumed.last == whole.last


def test_a_checkpoint_without_its_samples_is_refused(tmp_path: Path) -> None:
    task, place = spellings(5), tmp_path / "state.json"
    drl(task, {"f0": 1.0}, options=replace(OPTIONS, epochs=1), checkpoint=place)
    for arrays in tmp_path.glob("*.npz"):
        arrays.unlink()
    with pytest.raises(CorruptFileError, match="missing"):
        drl(task, {"f0": 1.0}, options=OPTIONS, checkpoint=place, resume=True)


@pytest.mark.parametrize(
    "wrong", [{"rate": 1.5}, {"memory": 2.0}, {"temperature": 0.0}, {"tied": (("f0", "f1"),)}]
)
def test_impossible_options_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ArgumentError):
        replace(OPTIONS, **wrong)


def test_sparse_features_are_refused() -> None:
    with pytest.raises(ArgumentError, match="sparse"):
        drl(replace(spellings(5), sparse_features=8), {}, options=OPTIONS)
