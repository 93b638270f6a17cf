"""The shelf of unpacked models: any number of processes, any kind of cache."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from demotic import shelf
from demotic.bundle import About, Bundle
from demotic.errors import CorruptFileError, FileAccessError

ABOUT = About(system="hiero", source_language="de", target_language="en", config={})
PARTS = {f"{name}.bin": name.encode() * 200_000 for name in ("rules", "lm", "corpus")}
PROCESSES = 8
ROUNDS = 6
OPEN_ALL = """
import os, sys, time
from pathlib import Path
from demotic.bundle import Bundle

start, folder, rounds = float(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
for number in range(rounds):
    while time.time() < start + number / 4:  # everybody at once
        pass
    bundle = Bundle.open(folder / f"{number}.demotic")
    assert sum(bundle.path(name).stat().st_size for name in bundle.parts) == int(sys.argv[4])
"""


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder for temporary files."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def write(path: Path, parts: dict[str, bytes]) -> Path:
    with Bundle.create(path, ABOUT) as folder:
        for name, content in parts.items():
            (folder / name).write_bytes(content)
    return path


def content(bundle: Bundle) -> dict[str, bytes]:
    return {name: bundle.path(name).read_bytes() for name in bundle.parts}


def fill(folder: Path) -> None:
    (folder / "part").write_text("text")


def shelved(cache: Path) -> list[Path]:
    return sorted((cache / "demotic" / "models").iterdir())


def test_many_processes_open_a_file_for_the_first_time_at_once(tmp_path: Path, cache: Path) -> None:
    for number in range(ROUNDS):
        write(tmp_path / f"{number}.demotic", {**PARTS, "number": bytes([number])})
    size = str(sum(map(len, PARTS.values())) + 1)
    start = str(time.time() + 2)
    command = [sys.executable, "-c", OPEN_ALL, start, str(tmp_path), str(ROUNDS), size]
    running = [subprocess.Popen(command, stderr=subprocess.PIPE) for _ in range(PROCESSES)]
    failures = [process.communicate()[1].decode() for process in running]
    assert failures == [""] * PROCESSES
    assert len(shelved(cache)) == ROUNDS


@pytest.mark.parametrize("place", ["file", "/proc/none", "/dev/null"])
def test_without_a_cache_a_file_is_unpacked_for_as_long_as_it_is_used(
    tmp_path: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    (tmp_path / "file").touch()
    path = write(tmp_path / "model.demotic", PARTS)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / place))
    bundle = Bundle.open(path)
    assert content(bundle) == PARTS
    assert len(list(temporary.iterdir())) == 1
    del bundle
    assert not list(temporary.iterdir())


def test_nowhere_to_unpack_names_the_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "model.demotic", PARTS)
    monkeypatch.setenv("XDG_CACHE_HOME", "/proc/none")
    monkeypatch.setattr(tempfile, "tempdir", "/proc/none")
    with pytest.raises(FileAccessError, match=r"no place to unpack.*XDG_CACHE_HOME or TMPDIR"):
        Bundle.open(path)


def test_users_without_a_home_open_models(
    tmp_path: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr(Path, "home", lambda: (_ for _ in ()).throw(RuntimeError("no home")))
    for name in ("model", "model.demotic"):
        assert content(Bundle.open(write(tmp_path / name, PARTS))) == PARTS
    assert not list(temporary.iterdir())


def test_a_cache_that_cannot_be_written_is_still_read(
    tmp_path: Path, temporary: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "model.demotic", PARTS)
    Bundle.open(path)

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(30, "Read-only file system")

    for name in ("utime", "mkdir", "rename", "replace"):
        monkeypatch.setattr(os, name, refuse)
    assert Bundle.open(path).folder == shelved(cache)[0]
    assert not list(temporary.iterdir())


def test_a_copy_of_the_file_uses_what_is_unpacked(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = write(tmp_path / "model.demotic", PARTS)
    folder = Bundle.open(first).folder
    copy = tmp_path / "copy.demotic"
    copy.write_bytes(first.read_bytes())
    monkeypatch.setattr(shelf, "put", lambda *_: pytest.fail("it was unpacked again"))
    assert Bundle.open(copy).folder == folder


def test_what_is_in_use_is_not_forgotten(tmp_path: Path) -> None:
    bundle = Bundle.open(write(tmp_path / "model.demotic", PARTS))
    for number in range(12):
        Bundle.open(write(tmp_path / f"{number}.demotic", {"part": bytes([number])}))
    assert content(bundle) == PARTS


def test_what_another_process_is_unpacking_is_not_forgotten(cache: Path) -> None:
    def slowly(folder: Path) -> None:
        fill(folder)
        for number in range(12):
            shelf.put(str(number), fill)
        assert (folder / "part").is_file()

    assert (shelf.put("slow", slowly).folder / "part").read_text() == "text"


def test_what_a_killed_process_left_is_deleted(cache: Path) -> None:
    left = cache / "demotic" / "models" / ".model.0123"
    left.mkdir(parents=True)
    fill(left)
    shelf.put("model", fill)
    assert [path.name for path in shelved(cache)] == ["model"]


def test_a_failure_leaves_nothing(cache: Path, temporary: Path) -> None:
    def fail(folder: Path) -> None:
        fill(folder)
        raise CorruptFileError("damaged")

    with pytest.raises(CorruptFileError):
        shelf.put("model", fail)
    assert not shelved(cache)
    assert not list(temporary.iterdir())


def test_a_folder_that_goes_while_we_wait_for_it_is_not_taken(cache: Path) -> None:
    folder = shelf.put("model", fill).folder
    shelf._delete(folder)
    assert shelf.take("model") is None
