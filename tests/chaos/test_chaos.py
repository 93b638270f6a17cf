"""A little of ``make chaos``: what is killed or starved goes on to the same model."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.chaos.kills import kill
from tests.chaos.starving import starve
from tests.chaos.training import TRAININGS, Done, Place


def test_every_system_is_tried() -> None:
    from demotic.systems import SYSTEMS

    assert {*SYSTEMS} <= {*TRAININGS}


def test_killed_trainings_go_on_to_the_same_model(tmp_path: Path) -> None:
    found = kill("phrase", 2, 1, tmp_path, say=lambda line: None)
    assert not found.faults
    assert found.kills >= 2


@pytest.mark.parametrize("of", ["file", "folders"])
def test_starved_trainings_go_on_to_the_same_model(of: str, tmp_path: Path) -> None:
    if of == "folders" and shutil.which("setpriv") is None:
        pytest.skip("no setpriv to take root's rights away")
    found = starve("phrase", of, 1, 1, tmp_path)
    assert not found.faults
    assert found.errors == 1


def test_a_process_dies_where_it_was_told_to(tmp_path: Path) -> None:
    place = Place(tmp_path, "hiero")
    assert place.train("file", 20).killed
    assert not place.out.exists()
    assert place.finished() == []
    assert place.work.exists()
    assert place.train("cpu", 0.01).killed


def test_only_errors_of_ours_are_refusals() -> None:
    assert Done(1, "round 1\ndemotic: error: out.demotic: no space left\n").refused
    assert Done(2, "Usage: ...\n\nError: Invalid value for --out: x\n").refused
    assert not Done(1, 'Traceback\n  File "x.py"\nValueError: demotic: error: x\n').refused
    assert not Done(-11, "demotic: error: x\n").refused
    ours = 'Fatal\n\n  File "/x/src/demotic/lm/model.py", line 3 in f\n'
    theirs = 'Fatal\n\n  File "/x/site-packages/duckdb/a.py", line 3 in f\n' + ours
    assert Done(-11, theirs).aborted
    assert not Done(-11, ours).aborted
    assert not Done(1, theirs).aborted
