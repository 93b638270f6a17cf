"""Markdown: paragraphs, headings, items of lists, quotations and cells of tables.

Front matter, code, HTML blocks, reference definitions and the marks at the beginnings of lines
stay as they are.  Emphasis, links and code within a line are codes.  A paragraph of several lines
is translated as one and broken again at about the same width.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from demotic.documents.document import Edit, Fill, Segment, Slot, TextDocument, Writer
from demotic.documents.encoded_text import decode
from demotic.documents.inline import Inline, InlineBuilder, stripped
from demotic.documents.prose import is_prose
from demotic.documents.wrapping import wrapped

_FENCE = re.compile(r"[ \t>]*(`{3,}|~{3,})")
_PREFIX = re.compile(
    r"(?:[ \t]*>)*[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(?:\[[ xX]\][ \t]+)?(?:#{1,6}[ \t]+)?"
)
_RULE = re.compile(r"[ \t>]*(?:(?:[-*_][ \t]*){3,}|=+[ \t]*|-+[ \t]*)")
_TABLE_RULE = re.compile(r"[ \t>]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*")
_DEFINITION = re.compile(r"[ \t]{0,3}\[[^\]\n]+\]:[ \t]*\S.*")
_HTML = re.compile(r"[ \t]{0,3}<(?:[a-zA-Z!/?])")
_CODE_LINE = re.compile(r"(?: {4}|\t)")
_SPAN = re.compile(
    r"(?P<code>(?P<ticks>`+)(?!`).+?(?<!`)(?P=ticks)(?!`))"
    r"|(?P<auto><[a-zA-Z][\w+.-]*:[^\s<>]*>|<[^\s<>@]+@[^\s<>]+>)"
    r"|(?P<tag><(?P<slash>/?)(?P<name>[a-zA-Z][\w-]*)[^<>\n]*>)"
    r"|(?P<image>!\[[^\]\n]*\](?:\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)|\[[^\]\n]*\]))"
    r"|(?P<link>\[)(?=[^\[\]\n]*\](?:\(|\[))"
    r"|(?P<target>\](?:\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)|\[[^\]\n]*\]))"
    r"|(?P<note>\[\^[^\]\n]+\])"
    r"|(?P<mark>\*{1,3}|~~|(?<!\w)_{1,2}(?=\S)|(?<=\S)_{1,2}(?!\w))"
    r"|\\(?P<escaped>[!-/:-@\[-`{-~])"
)


@dataclass(frozen=True)
class _Line:
    start: int
    text: str  # without its line end


class MarkdownDocument(TextDocument):
    """A text of one language; it becomes one of another."""

    format: ClassVar[str] = "markdown"

    @classmethod
    def read(cls, data: bytes, path: Path, target_language: str = "") -> MarkdownDocument:
        document = cls(path, decode(data, path))
        for block in _blocks(document.text):
            document._add(block)
        return document

    def _add(self, block: list[_Line]) -> None:
        first = block[0]
        prefix = _PREFIX.match(first.text)
        lead = prefix.end() if prefix else 0
        if len(block) == 1 and "|" in first.text[lead:] and first.text.lstrip(" >")[:1] == "|":
            for start, end in _cells(first):
                self._add_text(start, end, self.text[start:end], "", 0)
            return
        parts = [first.text[lead:]]
        indents = [
            line.text[: len(line.text) - len(line.text.lstrip(" \t>"))] for line in block[1:]
        ]
        parts += [line.text[len(gap) :] for line, gap in zip(block[1:], indents, strict=True)]
        start = first.start + lead
        end = block[-1].start + len(block[-1].text.rstrip())
        # Two spaces or a backslash at a line's end break it: such lines are translated one by one.
        if any(part.endswith(("  ", "\\")) for part in parts[:-1]):
            for line, part in zip(block, parts, strict=True):
                begin = line.start + len(line.text) - len(part)
                bare = part.rstrip().rstrip("\\")
                self._add_text(begin, begin + len(bare), bare, "", 0)
            return
        width = max(len(line.text) for line in block) if len(block) > 1 else 0
        newline = "\r\n" if "\r\n" in self.text[start:end] else "\n"
        indent = newline + (indents[0] if indents else "")
        self._add_text(start, end, " ".join(part.strip() for part in parts), indent, width)

    def _add_text(self, start: int, end: int, text: str, indent: str, width: int) -> None:
        lead, source, trail = stripped(_inline(text))
        if is_prose(source.text):
            segment = Segment(source, self.line_of(start), width=width)
            self.slots.append(Slot(segment, _writer(start, end, lead, trail, indent, width)))


def _blocks(text: str) -> Iterator[list[_Line]]:
    """Lines that belong together, without those that are no text."""
    lines: list[_Line] = []
    at = 0
    for whole in text.split("\n"):
        lines.append(_Line(at, whole.rstrip("\r")))
        at += len(whole) + 1
    number = _front_matter(lines)
    block: list[_Line] = []
    after_blank = True
    while number < len(lines):
        line = lines[number]
        bare = line.text.strip(" \t>")
        if fence := _FENCE.match(line.text):
            if block:
                yield block
            block, number = [], _fence_end(lines, number, fence[1])
            after_blank = True
        elif not bare or _is_no_text(line, after_blank=after_blank and not block):
            if block:
                yield block
            block = []
            after_blank = not bare
            if bare and _HTML.match(line.text):
                while number + 1 < len(lines) and lines[number + 1].text.strip():
                    number += 1
        else:
            begins = bool(_marker(line.text)) or bare.startswith("|")
            if block and (begins or _marker(block[-1].text).rstrip().endswith("#")):
                yield block
                block = []
            block.append(line)
            after_blank = False
        number += 1
    if block:
        yield block


def _marker(text: str) -> str:
    """The mark of a heading or an item at a line's beginning."""
    prefix = _PREFIX.match(text)
    return prefix[0].strip(" \t>") if prefix else ""


def _is_no_text(line: _Line, *, after_blank: bool) -> bool:
    text = line.text
    return bool(
        _RULE.fullmatch(text)
        or ("-" in text and _TABLE_RULE.fullmatch(text))
        or _DEFINITION.fullmatch(text)
        or _HTML.match(text)
        or (after_blank and _CODE_LINE.match(text) and not _marker(text))
    )


def _front_matter(lines: list[_Line]) -> int:
    """The first line behind YAML or TOML at the top of a file."""
    if lines and lines[0].text.strip() in ("---", "+++"):
        for number in range(1, len(lines)):
            if lines[number].text.strip() == lines[0].text.strip():
                return number + 1
    return 0


def _fence_end(lines: list[_Line], number: int, fence: str) -> int:
    for last in range(number + 1, len(lines)):
        bare = lines[last].text.strip(" \t>")
        if bare.startswith(fence) and not bare.strip(fence[0]):
            return last
    return len(lines)


def _cells(line: _Line) -> Iterator[tuple[int, int]]:
    """The places of the texts in a row of a table."""
    for cell in re.finditer(r"(?:\\.|[^|\\])+", line.text):
        bare = cell[0].strip()
        if bare:
            start = line.start + cell.start() + cell[0].index(bare)
            yield start, start + len(bare)


def _inline(text: str) -> Inline:
    built = InlineBuilder()
    at = 0
    open_marks: list[str] = []
    for found in _SPAN.finditer(text):
        built.text(text[at : found.start()])
        at = found.end()
        raw = found[0]
        if found["escaped"] is not None:
            built.text(found["escaped"])
        elif found["link"]:
            built.begin(raw, "link")
        elif found["target"]:
            built.end(raw, "link")
        elif found["tag"]:
            name = f"<{found['name'].lower()}"
            (built.end if found["slash"] else built.begin)(raw, name)
        elif found["mark"]:
            if raw in open_marks:
                del open_marks[open_marks.index(raw) :]
                built.end(raw, raw)
            elif text[at : at + 1].strip():
                open_marks.append(raw)
                built.begin(raw, raw)
            else:  # a lone asterisk
                built.text(raw)
        else:
            built.point(raw)
    built.text(text[at:])
    return built.finish()


_SPECIAL = re.compile(r"([\\`*\[\]<>])")


def _writer(start: int, end: int, lead: str, trail: str, indent: str, width: int) -> Writer:
    def write(fill: Fill) -> Sequence[Edit]:
        target = fill.target
        if width:
            target = Inline(wrapped(target.text, max(width - len(indent), 20)), target.codes)
        text = target.rendered(lambda plain: _SPECIAL.sub(r"\\\1", plain))
        return [Edit(start, end, f"{lead}{text}{trail}".replace("\n", indent or " "))]

    return write
