"""Corrections that users suggest, in a file that only grows: one JSON object a line.

    kept = SuggestionFile("de-en.demotic.suggestions.jsonl")
    kept.append(Suggestion("Hallo", "Hello", "de", "en"))      # on the disk when it returns
    for each in read_suggestions(kept.path): ...

A process that is killed leaves at most a torn last line, which reading passes over; the next line
begins behind it.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from demotic.corpus.language import matches
from demotic.corpus.normalise import plain_spaces
from demotic.errors import FormatError
from demotic.files import naming

if TYPE_CHECKING:
    from demotic.corpus import Bitext, Pair
    from demotic.corpus.reading import Row
    from demotic.corpus.storage import BitextWriter

SUFFIX = ".suggestions.jsonl"
_FIELDS = ("q", "s", "source", "target")


@dataclass(frozen=True)
class Suggestion:
    """A message and how it should be translated."""

    text: str
    translation: str
    source: str
    """Codes of the languages."""
    target: str
    time: str = field(default_factory=lambda: time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()))
    line: int = 0
    """Of its file, from 1; 0 if it is in none yet."""

    def serves(self, source: str, target: str) -> bool:
        """Is it of this pair of languages?"""
        return matches(source, self.source) and matches(target, self.target)


def suggestions_path(model: Path) -> Path:
    """Where the suggestions for a model are, unless somebody says otherwise."""
    return model.with_name(model.name + SUFFIX)


def read_suggestions(path: Path) -> Iterator[Suggestion]:
    """All that are in a file, oldest first.

    Lines that were torn are passed over; a file of which no line can be read is refused.
    """
    read = torn = 0
    with naming(path), path.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            found = _parsed(line, number)
            torn += found is None
            if found is not None:
                read += 1
                yield found
        if torn and not read:
            raise FormatError(
                "no line holds a suggestion",
                remedy='lines are {"q": ..., "s": ..., "source": "de", "target": "en"}',
            )


def _parsed(line: bytes, number: int) -> Suggestion | None:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(record, dict):
        return None
    values = [record.get(name) for name in _FIELDS]
    if not all(isinstance(value, str) and value and _sound(value) for value in values):
        return None
    text, translation, source, target = map(str, values)
    return Suggestion(text, translation, source, target, str(record.get("time", "")), number)


def _sound(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


class SuggestionFile:
    """Takes suggestions, each on the disk before ``append`` returns."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._lines = 0

    def read(self) -> list[Suggestion]:
        """Those that are there; a file that is not there holds none."""
        if not self.path.exists():
            return []
        found = list(read_suggestions(self.path))
        with self.path.open("rb") as lines:
            self._lines = sum(1 for _ in lines)
        return found

    def append(self, suggestion: Suggestion) -> Suggestion:
        """Write a suggestion; it comes back with its line."""
        record = {
            "time": suggestion.time, "q": suggestion.text, "s": suggestion.translation,
            "source": suggestion.source, "target": suggestion.target,
        }  # fmt: skip
        line = json.dumps(record, ensure_ascii=False).encode() + b"\n"
        with self._lock, naming(self.path):
            new = not self.path.exists()
            with self.path.open("ab+") as file:
                if file.tell() and _last_byte(file.fileno(), file.tell()) != b"\n":
                    line = b"\n" + line  # behind a torn one
                file.write(line)
                file.flush()
                os.fsync(file.fileno())
            if new:
                _sync_folder(self.path.parent)
            self._lines += 1
            return replace(suggestion, line=self._lines)


def _last_byte(descriptor: int, size: int) -> bytes:
    return os.pread(descriptor, 1, size - 1)


def _sync_folder(folder: Path) -> None:
    """A new file is there after a power cut only if its folder was written, too."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def latest(suggestions: Iterable[Suggestion]) -> list[Suggestion]:
    """The last suggestion for each message."""
    last = {plain_spaces(each.text): each for each in suggestions}
    return [each for key, each in last.items() if key]


def with_suggestions(bitext: Bitext, path: Path) -> tuple[Bitext, int]:
    """A bitext that has learned from a file of suggestions, and how many it took.

    Other translations of these messages are left out: what users correct is not to be repeated.
    """
    from demotic.corpus.storage import BitextWriter

    source, target = bitext.source_language, bitext.target_language
    chosen = latest(each for each in read_suggestions(path) if each.serves(source, target))
    if not chosen:
        return bitext, 0
    known = {plain_spaces(each.text): each.translation for each in chosen}

    def kept(pair: Pair) -> bool:
        return known.get(plain_spaces(pair.source), pair.target) == pair.target

    names = {name for batch in bitext.batches() for name in batch.column("file").to_pylist()}
    writer = BitextWriter([*sorted(names), str(path)])
    for file, pairs in groupby(filter(kept, bitext), key=lambda pair: pair.file):
        _add(writer, ((pair.source, pair.target, pair.unit) for pair in pairs), file)
    _add(writer, ((each.text, each.translation, str(each.line)) for each in chosen), str(path))
    return bitext.like(writer.finish()), len(chosen)


def _add(writer: BitextWriter, rows: Iterable[Row], file: str) -> None:
    for _ in writer.add(rows, file):
        pass
