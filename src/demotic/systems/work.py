"""A work folder whose finished stages are not done again.

    work = WorkFolder(folder, resume=True, progress=progress)
    text = work.stage("text", settings, after=[], files=["train.de", "train.en"])
    if text.wanted:
        ...write text.path("train.de") and text.path("train.en")...
        text.finish()
    links = work.stage("links", settings, after=[text], files=["links.txt"])

A stage is known by a digest of its settings and of the stages before it.  It counts as finished
when all its files were written under that digest; a stage that was killed half-way is done again.
What it took is noted with it, so that a training that finds stages done can still tell its cost.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import shutil
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from demotic import files
from demotic.errors import ArgumentError
from demotic.progress import SILENT, Progress

_MARK = "work.json"


@dataclass(frozen=True)
class Cost:
    """What a stage took."""

    seconds: float
    """Of CPU time, all threads together."""
    memory: int
    """The most bytes that the process ever had when the stage was finished."""


def peak_memory() -> int:
    """The most bytes that this process ever had in memory."""
    try:
        # Not ru_maxrss, which a process inherits from the one that started it.
        status = Path("/proc/self/status").read_text()
        return int(status.split("VmHWM:")[1].split()[0]) * 1024
    except (OSError, IndexError):
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


class Stage:
    """One step of the work, with the files that it makes."""

    def __init__(self, folder: Path, name: str, digest: str, made: Sequence[str]) -> None:
        self._folder = folder
        self.name = name
        self.digest = digest
        self.files = tuple(made)
        self.finished_here = False
        """Rather than by a training before this one."""
        self._begun = time.process_time()

    def path(self, file: str) -> Path:
        """Where one of its files is, or goes."""
        return self._folder / file

    @property
    def _note(self) -> Path:
        return self._folder / f"{self.name}.done"

    @property
    def wanted(self) -> bool:
        """Is there still something to do?"""
        return self.noted[:2] != [self.digest, self._sizes()]

    @property
    def cost(self) -> Cost:
        """What it took, whoever finished it."""
        return Cost(**self.noted[2])

    def finish(self) -> None:
        """All files are there, complete."""
        cost = Cost(time.process_time() - self._begun, peak_memory())
        note = json.dumps([self.digest, self._sizes(), asdict(cost)])
        files.write_lines(self._note, [note])
        self.finished_here = True

    def forget(self) -> None:
        """What was finished under other settings is not, from now on."""
        self._note.unlink(missing_ok=True)

    @property
    def noted(self) -> list[Any]:
        """Digest, sizes of files and cost of the stage of this name that was finished last."""
        try:
            note = json.loads(self._note.read_bytes())
        except (OSError, ValueError):
            return []
        return note if isinstance(note, list) and len(note) == 3 else []

    def _sizes(self) -> dict[str, int]:
        paths = {name: self.path(name) for name in self.files}
        return {name: path.stat().st_size for name, path in paths.items() if path.is_file()}


def check_work(folder: Path | None) -> None:
    """Raise if it is no folder, or one that holds other files than those of a training."""
    if folder is None or not folder.exists():
        return
    with files.naming(folder):
        if not folder.is_dir():
            raise ArgumentError("not a folder", path=folder, remedy="name a new folder")
        if any(folder.iterdir()) and not (folder / _MARK).is_file():
            raise ArgumentError(
                "a folder with other files in it", path=folder, remedy="name a new folder"
            )


class WorkFolder:
    """The files of a training that is under way."""

    def __init__(self, folder: Path, *, resume: bool, progress: Progress = SILENT) -> None:
        self.folder = folder
        self.stages: list[Stage] = []
        """Those that were asked for so far."""
        self._progress = progress
        with files.naming(folder):
            check_work(folder)
            if (folder / _MARK).is_file() and not resume:
                _clear(folder)
            folder.mkdir(parents=True, exist_ok=True)
            (folder / _MARK).write_text('"a training under way"\n')

    def stage(
        self, name: str, settings: Any, *, after: Sequence[Stage] = (), files: Sequence[str]
    ) -> Stage:
        """The stage of this name; it is done already if it was finished with the same settings."""
        content = json.dumps(
            [name, settings, [stage.digest for stage in after]], sort_keys=True, default=str
        )
        digest = hashlib.sha256(content.encode()).hexdigest()
        for known in self.stages:
            if known.digest == digest:
                return known
        stage = Stage(self.folder, name, digest, files)
        self.stages.append(stage)
        if not stage.wanted:
            self._progress.say(f"{name}: done before")
        else:  # its files will be others, and may have the sizes of those noted
            stage.forget()
        return stage

    def copy(self, folder: Path) -> None:
        """A folder with what was finished here, and nothing of what was under way.

        What the folder has finished by itself stays.  Files are the same under another name where
        the disk can do that: stages replace their files and never write into them.
        """
        with files.naming(folder):
            folder.mkdir(parents=True, exist_ok=True)
            for note in [self.folder / _MARK, *self.folder.glob("*.done")]:
                if (folder / note.name).exists():
                    continue
                made = Stage(self.folder, note.stem, "", ()).noted[1:2] or [{}]
                # The note last: it says that all files are there.
                for path in (*(self.folder / name for name in made[0]), note):
                    if path.is_file():
                        (folder / path.name).unlink(missing_ok=True)
                        place(path, folder / path.name)

    def remove(self) -> None:
        """The work is finished and its folder no longer needed."""
        with contextlib.suppress(OSError):
            _clear(self.folder)


def _clear(folder: Path) -> None:
    """First its name, at once: of half a folder nobody could tell whose it was."""
    gone = folder.with_name(f".{folder.name}.gone")
    shutil.rmtree(gone, ignore_errors=True)  # of one who was killed here
    folder.rename(gone)
    shutil.rmtree(gone, ignore_errors=True)


def place(path: Path, to: Path) -> None:
    """The same file under another name where the disk can do that; large tables are not copied."""
    try:
        to.hardlink_to(path)
    except OSError:
        shutil.copyfile(path, to)
