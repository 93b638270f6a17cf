"""Work folders: finished stages count, half-done ones do not."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

import pytest

from demotic.errors import ArgumentError
from demotic.systems.work import Stage, WorkFolder, peak_memory


def do(folder: Path, settings: int = 1, *, resume: bool = True) -> list[str]:
    """Two stages, the second on top of the first; the names of those that were done."""
    done = []
    work = WorkFolder(folder, resume=resume)
    one = work.stage("one", settings, files=["a"])
    two = work.stage("two", "same", after=[one], files=["b"])
    for stage in (one, two):
        if stage.wanted:
            stage.path(stage.files[0]).write_text(stage.name)
            stage.finish()
            done.append(stage.name)
    return done


def test_finished_stages_are_not_done_again(tmp_path: Path) -> None:
    assert do(tmp_path / "work") == ["one", "two"]
    assert do(tmp_path / "work") == []


def test_without_resume_everything_is_done_again(tmp_path: Path) -> None:
    do(tmp_path / "work")
    assert do(tmp_path / "work", resume=False) == ["one", "two"]


def test_other_settings_redo_a_stage_and_those_after_it(tmp_path: Path) -> None:
    do(tmp_path / "work")
    assert do(tmp_path / "work", settings=2) == ["one", "two"]


def test_whoever_is_killed_under_other_settings_leaves_nothing_that_looks_finished(
    tmp_path: Path,
) -> None:
    do(tmp_path / "work")
    other = WorkFolder(tmp_path / "work", resume=True).stage("one", 2, files=["a"])
    other.path("a").write_text("eno")  # of the same size, and then it is killed
    assert do(tmp_path / "work")[0] == "one"
    assert (tmp_path / "work" / "a").read_text() == "one"


def test_whoever_is_killed_while_a_folder_is_removed_leaves_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    do(tmp_path / "work")
    work = WorkFolder(tmp_path / "work", resume=True)
    with monkeypatch.context() as here:
        here.setattr(shutil, "rmtree", lambda *_, **__: None)
        work.remove()
    assert not (tmp_path / "work").exists()
    assert do(tmp_path / "work") == ["one", "two"]
    WorkFolder(tmp_path / "work", resume=True).remove()
    assert list(tmp_path.iterdir()) == []


def test_a_stage_without_its_file_is_done_again(tmp_path: Path) -> None:
    do(tmp_path / "work")
    (tmp_path / "work" / "b").unlink()
    assert do(tmp_path / "work") == ["two"]
    (tmp_path / "work" / "b").write_text("cut")
    (tmp_path / "work" / "b").write_text("")
    assert do(tmp_path / "work") == ["two"]


def test_a_stage_that_never_finished_is_wanted(tmp_path: Path) -> None:
    stage: Stage = WorkFolder(tmp_path / "work", resume=True).stage("one", 1, files=["a"])
    stage.path("a").write_text("half")
    assert WorkFolder(tmp_path / "work", resume=True).stage("one", 1, files=["a"]).wanted


def test_other_peoples_files_are_not_removed(tmp_path: Path) -> None:
    (tmp_path / "diary").write_text("dear")
    with pytest.raises(ArgumentError, match="other files"):
        WorkFolder(tmp_path, resume=False)
    assert (tmp_path / "diary").read_text() == "dear"


def test_removing_leaves_nothing(tmp_path: Path) -> None:
    work = WorkFolder(tmp_path / "work", resume=False)
    work.remove()
    assert not (tmp_path / "work").exists()


def test_an_empty_folder_is_nobodys(tmp_path: Path) -> None:
    WorkFolder(tmp_path, resume=False)
    assert [path.name for path in tmp_path.iterdir()] == ["work.json"]


def test_what_a_stage_took_is_known_to_those_who_find_it_done(tmp_path: Path) -> None:
    work = WorkFolder(tmp_path / "work", resume=True)
    stage = work.stage("one", 1, files=["a"])
    begin = time.process_time()
    while time.process_time() - begin < 0.05:
        pass
    stage.path("a").write_text("a")
    stage.finish()
    assert stage.finished_here
    assert stage.cost.seconds >= 0.05
    assert 10**6 < stage.cost.memory <= peak_memory()
    again = WorkFolder(tmp_path / "work", resume=True).stage("one", 1, files=["a"])
    assert not again.finished_here
    assert again.cost == stage.cost


def test_a_copy_has_what_was_finished_and_nothing_else(tmp_path: Path) -> None:
    do(tmp_path / "work")
    (tmp_path / "work" / "checkpoint").write_text("under way")
    WorkFolder(tmp_path / "work", resume=True).copy(tmp_path / "copy")
    assert not (tmp_path / "copy" / "checkpoint").exists()
    assert do(tmp_path / "copy") == []
    assert do(tmp_path / "copy", settings=2) == ["one", "two"]
    assert do(tmp_path / "work") == []  # theirs is as it was


def test_a_copy_lacks_what_is_damaged(tmp_path: Path) -> None:
    do(tmp_path / "work")
    (tmp_path / "work" / "one.done").write_text("3")
    (tmp_path / "work" / "b").unlink()
    WorkFolder(tmp_path / "work", resume=True).copy(tmp_path / "copy")
    assert do(tmp_path / "copy") == ["one", "two"]
