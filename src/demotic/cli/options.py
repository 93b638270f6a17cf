"""Options that several commands share, spelt and explained once."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

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
