"""A document: segments to translate, and how it is written again with their translations.

    document = open_document("app.po")
    for number, segment in enumerate(document.segments):
        if segment.state is State.empty:
            filled[number] = Fill(Inline(translate(segment.source.text)))
    data = document.filled(filled)               # bytes; what was not filled is as it was

A reader finds segments and remembers where in the text each translation goes.  Writing replaces
these places and nothing else, so that what is untouched comes back byte for byte, whatever a
format allows.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import ClassVar, Literal

from demotic.documents.encoded_text import EncodedText
from demotic.documents.inline import Inline


class State(StrEnum):
    """Of a segment in the file as it is."""

    empty = "empty"
    """No translation yet."""
    draft = "draft"
    """One that somebody has to look at."""
    done = "done"


Origin = Literal["memory", "fuzzy", "translated"]


@dataclass(frozen=True)
class Fill:
    """A translation to write, and where it comes from."""

    target: Inline
    origin: Origin = "translated"
    similarity: float = 0.0
    """Of a match in the memory, from 0 to 1."""


@dataclass(frozen=True)
class Segment:
    """A piece of text with a place of its own."""

    source: Inline
    line: int
    key: str = ""
    """What the file calls it: a message's context, a unit's id, a path of keys."""
    state: State = State.empty
    target: str = ""
    """The plain text of its translation so far."""
    note: str = ""
    """What the file says about it to translators."""
    width: int = 0
    """Lines of the translation have at most so many characters; 0: as many as they like."""


@dataclass(frozen=True)
class Edit:
    """Characters to replace."""

    start: int
    end: int
    new: str


Writer = Callable[[Fill], Sequence[Edit]]


class Document(ABC):
    """What every format has."""

    format: ClassVar[str]
    """Its name, as ``--as`` takes it."""
    bilingual: ClassVar[bool] = False
    """Whether the file holds both languages; others become files of the other language."""
    segments: list[Segment]

    @abstractmethod
    def filled(self, fills: Mapping[int, Fill]) -> bytes:
        """The document with translations of some segments, by their number."""


@dataclass
class Slot:
    """A segment, and what replaces what when it is filled."""

    segment: Segment
    write: Writer


@dataclass
class TextDocument(Document):
    """A document of one text, in which edits replace characters."""

    path: Path
    encoded: EncodedText
    slots: list[Slot] = field(default_factory=list)
    target_language: str = ""

    @property
    def text(self) -> str:
        return self.encoded.text

    @property
    def segments(self) -> list[Segment]:  # type: ignore[override]  # no two lists to keep in step
        return [slot.segment for slot in self.slots]

    def line_of(self, place: int) -> int:
        return self.text.count("\n", 0, place) + 1

    def filled(self, fills: Mapping[int, Fill]) -> bytes:
        edits = [edit for number in sorted(fills) for edit in self._edits(number, fills[number])]
        return self.encoded.encode(apply(self.text, edits), self.path)

    def _edits(self, number: int, fill: Fill) -> Sequence[Edit]:
        return self.slots[number].write(fill)


def apply(text: str, edits: Sequence[Edit]) -> str:
    """The text after the edits, which must not overlap; equal ones count once.

    Those at one place come in the order in which they are given.
    """
    parts: list[str] = []
    at = 0
    for edit in sorted(dict.fromkeys(edits), key=lambda edit: (edit.start, edit.end)):
        assert edit.start >= at, "edits overlap"
        parts += (text[at : edit.start], edit.new)
        at = edit.end
    parts.append(text[at:])
    return "".join(parts)
