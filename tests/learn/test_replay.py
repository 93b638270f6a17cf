"""Replay finds weights under which the better roll-outs seen so far have the higher scores."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from demotic.errors import ArgumentError, CorruptFileError
from demotic.forest.weights import Floats
from demotic.learn import DivergedError, DrlOptions, drl
from demotic.learn.replay import Replay
from tests.learn.walks import Spellings, Spelt, mean_reward, spellings

OPTIONS = DrlOptions(update="replay", rate=0.3, epochs=4, samples=2)


def seen(differences: Floats, gains: Floats, **options: float) -> Replay:
    made = {"keep": 0.5, "temperature": 0.15, **options}
    replay = Replay(np.zeros(differences.shape[1]), **made)
    show(replay, differences, gains)
    return replay


def show(replay: Replay, differences: Floats, gains: Floats) -> None:
    for difference, gain in zip(differences, gains, strict=True):
        replay.see(difference, float(gain))


def metric(differences: Floats, counts: Floats) -> Floats:
    found = (differences * counts[:, np.newaxis]).T @ differences / counts.sum()
    return np.asarray(found + 1e-3 * np.diag(np.diagonal(found)))


def expected(
    weights: Floats, differences: Floats, gains: Floats, temperature: float, counts: Floats
) -> float:
    """J, with the weights made as long as the differences."""
    weights = weights / np.sqrt(weights @ metric(differences, counts) @ weights)
    odds = 1 / (1 + np.exp(-(differences @ weights) / temperature))
    return float((counts * gains) @ odds)


def assert_best(
    found: Floats, differences: Floats, gains: Floats, temperature: float, counts: Floats
) -> None:
    """No direction of two weights is better."""
    reached = expected(found, differences, gains, temperature, counts)
    for angle in np.linspace(0, 2 * np.pi, 200):
        other = np.array([np.cos(angle), np.sin(angle)])
        assert expected(other, differences, gains, temperature, counts) <= reached + 1e-4


@pytest.mark.parametrize("temperature", [0.15, 1.0])
@given(seed=st.integers(0, 1000))
def test_no_direction_of_two_weights_gains_more(temperature: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    differences = rng.normal(size=(200, 2)) @ rng.normal(size=(2, 2))
    hidden = rng.normal(size=2)
    gains = differences @ hidden
    start = hidden + 0.5 * np.linalg.norm(hidden) * rng.normal(size=2)
    found = start + seen(differences, gains, temperature=temperature).step(start, 1.0)
    assert_best(found, differences, gains, temperature, np.ones(200))


@pytest.mark.parametrize("keep", [0.05, 0.8])
def test_old_samples_count_less_in_gains_and_in_lengths(keep: float) -> None:
    rng = np.random.default_rng(5)
    old, new = rng.normal(size=(300, 2)), 0.2 * rng.normal(size=(50, 2))
    gains = np.concatenate([old @ [1.0, 0.2], new @ [-2.0, 8.0]])
    start = np.array([0.7, 0.7])
    replay = seen(old, gains[:300], keep=keep, temperature=1.0)
    replay.step(start, 0.0)
    show(replay, new, gains[300:])
    found = start + replay.step(start, 1.0)
    counts = np.repeat([keep, 1.0], [300, 50])
    assert_best(found, np.vstack([old, new]), gains, 1.0, counts)


@given(st.integers(0, 1000))
def test_a_whole_step_never_loses(seed: int) -> None:
    rng = np.random.default_rng(seed)
    differences, gains, start = rng.normal(size=(60, 4)), rng.normal(size=60), rng.normal(size=4)
    found = start + seen(differences, gains).step(start, 1.0)
    before, after = (
        expected(weights, differences, gains, 0.15, np.ones(60)) for weights in (start, found)
    )
    assert after >= before - 1e-9


@given(st.integers(0, 1000), st.floats(0.01, 1.0))
def test_the_scale_of_a_feature_does_not_matter(seed: int, rate: float) -> None:
    rng = np.random.default_rng(seed)
    differences, gains, weights = rng.normal(size=(50, 3)), rng.normal(size=50), rng.normal(size=3)
    scale = np.array([2.0**-10, 1.0, 2.0**13])
    plain = seen(differences, gains).step(weights, rate)
    scaled = seen(differences * scale, gains).step(weights / scale, rate)
    assert scaled * scale == pytest.approx(plain, rel=1e-6, abs=1e-9)


def test_lengths_stay_and_a_share_of_the_way_lies_between() -> None:
    rng = np.random.default_rng(1)
    differences, gains, weights = rng.normal(size=(99, 2)), rng.normal(size=99), rng.normal(size=2)
    whole = weights + seen(differences, gains).step(weights, 1.0)
    part = weights + seen(differences, gains).step(weights, 0.25)
    by = metric(differences, np.ones(99))
    lengths = [float(each @ by @ each) for each in (weights, whole, part)]
    assert lengths == pytest.approx([lengths[0]] * 3)
    between = 0.75 * weights + 0.25 * whole
    assert part / np.linalg.norm(part) == pytest.approx(between / np.linalg.norm(between))
    assert not np.allclose(weights, whole)


def test_old_samples_are_forgotten() -> None:
    replay = seen(np.array([[1.0]]), np.array([1.0]), keep=0.5)
    for _ in range(7):
        replay.step(np.ones(1), 1.0)
    assert len(replay.counts) == 1
    replay.step(np.ones(1), 1.0)
    assert replay.differences.tolist() == []


def test_the_best_weights_are_kept_and_the_first_of_equals() -> None:
    replay = Replay(np.zeros(1), keep=0.5, temperature=1.0)
    assert replay.best.tolist() == [0.0]
    for weight, reward in ((1.0, 3.0), (2.0, 5.0), (3.0, 4.0), (4.0, 5.0)):
        replay.judge(np.array([weight]), reward)
    assert replay.best.tolist() == [2.0]


@pytest.mark.parametrize("weights", [[1.0, 1.0], [0.0, 0.0]])
def test_without_differences_or_gains_there_is_no_step(weights: list[float]) -> None:
    for differences, gains in (
        (np.zeros((5, 2)), np.ones(5)),
        (np.empty((0, 2)), np.empty(0)),
        (np.array([[1.0, -1.0], [2.0, 3.0]]), np.zeros(2)),
    ):
        change = seen(differences, gains).step(np.array(weights), 1.0)
        assert change == pytest.approx([0.0, 0.0])


def test_weights_of_0_start_uphill() -> None:
    differences = np.array([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]])
    change = seen(differences, np.array([1.0, -1.0, 0.0])).step(np.zeros(2), 0.1)
    assert change[0] > 0 > change[1]


def test_features_that_never_differ_keep_their_weight() -> None:
    differences = np.array([[1.0, 0.0], [-2.0, 1e-17]])
    change = seen(differences, np.array([1.0, -1.0])).step(np.array([0.5, 0.7]), 1.0)
    assert change.tolist() == pytest.approx([0.0, 0.0])


@pytest.mark.parametrize("size", [1e-150, 1.0, 1e140])
def test_twins_and_any_size_do_no_harm(size: float) -> None:
    one = np.random.default_rng(2).normal(size=(30, 1))
    change = seen(np.hstack([one, one]) * size, one[:, 0]).step(np.array([1.0, -1.0]), 1.0)
    assert np.isfinite(change).all()


def test_what_telescopes_or_is_fixed_keeps_its_weight_in_learning() -> None:
    task = spellings(40)
    start = {"potential": 0.25, "f0": 0.5}
    result = drl(task, start, options=replace(OPTIONS, fixed=("f0",)))
    assert result.last["potential"] == pytest.approx(0.25, abs=1e-12)
    assert result.last["f0"] == 0.5
    assert result.last["f1"] != 0


def test_the_result_is_what_the_best_epoch_used() -> None:
    task = spellings(25)
    result = drl(task, {"f0": 1.0}, options=OPTIONS)
    told = task.told
    assert told[0].tolist() == [1.0, 0.0, 0.0, 0.0]
    assert len(told) == OPTIONS.epochs + 1, "the last step is tried as well"
    rewards = [mean_reward(task, dict(zip(task.feature_names, row, strict=True))) for row in told]
    assert rewards[:-1] == pytest.approx([epoch.reward for epoch in result.epochs])
    assert list(result.weights.values()) == told[int(np.argmax(rewards))].tolist()


def test_one_epoch_is_enough_to_learn() -> None:
    task = spellings(40)
    start = {"f0": -1.0, "f1": 0.0, "f2": 0.0, "potential": 0.0}
    result = drl(task, start, options=replace(OPTIONS, epochs=1, rate=1.0))
    assert mean_reward(task, result.weights) > mean_reward(task, start)


def test_threads_do_not_show() -> None:
    one, three = (drl(spellings(300), {"f0": 1.0}, options=OPTIONS, threads=n) for n in (1, 3))
    assert one.weights == three.weights
    assert one.last == three.last
    assert [epoch.reward for epoch in one.epochs] == [epoch.reward for epoch in three.epochs]


def test_no_threads_are_refused() -> None:
    with pytest.raises(ArgumentError, match="at least one thread"):
        drl(spellings(3), {"f0": 1.0}, options=OPTIONS, threads=0)


def test_no_epoch_leaves_the_weights() -> None:
    result = drl(spellings(5), {"f0": 1.0}, options=replace(OPTIONS, epochs=0))
    assert result.weights == {"f0": 1.0, "f1": 0.0, "f2": 0.0, "potential": 0.0}


class Endless(Spellings):
    """The fourth word is worth more than any number."""

    def end_cost(self, state: Spelt) -> float:
        return -math.inf if state.example == 3 else super().end_cost(state)


def test_what_is_infinite_is_named() -> None:
    task = spellings(8)
    endless = Endless(task.hidden, task.examples, task.feature_names)
    with pytest.raises(DivergedError, match="example 4 "):
        drl(endless, {"f0": 1.0}, options=OPTIONS)


def test_weights_that_are_too_long_are_no_result(tmp_path: Path) -> None:
    place = tmp_path / "state.json"
    with pytest.raises(DivergedError, match="epoch 1"):
        drl(spellings(5), {"f0": 1e200}, options=OPTIONS, checkpoint=place)
    assert not place.exists()


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


def mangled(name: str, arrays: dict[str, Floats]) -> None:
    arrays[name] = {
        "differences": arrays["differences"][:, 1:],
        "gains": arrays["gains"][1:],
        "counts": np.full_like(arrays["counts"], np.nan),
        "best": np.array(["a"] * len(arrays["best"])),
    }[name]


@pytest.mark.parametrize("name", ["differences", "gains", "counts", "best"])
def test_damaged_samples_are_refused(name: str, tmp_path: Path) -> None:
    task, place = spellings(5), tmp_path / "state.json"
    drl(task, {"f0": 1.0}, options=replace(OPTIONS, epochs=1), checkpoint=place)
    (file,) = tmp_path.glob("*.npz")
    arrays = dict(np.load(file))
    mangled(name, arrays)
    np.savez(file, **arrays)
    with pytest.raises(CorruptFileError):
        drl(task, {"f0": 1.0}, options=OPTIONS, checkpoint=place, resume=True)


@pytest.mark.parametrize("wrong", [{"rate": 1.5}, {"keep": 2.0}, {"temperature": 0.0}])
def test_impossible_options_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ArgumentError):
        replace(OPTIONS, **wrong)


def test_sparse_features_are_refused() -> None:
    with pytest.raises(ArgumentError, match="sparse"):
        drl(replace(spellings(5), sparse_features=8), {}, options=OPTIONS)
