"""A work folder whose finished stages are not done again.

    work = WorkFolder(folder, resume=True, progress=progress)
    text = work.stage("text", settings, after=[], files=["train.de", "train.en"])
    if text.wanted:
        ...write text.path("train.de") and text.path("train.en")...
        text.finish()
    links = work.stage("links", settings, after=[text], files=["links.txt"])

A stage is known by a digest of its settings and of the stages before it.  It counts as finished
when all its files were written under that digest; a stage that was killed half-way is done again.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from demotic import files
from demotic.errors import ArgumentError
from demotic.progress import SILENT, Progress

_MARK = "work.json"


class Stage:
    """One step of the work, with the files that it makes."""

    def __init__(self, folder: Path, name: str, digest: str, made: Sequence[str]) -> None:
        self._folder = folder
        self.name = name
        self.digest = digest
        self.files = tuple(made)

    def path(self, file: str) -> Path:
        """Where one of its files is, or goes."""
        return self._folder / file

    @property
    def _note(self) -> Path:
        return self._folder / f"{self.name}.done"

    @property
    def wanted(self) -> bool:
        """Is there still something to do?"""
        try:
            note = json.loads(self._note.read_bytes())
        except (OSError, ValueError):
            return True
        return bool(note != [self.digest, self._sizes()])

    def finish(self) -> None:
        """All files are there, complete."""
        files.write_lines(self._note, [json.dumps([self.digest, self._sizes()])])

    def _sizes(self) -> dict[str, int]:
        paths = {name: self.path(name) for name in self.files}
        return {name: path.stat().st_size for name, path in paths.items() if path.is_file()}


def check_work(folder: Path | None) -> None:
    """Raise if a folder holds other files than those of a training."""
    if folder is None or not folder.is_dir():
        return
    with files.naming(folder):
        if any(folder.iterdir()) and not (folder / _MARK).is_file():
            raise ArgumentError(
                "a folder with other files in it", path=folder, remedy="name a new folder"
            )


class WorkFolder:
    """The files of a training that is under way."""

    def __init__(self, folder: Path, *, resume: bool, progress: Progress = SILENT) -> None:
        self.folder = folder
        self._progress = progress
        with files.naming(folder):
            check_work(folder)
            if (folder / _MARK).is_file() and not resume:
                shutil.rmtree(folder)
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
        stage = Stage(self.folder, name, digest, files)
        if not stage.wanted:
            self._progress.say(f"{name}: done before")
        return stage

    def remove(self) -> None:
        """The work is finished and its folder no longer needed."""
        shutil.rmtree(self.folder, ignore_errors=True)
