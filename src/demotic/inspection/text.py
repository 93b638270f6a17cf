"""Plain text, tables and alignments: counted line by line, whatever is wrong with them."""

from __future__ import annotations

import codecs
import re
from collections import Counter
from pathlib import Path

from demotic.files import raw_lines
from demotic.inspection.report import Fact

_BORDERS = (0, 1, 2, 5, 10, 20, 40, 80, 160)  # upper ends of the histogram's bars
_SHOWN = 10  # line numbers named of each problem
_CONTROL = re.compile(rb"[\x01-\x08\x0b\x0c\x0e-\x1f\x7f]")

Findings = tuple[dict[str, Fact], list[str], list[str]]
"""Facts, remarks, problems."""


class Lines:
    """Line numbers on which something was seen."""

    def __init__(self) -> None:
        self.count = 0
        self._first: list[int] = []

    def add(self, line: int) -> None:
        self.count += 1
        if len(self._first) < _SHOWN:
            self._first.append(line)

    def __str__(self) -> str:
        noun = "line" if self.count == 1 else "lines"
        more = ", ..." if self.count > len(self._first) else ""
        return f"{noun} {', '.join(map(str, self._first))}{more}"


class Encoding:
    """Collects what is odd or wrong about the bytes of a text."""

    def __init__(self) -> None:
        self.bom = False
        self._invalid, self._nul, self._crlf = Lines(), Lines(), Lines()
        self._control, self._replaced = Lines(), Lines()

    def look(self, number: int, line: bytes) -> bytes:
        """Take note of one line; the line without a byte-order mark and carriage return."""
        if number == 1 and line.startswith(codecs.BOM_UTF8):
            self.bom = True
            line = line.removeprefix(codecs.BOM_UTF8)
        if line.endswith(b"\r"):
            self._crlf.add(number)
            line = line[:-1]
        if not line.isascii():
            try:
                line.decode()
            except UnicodeDecodeError:
                self._invalid.add(number)
            if b"\xef\xbf\xbd" in line:
                self._replaced.add(number)
        if b"\0" in line:
            self._nul.add(number)
        if _CONTROL.search(line):
            self._control.add(number)
        return line

    def remarks(self) -> list[str]:
        """What is odd and yet can be read."""
        found = ["begins with a byte-order mark"] if self.bom else []
        for lines, what in (
            (self._crlf, "Windows line ends"),
            (self._control, "control characters"),
            (self._replaced, "replacement characters (U+FFFD), the mark of earlier damage"),
        ):
            if lines.count:
                found.append(f"{what} on {lines.count:,} of the lines: {lines}")
        return found

    def problems(self) -> list[str]:
        """What no other command will read."""
        found = []
        if self._invalid.count:
            found.append(f"invalid UTF-8 on {self._invalid.count:,} of the lines: {self._invalid}")
        if self._nul.count:
            found.append(f"NUL bytes on {self._nul.count:,} of the lines: {self._nul}")
        return found


class Lengths:
    """Tokens per line: how many, how long, how they are spread."""

    def __init__(self) -> None:
        self.lines = self.tokens = self.empty = self.longest = self.longest_line = 0
        self._types: set[bytes] = set()
        self._bars: Counter[int] = Counter()

    def add(self, line: bytes) -> None:
        words = line.split()
        self.lines += 1
        self.tokens += len(words)
        self.empty += not words
        self._types.update(words)
        self._bars[next((b for b in _BORDERS if len(words) <= b), _BORDERS[-1] + 1)] += 1
        if len(words) > self.longest:
            self.longest, self.longest_line = len(words), self.lines

    @property
    def types(self) -> int:
        """Different tokens."""
        return len(self._types)

    def facts(self) -> dict[str, Fact]:
        mean = self.tokens / self.lines if self.lines else 0.0
        return {
            "lines": self.lines,
            "empty lines": self.empty,
            "tokens": self.tokens,
            "types": self.types,
            "tokens per line": round(mean, 3),
            "longest line": f"{self.longest_line:,} ({self.longest:,} tokens)",
            "lines by tokens": self._histogram(),
        }

    def _histogram(self) -> dict[str, int]:
        bars: dict[str, int] = {}
        below = -1
        for border in _BORDERS:
            name = str(border) if border == below + 1 else f"{below + 1}-{border}"
            if self._bars[border]:
                bars[name] = self._bars[border]
            below = border
        if self._bars[below + 1]:
            bars[f"{below + 1}+"] = self._bars[below + 1]
        return bars


def inspect_text(path: str | Path) -> Findings:
    """Lines, tokens, types, lengths."""
    encoding, lengths = Encoding(), Lengths()
    for number, line in raw_lines(path):
        lengths.add(encoding.look(number, line))
    return lengths.facts(), encoding.remarks(), _problems(encoding, lengths)


def inspect_tsv(path: str | Path) -> Findings:
    """Columns, and the tokens of each."""
    encoding, lengths = Encoding(), Lengths()
    widths: Counter[int] = Counter()
    columns: list[Lengths] = []
    for number, line in raw_lines(path):
        line = encoding.look(number, line)
        lengths.add(line)
        cells = line.split(b"\t")
        widths[len(cells)] += 1
        while len(columns) < min(len(cells), 100):
            columns.append(Lengths())
        for cell, column in zip(cells, columns, strict=False):
            column.add(cell)
    facts: dict[str, Fact] = {
        "lines": lengths.lines,
        "columns": {f"{width} columns": count for width, count in sorted(widths.items())},
        "tokens by column": {f"column {n}": c.tokens for n, c in enumerate(columns, 1)},
        "empty cells by column": {f"column {n}": c.empty for n, c in enumerate(columns, 1)},
    }
    remarks = encoding.remarks()
    if len(widths) > 1:
        remarks.append("not every line has the same number of columns")
    return facts, remarks, _problems(encoding, lengths)


def _problems(encoding: Encoding, lengths: Lengths) -> list[str]:
    return encoding.problems() + ([] if lengths.lines else ["is empty"])
