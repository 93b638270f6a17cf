"""What filling in a document did: where translations come from, and which to look at first."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any

from demotic.documents.document import Document, Fill, Segment, State

if TYPE_CHECKING:
    from demotic.systems.translator import Translation


@dataclass(frozen=True)
class Filled:
    """A segment's translation, and those of its sentences."""

    fill: Fill
    sentences: tuple[Translation, ...]
    sure: float | None = None
    """The probability that it needs no edit, of those that were translated."""

    @property
    def unknown(self) -> int:
        """Words that the model did not know and left as they were."""
        return sum(
            round(abs(each.derivation.features.get("PassThrough", 0.0)))
            for each in self.sentences
            if each.derivation is not None
        )

    @property
    def score(self) -> float:
        """The model's score per word, which tells segments of one file apart."""
        words = sum(len(each.tokens) for each in self.sentences)
        return sum(each.score for each in self.sentences) / max(words, 1)


@dataclass
class Report:
    """Segments by what became of them."""

    format: str
    segments: list[Segment]
    filled: dict[int, Filled] = field(default_factory=dict)

    @staticmethod
    def of(document: Document) -> Report:
        return Report(document.format, document.segments)

    def add(self, number: int, filled: Filled) -> None:
        self.filled[number] = filled

    @property
    def counts(self) -> dict[str, int]:
        """Segments of each kind, kinds without any left out."""
        found: Counter[str] = Counter()
        for number, segment in enumerate(self.segments):
            if number in self.filled:
                found[_ORIGINS[self.filled[number].fill.origin]] += 1
            elif segment.state is State.done:
                found["kept as they were"] += 1
            elif segment.state is State.draft:
                found["drafts, kept for review"] += 1
        return dict(found)

    def first_to_look_at(self, most: int = 20) -> list[int]:
        """Filled segments: those the model is least sure of first.

        A model that cannot tell how sure it is goes by unknown words, then by its scores.
        """
        return sorted(self.filled, key=lambda i: (*self._trust(i), i))[:most]

    def _trust(self, number: int) -> tuple[float, ...]:
        filled = self.filled[number]
        if filled.fill.origin == "memory":
            return (1.0,)
        if filled.sure is not None:
            return (filled.sure,)
        return (-self._doubts(number), filled.score)

    def _doubts(self, number: int) -> float:
        words = len(self.segments[number].source.text.split())
        return round(self.filled[number].unknown / max(words, 1), 2)

    def lines(self) -> list[str]:
        """For a terminal."""
        counts = ", ".join(f"{count:,} {name}" for name, count in self.counts.items())
        said = [f"{len(self.segments):,} segments ({self.format}): {counts or 'nothing to do'}"]
        unknown = sum(1 for each in self.filled.values() if each.unknown)
        if unknown:
            said.append(
                f"{unknown:,} with words that the model does not know; look at these first:"
            )
            for number in self.first_to_look_at(5):
                if self.filled[number].unknown:
                    segment = self.segments[number]
                    text = self.filled[number].fill.target.text
                    said.append(
                        f"  line {segment.line}: {_short(segment.source.text)} -> {_short(text)}"
                    )
        return said

    def record(self) -> dict[str, Any]:
        """For programs."""
        return {
            "format": self.format,
            "counts": self.counts,
            "segments": [self._segment(number) for number in range(len(self.segments))],
            "first_to_look_at": self.first_to_look_at(len(self.filled)),
        }

    def _segment(self, number: int) -> dict[str, Any]:
        segment = self.segments[number]
        record: dict[str, Any] = {
            "line": segment.line,
            "key": segment.key,
            "source": segment.source.text,
            "target": segment.target,
            "state": segment.state.value,
        }
        if number in self.filled:
            filled = self.filled[number]
            record |= {
                "target": filled.fill.target.text,
                "origin": filled.fill.origin,
                "score": round(filled.score, 4),
                "unknown_words": filled.unknown,
            }
            if filled.sure is not None:
                record["needs_no_edit"] = round(filled.sure, 3)
        return record

    def json(self) -> str:
        return json.dumps(self.record(), ensure_ascii=False, indent=1) + "\n"

    def html(self, name: str) -> str:
        """A page: the figures, then what was filled in, the most doubtful first."""
        from demotic.page import document, table

        counts = table(["segments", ""], [[f"{n:,}", name] for name, n in self.counts.items()])
        rows = "".join(self._row(number) for number in self.first_to_look_at(len(self.filled)))
        body = (
            f"<p>{escape(self.format)}, {len(self.segments):,} segments.</p>{counts}"
            "<h2>Filled in, the most doubtful first</h2>"
            "<table class=filled><tr><th>line</th><th>source</th><th>translation</th><th></th></tr>"
            f"{rows}</table>"
        )
        return document(name, body, style=_STYLE)

    def _row(self, number: int) -> str:
        segment, filled = self.segments[number], self.filled[number]
        unknown = f"{filled.unknown} unknown" if filled.unknown else ""
        sure = f"{filled.sure:.0%} sure" if filled.sure is not None else ""
        said = [_ORIGINS[filled.fill.origin], sure, unknown]
        return (
            f"<tr><td>{segment.line}</td><td dir=auto>{escape(segment.source.text)}</td>"
            f"<td dir=auto>{escape(filled.fill.target.text)}</td>"
            f"<td>{escape(', '.join(filter(None, said)))}</td></tr>"
        )


_ORIGINS = {
    "memory": "from memory",
    "fuzzy": "by a similar match",
    "translated": "translated",
}
_STYLE = "table.filled { width:100%; } table.filled td { white-space:pre-wrap; }"


def _short(text: str, most: int = 60) -> str:
    text = " ".join(text.split())
    return text if len(text) <= most else text[: most - 1] + "…"
