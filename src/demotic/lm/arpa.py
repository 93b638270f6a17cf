"""ARPA files, plain or gzip: n-grams as text, the form that every toolkit reads and writes."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from demotic import _core, files
from demotic.progress import SILENT, Progress


def read(path: str | Path, sink: _core.NgramSink, *, progress: Progress = SILENT) -> None:
    """Hand the n-grams of an ARPA file to a sink; errors name the file and the line."""
    with files.naming(path), progress.step("reading ARPA", unit="bytes") as advance:
        reader = _core.ArpaReader(sink, files.most_bytes(path))
        for block in files.read_text(path):
            reader.feed(block)
            advance(len(block))
        reader.finish()


@contextlib.contextmanager
def writing(path: str | Path) -> Iterator[_core.ArpaWriter]:
    """A sink that writes an ARPA file, compressed if it ends in ``.gz``, whole or not at all."""
    with files.write_bytes(path) as out:
        yield _writer(out)


def _writer(out: IO[bytes]) -> _core.ArpaWriter:
    return _core.ArpaWriter(out.write)


def is_arpa(path: str | Path) -> bool:
    """Does this name ask for ARPA (.arpa, .lm, .gz, standard output) or for the binary form?"""
    return str(path) == "-" or Path(path).suffix in {".arpa", ".lm", ".gz"}
