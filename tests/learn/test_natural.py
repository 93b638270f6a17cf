"""Natural steps turn the weights towards a regression, whatever the scale of the features."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from demotic.errors import ArgumentError
from demotic.forest.weights import Floats
from demotic.learn import DrlOptions, drl
from demotic.learn.natural import NaturalSteps
from tests.learn.walks import spellings

OPTIONS = DrlOptions(update="natural", rate=0.3, epochs=4, batch=10, samples=2)


def seen(differences: Floats, gains: Floats, *, batch: int = 1) -> NaturalSteps:
    steps = NaturalSteps(differences.shape[1], batch=batch, memory=0.5)
    for difference, gain in zip(differences, gains, strict=True):
        steps.see(difference, float(gain))
    return steps


def direction(vector: Floats) -> Floats:
    return np.asarray(vector / np.linalg.norm(vector))


@given(st.integers(0, 1000))
def test_a_whole_step_leads_to_the_least_squares_of_gains(seed: int) -> None:
    rng = np.random.default_rng(seed)
    differences = rng.normal(size=(200, 3)) @ rng.normal(size=(3, 3))
    gains = differences @ rng.normal(size=3) + rng.normal(size=200)
    change = seen(differences, gains).step(np.ones(3), 1.0)
    assert change is not None
    ridge = 1e-3 * np.diag((differences**2).sum(axis=0))
    wanted = np.linalg.solve(differences.T @ differences + ridge, differences.T @ gains)
    assert direction(1.0 + change) == pytest.approx(direction(wanted), abs=1e-6)


@given(st.integers(0, 1000), st.floats(0.01, 1.0))
def test_the_scale_of_a_feature_does_not_matter(seed: int, rate: float) -> None:
    rng = np.random.default_rng(seed)
    differences, gains, weights = rng.normal(size=(50, 3)), rng.normal(size=50), rng.normal(size=3)
    scale = np.array([1e-3, 1.0, 1e4])
    plain = seen(differences, gains).step(weights, rate)
    scaled = seen(differences * scale, gains).step(weights / scale, rate)
    assert plain is not None
    assert scaled is not None
    assert scaled * scale == pytest.approx(plain, rel=1e-6, abs=1e-9)


def test_lengths_stay_and_shares_of_a_step_are_shares_of_the_way() -> None:
    rng = np.random.default_rng(1)
    differences, gains, weights = rng.normal(size=(99, 2)), rng.normal(size=99), rng.normal(size=2)
    whole = seen(differences, gains).step(weights, 1.0)
    part = seen(differences, gains).step(weights, 0.25)
    assert whole is not None
    assert part is not None
    assert part == pytest.approx(whole / 4)
    metric = differences.T @ differences * (1 + 1e-3 * np.eye(2))
    after = weights + whole
    assert after @ metric @ after == pytest.approx(weights @ metric @ weights)


def test_steps_come_with_full_batches_and_old_samples_fade() -> None:
    steps = seen(np.array([[1.0]]), np.array([1.0]), batch=3)
    weights = np.ones(1)
    assert steps.step(weights, 1.0) is None
    assert steps.step(weights, 1.0) is None
    assert steps.step(weights, 1.0) is not None
    assert steps.covariance[0, 0] == 0.5
    assert steps.gradient[0] == 0.5


def test_without_differences_there_is_no_step() -> None:
    assert seen(np.zeros((5, 2)), np.ones(5)).step(np.ones(2), 1.0) is None


def test_features_that_never_differ_keep_their_weight() -> None:
    differences = np.array([[1.0, 0.0], [-2.0, 1e-17]])
    change = seen(differences, np.array([1.0, -1.0])).step(np.array([-1.0, 0.7]), 1.0)
    assert change is not None
    assert change.tolist() == pytest.approx([2.0, 0.0])


def test_what_telescopes_or_is_fixed_keeps_its_weight_in_learning() -> None:
    task = spellings(40)
    start = {"potential": 0.25, "f0": 0.5}
    result = drl(task, start, options=replace(OPTIONS, fixed=("f0",)))
    assert result.weights["potential"] == pytest.approx(0.25, abs=1e-12)
    assert result.weights["f0"] == 0.5
    assert result.weights["f1"] != 0


def test_a_break_does_not_show(tmp_path: Path) -> None:
    task, place = spellings(25), tmp_path / "state.json"
    options = replace(OPTIONS, average_from=2)
    whole = drl(task, {"f0": 1.0}, options=options)
    drl(task, {"f0": 1.0}, options=replace(options, epochs=1), checkpoint=place)
    resumed = drl(task, {"f0": 1.0}, options=options, checkpoint=place, resume=True)
    assert resumed.weights == whole.weights


def test_the_mean_may_begin_late() -> None:
    task = spellings(25)
    late = drl(task, {"f0": 1.0}, options=replace(OPTIONS, average_from=4))
    early = drl(task, {"f0": 1.0}, options=OPTIONS)
    assert late.last == early.last
    assert late.weights != early.weights


def test_weights_are_told_before_each_epoch() -> None:
    task, told = spellings(20), []
    drl(task, {"f0": 1.0}, options=OPTIONS, prepare=lambda dense, _: told.append(dense.copy()))
    assert len(told) == OPTIONS.epochs
    assert told[0].tolist() == [1.0, 0.0, 0.0, 0.0]
    assert (told[1] != told[0]).any()


@pytest.mark.parametrize("wrong", [{"rate": 1.5}, {"memory": 2.0}, {"batch": 0}])
def test_impossible_options_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ArgumentError):
        replace(OPTIONS, **wrong)


def test_sparse_features_are_refused() -> None:
    with pytest.raises(ArgumentError, match="sparse"):
        drl(replace(spellings(5), sparse_features=8), {}, options=OPTIONS)
