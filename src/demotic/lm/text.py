"""Texts on their way into the core: several files, read as one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from demotic import _core, files
from demotic.errors import ArgumentError, FormatError
from demotic.progress import Progress


def read_into(
    counter: _core.LmText | _core.BigramCounts,
    text: str | Path | Sequence[str | Path],
    title: str,
    progress: Progress,
) -> None:
    """Feed a tokenised text, one sentence a line, to a counter; it must have a word at least."""
    paths = paths_of(text)
    with progress.step(title, unit="lines") as advance:
        for path in paths:
            counter.next_file()
            with files.naming(path):
                for chunk in files.read_text(path):
                    before = counter.lines
                    counter.add(chunk)
                    advance(counter.lines - before)
    check_words(counter.words, paths)


def paths_of(text: str | Path | Sequence[str | Path]) -> list[str | Path]:
    """One file or several, as several."""
    paths = [text] if isinstance(text, str | Path) else list(text)
    if not paths:
        raise ArgumentError("no text to read", remedy="name at least one file")
    return paths


def check_words(words: int, paths: Sequence[str | Path]) -> None:
    """Raise where there are none."""
    if words == 0:
        raise FormatError(
            "the text has no words", path=paths[0], remedy="give a text with at least one sentence"
        )
