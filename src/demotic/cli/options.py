"""Options that several commands share, spelt and explained once."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from demotic.errors import ArgumentError, FileAccessError
from demotic.progress import (
    JsonProgress,
    PlainProgress,
    Progress,
    QuietProgress,
    TerminalProgress,
)

if TYPE_CHECKING:
    from demotic.engine import Engine

Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing but errors.")]
JsonLog = Annotated[bool, typer.Option("--json-log", help="Progress as JSON lines on stderr.")]
Threads = Annotated[
    int, typer.Option("--threads", "-j", min=0, help="Threads; 0 takes every core.")
]
Memory = Annotated[
    str, typer.Option(metavar="SIZE", help="Memory to work in; what does not fit goes to disk.")
]
Temp = Annotated[Path | None, typer.Option(metavar="DIR", help="Folder for temporary files.")]
EngineName = Annotated[
    str,
    typer.Option(
        "--engine",
        metavar="NAME",
        help="Where bulk work runs: local, or on Apache Spark: spark://HOST:PORT, local[2], yarn,"
        " spark (as spark-submit says); then --temp is a folder that all machines see.",
    ),
]
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
Seed = Annotated[int, typer.Option("--seed", min=0, help="Seed of everything random.")]
DevSource = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Source sentences to tune on.")
]
Tuner = Annotated[
    str | None,
    typer.Option(
        "--tuner",
        metavar="NAME",
        help="How weights are tuned: mert, mira, pro, minrisk or auto.",
    ),
]
DevTarget = Annotated[
    list[Path] | None,
    typer.Option(
        metavar="FILE",
        help="Their translations; give it again for further references, line by line, in which an "
        "empty line stands for none.",
    ),
]


def further_references(paths: Sequence[Path], sentences: int) -> list[list[str]]:
    """The lines of further references, as many as there are sentences."""
    from demotic import files
    from demotic.errors import FormatError

    found = []
    for path in paths:
        lines = list(files.read_lines(path))
        if len(lines) != sentences:
            raise FormatError(
                f"{len(lines)} lines for {sentences} sentences of the development set",
                path=path,
                remedy="give a line for each sentence, an empty one where there is no reference",
            )
        found.append(lines)
    return found


def progress_for(*, quiet: bool, json_log: bool) -> Progress:
    """The progress display that suits the terminal and the options."""
    if quiet:
        return QuietProgress()
    if json_log:
        return JsonProgress()
    return TerminalProgress() if sys.stderr.isatty() else PlainProgress()


def opened_engine(
    name: str, *, threads: int, memory: int = 1 << 30, temp: Path | None = None
) -> Engine:
    """The engine of this name, before anything is read."""
    from demotic.engine import check_engine, open_engine

    with usage("--engine"):
        check_engine(name)
    with usage():
        return open_engine(name, threads=threads, memory=memory, temp=temp)


def thread_count(threads: int) -> int:
    """The number of threads to use; 0 asks for all cores this process may run on."""
    return threads or len(os.sched_getaffinity(0))


@contextlib.contextmanager
def usage(option: str | None = None) -> Iterator[None]:
    """What is refused inside is wrong usage, of an option where one is named: the command ends
    with 2, not with 1."""
    try:
        yield
    except (ArgumentError, FileAccessError) as error:
        raise typer.BadParameter(str(error), param_hint=option) from error


def check_temp(temp: Path | None) -> None:
    """Refuse a folder for temporary files that is not there, whether it will be needed or not."""
    from demotic.files import check_folder

    if temp is not None:
        with usage("--temp"):
            check_folder(temp)


def check_files(*, inputs: Iterable[Path], outputs: Iterable[Path]) -> None:
    """Refuse before the work what would fail after it, or overwrite what is read."""
    from demotic.files import naming

    read, written = list(inputs), list(outputs)
    for stream, files in (("input", read), ("output", written)):
        if files.count(Path("-")) > 1:
            raise typer.BadParameter(
                f"standard {stream} is named twice ('-' can stand for one file only)"
            )
    named = [path for path in read if path != Path("-")]
    for path in named:
        with naming(path):
            path.stat()
    taken = [path.resolve() for path in named]
    for path in written:
        if path == Path("-") or (path.exists() and not path.is_file()):
            continue  # what cannot be written at all is said by who writes it
        if path.resolve() in taken:
            raise typer.BadParameter(f"{path}: named twice (give each file its own name)")
        if not path.parent.is_dir():
            raise typer.BadParameter(
                f"{path}: no such folder: {path.parent} (create the folder first)"
            )
        taken.append(path.resolve())


def byte_count(text: str, option: str) -> int:
    """``500M`` or ``1.5G`` as a number of bytes."""
    number = text.upper().removesuffix("IB").removesuffix("B")
    unit = number[-1:] if number[-1:] in _UNITS else ""
    try:
        size = int(float(number.removesuffix(unit)) * _UNITS[unit])
    except (ValueError, OverflowError):
        size = 0
    if size < 1:
        raise typer.BadParameter(f"'{text}' is no size; write 500M or 1G", param_hint=option)
    return size


def setting(text: str, option: str) -> dict[str, Any]:
    """``lm.order=4`` as a record."""
    import tomllib

    name, equals, value = text.partition("=")
    if not equals:
        raise typer.BadParameter(f"'{text}': write NAME=VALUE", param_hint=option)
    try:
        return tomllib.loads(f"{name} = {value}")
    except ValueError:
        try:
            return tomllib.loads(f"{name} = '{value}'")  # a text needs no quotes
        except ValueError:
            raise typer.BadParameter(f"'{text}': write NAME=VALUE", param_hint=option) from None
