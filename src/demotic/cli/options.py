"""Options that several commands share, spelt and explained once."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from demotic.errors import ArgumentError, FileAccessError
from demotic.progress import SILENT, JsonProgress, PlainProgress, Progress, TerminalProgress

Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing but errors.")]
JsonLog = Annotated[bool, typer.Option("--json-log", help="Progress as JSON lines on stderr.")]
Threads = Annotated[
    int, typer.Option("--threads", "-j", min=0, help="Threads; 0 takes every core.")
]
Seed = Annotated[int, typer.Option("--seed", help="Seed of everything random.")]


def progress_for(*, quiet: bool, json_log: bool) -> Progress:
    """The progress display that suits the terminal and the options."""
    if quiet:
        return SILENT
    if json_log:
        return JsonProgress()
    return TerminalProgress() if sys.stderr.isatty() else PlainProgress()


def thread_count(threads: int) -> int:
    """The number of threads to use; 0 asks for all cores this process may run on."""
    return threads or len(os.sched_getaffinity(0))


def check_files(*, inputs: Iterable[Path], outputs: Iterable[Path]) -> None:
    """Refuse before the work what would fail after it, or overwrite what is read."""
    read, written = list(inputs), list(outputs)
    for stream, files in (("input", read), ("output", written)):
        if files.count(Path("-")) > 1:
            raise ArgumentError(
                f"standard {stream} is named twice", remedy="'-' can stand for one file only"
            )
    taken = [path.resolve() for path in read if path != Path("-")]
    for path in written:
        if path == Path("-") or (path.exists() and not path.is_file()):
            continue  # what cannot be written at all is said by who writes it
        if path.resolve() in taken:
            raise ArgumentError("named twice", path=path, remedy="give each file its own name")
        if not path.parent.is_dir():
            raise FileAccessError(
                f"no such folder: {path.parent}", path=path, remedy="create the folder first"
            )
        taken.append(path.resolve())
