"""Rule tables as files, for the commands that write them: binary or text, whole or filtered."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from demotic.progress import Progress


class RuleFormat(StrEnum):
    """Text formats of rule tables."""

    cdec = "cdec"
    joshua = "joshua"
    moses_hiero = "moses-hiero"
    moses_phrase = "moses-phrase"


def check_out(out: Path, format: RuleFormat | None) -> None:
    """Refuse a name that asks for text in no format, or for a binary file in one."""
    if format is None and out.suffix != ".bin":
        raise typer.BadParameter(f"'{out}' is to be text: name its format, or call it .bin")
    if format is not None and out.suffix == ".bin":
        raise typer.BadParameter(f"'{out}' is to be binary: leave the format out, or rename it")


@contextlib.contextmanager
def table_file(
    out: Path,
    format: RuleFormat | None,
    filter: Path | None,
    temp: Path | None,
    progress: Progress,
) -> Iterator[Path]:
    """A path for a binary table, which becomes ``out`` when the block ends well."""
    from demotic import files
    from demotic.grammar import RuleTable

    if format is None and filter is None:
        yield out
        return
    with files.naming(temp or "temporary files"):
        folder = tempfile.TemporaryDirectory(prefix="demotic-", dir=temp)
    with folder as name:
        path = Path(name) / "rules.bin"
        yield path
        table = RuleTable.load(path)
        if filter is not None:
            small = out if format is None else Path(name) / "filtered.bin"
            table = table.filter(files.read_lines(filter), out=small, progress=progress)
            progress.say(f"{len(table):,} of them match the sentences")
        if format is not None:
            table.to_text(out, format=format.value, progress=progress)
