"""What every reader is asked for and what it finds out on the way.

A reader is a generator function: it takes a ``Reading`` and yields one ``Row`` per sentence pair,
while the file streams past.  Units that hold no usable pair are counted by reason.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from demotic.corpus.language import matches
from demotic.errors import FormatError

_LINES = 5  # that are named

Row = tuple[str, str, str]
"""Source sentence, target sentence, unit: the place in the file (line number or unit's name)."""


@dataclass
class Reading:
    """One file being read."""

    path: str
    source: str | None
    target: str | None
    skipped: Counter[str] = field(default_factory=Counter)
    languages: dict[str, None] = field(default_factory=dict)  # seen in the file, in order
    strict: bool = False
    """Lines that cannot be used are an error."""
    lines: dict[str, list[int]] = field(default_factory=dict)
    """The first lines that were skipped, by reason."""

    def skip(self, reason: str, line: int) -> None:
        """Note a line that holds no usable pair."""
        self.skipped[reason] += 1
        first = self.lines.setdefault(reason, [])
        if len(first) < _LINES:
            first.append(line)

    def told(self) -> str:
        """What was skipped where, for people: ``3 too few columns (lines 2, 5, 9)``."""
        parts = []
        for reason, lines in self.lines.items():
            count = self.skipped[reason]
            more = ", ..." if count > len(lines) else ""
            word = "line" if count == 1 else "lines"
            parts.append(f"{count:,} {reason} ({word} {', '.join(map(str, lines))}{more})")
        return ", ".join(parts)

    def saw(self, language: str) -> None:
        """Note a language for the message in case that nothing fits."""
        if len(self.languages) < 100:
            self.languages[language] = None

    def direction(self, source: str, target: str) -> int:
        """1 if the file's languages are those asked for, -1 if the other way round, 0 if others.

        What was not asked for is taken from the file.
        """
        if self._fits(source, target):
            self.source, self.target = self.source or source, self.target or target
            return 1
        if self._fits(target, source):
            self.source, self.target = self.source or target, self.target or source
            return -1
        return 0

    def _fits(self, source: str, target: str) -> bool:
        return (self.source is None or not source or matches(self.source, source)) and (
            self.target is None or not target or matches(self.target, target)
        )

    def nothing_found(self) -> FormatError:
        """The error for a file without a single pair: why that may be."""
        reasons = [f"{count} {reason}" for reason, count in sorted(self.skipped.items())]
        message = "no sentence pairs" + (f" ({', '.join(reasons)})" if reasons else "")
        remedy = "give a file with translations"
        if self.languages:
            message += f" in {self.source or 'any language'} and {self.target or 'another'}"
            remedy = f"the languages in the file are {', '.join(self.languages)}"
        return FormatError(message, path=self.path, remedy=remedy)
