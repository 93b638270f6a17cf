"""A broken run continues to the same result; damaged or foreign checkpoints are refused."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from demotic.errors import ArgumentError, CorruptFileError, DemoticError, FileAccessError
from demotic.learn import Candidates, MertOptions, Task, tune_weights
from tests.learn.dev_sets import ForestTask, ListTask
from tests.learn.test_mert import START, forest_task, list_task

OPTIONS = MertOptions(iterations=4, random_directions=3, restarts=1, min_gain=0.0)


class Breaking:
    """A task that is interrupted when asked for the n-th time."""

    def __init__(self, task: ListTask | ForestTask, at: int) -> None:
        self.task = task
        self.feature_names = task.feature_names
        self.left = at

    def candidates(self, weights: Mapping[str, float]) -> list[Candidates]:
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt
        return self.task.candidates(weights)


@pytest.mark.parametrize("make", [list_task, forest_task])
@pytest.mark.parametrize("at", [1, 2, 3])
def test_a_broken_run_continues_to_the_same_result(
    make: Callable[[], ListTask | ForestTask], at: int, tmp_path: Path
) -> None:
    task = make()
    whole = tune_weights(task, START, options=OPTIONS)
    assert len(whole.rounds) >= 3
    path = tmp_path / "tune.json"
    with pytest.raises(KeyboardInterrupt):
        tune_weights(Breaking(task, at), START, options=OPTIONS, checkpoint=path)
    assert tune_weights(task, START, options=OPTIONS, checkpoint=path, resume=True) == whole


def test_a_run_broken_in_its_last_decoding_continues_to_the_same_result(tmp_path: Path) -> None:
    task = list_task()
    whole = tune_weights(task, START, options=OPTIONS)
    assert not whole.converged  # so that there is one
    path = tmp_path / "tune.json"
    with pytest.raises(KeyboardInterrupt):
        tune_weights(Breaking(task, len(whole.rounds) + 1), START, options=OPTIONS, checkpoint=path)
    assert tune_weights(task, START, options=OPTIONS, checkpoint=path, resume=True) == whole


@pytest.mark.parametrize("make", [list_task, forest_task])
def test_a_finished_run_gives_its_result_again_and_takes_more_iterations(
    make: Callable[[], ListTask | ForestTask], tmp_path: Path
) -> None:
    task = make()
    path = tmp_path / "tune.json"
    two = replace(OPTIONS, iterations=2)
    first = tune_weights(task, START, options=two, checkpoint=path)
    never = Breaking(task, 1)
    assert tune_weights(never, START, options=two, checkpoint=path, resume=True) == first
    more = tune_weights(task, START, options=OPTIONS, checkpoint=path, resume=True)
    assert more == tune_weights(task, START, options=OPTIONS)


def test_one_state_and_one_file_of_hypotheses_stay(tmp_path: Path) -> None:
    path = tmp_path / "tune.json"
    result = tune_weights(list_task(), START, options=OPTIONS, checkpoint=path)
    kept = f"tune.json.{len(result.rounds)}.npz"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["tune.json", kept]
    assert json.loads(path.read_text())["hypotheses"] == kept


def test_continued_runs_leave_one_file_of_hypotheses_too(tmp_path: Path) -> None:
    """Whether rounds are left, which save hypotheses, or only the last decoding, which does not."""
    task, path = list_task(), tmp_path / "tune.json"
    rounds = len(tune_weights(task, START, options=OPTIONS).rounds)
    for at in (3, rounds + 1):
        with pytest.raises(KeyboardInterrupt):
            tune_weights(Breaking(task, at), START, options=OPTIONS, checkpoint=path)
        tune_weights(task, START, options=OPTIONS, checkpoint=path, resume=True)
        kept = f"tune.json.{rounds}.npz"
        assert sorted(p.name for p in tmp_path.iterdir()) == ["tune.json", kept]
        assert json.loads(path.read_text())["hypotheses"] == kept


def test_without_resume_tuning_begins_again(tmp_path: Path) -> None:
    path = tmp_path / "tune.json"
    first = tune_weights(list_task(), START, options=OPTIONS, checkpoint=path)
    task = list_task()
    assert tune_weights(task, START, options=OPTIONS, checkpoint=path) == first
    assert task.decoded == len(first.rounds) + 1


def test_other_settings_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "tune.json"
    task = list_task()
    tune_weights(task, START, options=OPTIONS, checkpoint=path)

    def again(weights: dict[str, float], options: MertOptions, seed: int) -> None:
        tune_weights(task, weights, options=options, seed=seed, checkpoint=path, resume=True)

    with pytest.raises(ArgumentError, match=r"tune.json: .*another value of seed: 1 instead of 2"):
        again(START, OPTIONS, 2)
    with pytest.raises(ArgumentError, match="another value of restarts"):
        again(START, replace(OPTIONS, restarts=7), 1)
    with pytest.raises(ArgumentError, match="another value of start"):
        again({**START, "f": 3.0}, OPTIONS, 1)
    again(START, OPTIONS, 1)


def test_another_dev_set_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "tune.json"
    task = list_task()
    with pytest.raises(KeyboardInterrupt):
        tune_weights(Breaking(task, 2), START, options=OPTIONS, checkpoint=path)
    shorter = ListTask(task.known[:-1], task.k)
    with pytest.raises(ArgumentError, match="lists of 12 sentences instead of 11"):
        tune_weights(shorter, START, options=OPTIONS, checkpoint=path, resume=True)


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "tune.json"
    with pytest.raises(KeyboardInterrupt):
        tune_weights(Breaking(list_task(), 3), START, options=OPTIONS, checkpoint=path)
    return path


def resume(path: Path, task: Task | None = None) -> None:
    tune_weights(task or list_task(), START, options=OPTIONS, checkpoint=path, resume=True)


def test_a_damaged_state_is_refused(saved: Path) -> None:
    text = saved.read_text()
    for bad in (text[: len(text) // 2], "", "[]", "{}", '{"version": 1}', "\x00" + text):
        saved.write_text(bad)
        with pytest.raises(CorruptFileError, match=r"tune.json: damaged checkpoint.*again"):
            resume(saved)
    saved.write_text(text.replace('"version": 1', '"version": 9'))
    with pytest.raises(CorruptFileError, match="version 9"):
        resume(saved)
    saved.write_text(text.replace("tune.json.2.npz", "../other.npz"))
    with pytest.raises(CorruptFileError, match="no file of hypotheses"):
        resume(saved)


def test_a_damaged_file_of_hypotheses_is_refused(saved: Path) -> None:
    file = saved.with_name("tune.json.2.npz")
    content = file.read_bytes()
    changed = bytearray(content)
    changed[len(content) // 2] ^= 0xFF
    for bad in (content[:-100], b"", bytes(changed)):
        file.write_bytes(bad)
        with pytest.raises(CorruptFileError, match=r"damaged checkpoint: tune.json.2.npz"):
            resume(saved)
    file.unlink()
    with pytest.raises(CorruptFileError, match="is missing"):
        resume(saved)


def test_arrays_that_do_not_fit_are_refused(saved: Path) -> None:
    file = saved.with_name("tune.json.2.npz")
    with np.load(file) as arrays:
        good = dict(arrays)
    bad: list[dict[str, np.ndarray]] = [
        {"off": good["off"][::-1]},
        {"off": good["off"] + 1},
        {"off": np.zeros(0)},
        {"off": np.append(good["off"][:-1], good["off"][-1] - 1)},
        {"off": good["off"][:, np.newaxis]},
        {"features": good["features"][:-1]},
        {"features": good["features"].ravel()},
        {"features": good["features"][:, :2]},
        {"features": good["features"] * np.nan},
        {"statistics": good["statistics"][:-1]},
        {"statistics": good["statistics"].ravel()},
        {"statistics": good["statistics"][:, :9]},
        {"statistics": -good["statistics"]},
    ]
    for change in bad:
        np.savez(file, **{**good, **change})
        with pytest.raises(DemoticError):
            resume(saved)


def test_arrays_of_objects_are_never_unpickled(saved: Path) -> None:
    file = saved.with_name("tune.json.2.npz")
    with np.load(file) as arrays:
        good = dict(arrays)
    np.savez(file, **{**good, "off": good["off"].astype(object)})
    with pytest.raises(CorruptFileError, match="allow_pickle=False"):
        resume(saved)


def test_an_unwritable_checkpoint_is_told(tmp_path: Path) -> None:
    with pytest.raises(FileAccessError, match="no such folder"):
        tune_weights(
            list_task(), START, options=OPTIONS, checkpoint=tmp_path / "nowhere" / "tune.json"
        )
