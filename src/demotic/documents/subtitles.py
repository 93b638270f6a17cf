"""SubRip subtitles (``.srt``): numbers and times stay; a cue gets no more lines than it has."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from demotic.documents.document import Edit, Fill, Segment, Slot, TextDocument, Writer
from demotic.documents.encoded_text import decode
from demotic.documents.inline import Inline, InlineBuilder
from demotic.documents.wrapping import balanced
from demotic.errors import FormatError

_TIMES = re.compile(r"[ \t]*\d+:\d\d:\d\d[,.]\d+[ \t]*-->[ \t]*\d+:\d\d:\d\d[,.]\d+[^\n]*")
_TAG = re.compile(r"<(/?)([a-zA-Z]+)[^<>\n]*>|\{\\[^{}\n]*\}")


class SubtitleDocument(TextDocument):
    """Cues of one language; they become those of another."""

    format: ClassVar[str] = "srt"

    @classmethod
    def read(cls, data: bytes, path: Path, target_language: str = "") -> SubtitleDocument:
        document = cls(path, decode(data, path))
        document._collect()
        return document

    def _collect(self) -> None:
        lines = self.text.split("\n")
        starts = [0]
        for line in lines:
            starts.append(starts[-1] + len(line) + 1)
        times = [number for number, line in enumerate(lines) if _TIMES.fullmatch(line.rstrip("\r"))]
        if not times:
            raise FormatError("subtitles without a single time", path=self.path, line=1)
        for number, following in zip(times, [*times[1:], len(lines)], strict=True):
            end = number + 1
            while end < following and lines[end].strip():
                end += 1
            if end == following < len(lines) and end > number + 1 and _is_number(lines[end - 1]):
                end -= 1  # of the next cue, without a blank line before it
            body = lines[number + 1 : end]
            if not "".join(body).strip():
                continue
            start = starts[number + 1]
            stop = starts[end - 1] + len(lines[end - 1].rstrip("\r"))
            newline = "\r\n" if self.text[start:stop].find("\r\n") >= 0 else "\n"
            text = " ".join(line.strip() for line in body)
            key = lines[number - 1].strip() if number else ""
            segment = Segment(_inline(text), number + 2, key)
            self.slots.append(Slot(segment, _writer(start, stop, len(body), newline)))


def _is_number(line: str) -> bool:
    return line.strip().isdecimal()


def _inline(text: str) -> Inline:
    built = InlineBuilder()
    at = 0
    for tag in _TAG.finditer(text):
        built.text(text[at : tag.start()])
        if tag[2] is None:
            built.point(tag[0])
        elif tag[1]:
            built.end(tag[0], tag[2].lower())
        else:
            built.begin(tag[0], tag[2].lower())
        at = tag.end()
    built.text(text[at:])
    return built.finish()


def _writer(start: int, stop: int, lines: int, newline: str) -> Writer:
    def write(fill: Fill) -> Sequence[Edit]:
        broken = balanced(fill.target.text, lines)
        text = Inline(broken, fill.target.codes).rendered(str)
        return [Edit(start, stop, text.replace("\n", newline))]

    return write
