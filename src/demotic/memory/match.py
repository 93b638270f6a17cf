"""What a memory has for a sentence, and where it has it from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from demotic.files import place_of

Kind = Literal["exact", "substituted", "mended", "similar", "repaired"]


@dataclass(frozen=True)
class Piece:
    """Words that a stored message and a sentence share, or that differ."""

    stored: tuple[str, ...]
    given: tuple[str, ...]

    @property
    def same(self) -> bool:
        """Do both have the same words here?"""
        return self.stored == self.given

    def __str__(self) -> str:
        if self.same:
            return " ".join(self.given)
        return f"[-{' '.join(self.stored)}-]{{+{' '.join(self.given)}+}}"


@dataclass(frozen=True)
class Match:
    """A translation from the memory."""

    kind: Kind
    """``exact``: the same message; ``substituted``: with other numbers, placeholders or tags;
    ``mended``: in another case or with another mark at its end; ``similar``: with other words;
    ``repaired``: the same, where the decoder translated these."""
    text: str
    """The translation for the sentence."""
    source: str
    """The message as it is stored."""
    target: str
    """Its translation as it is stored."""
    similarity: float
    """1, or the share of words that need not be changed."""
    count: int
    """How often this message was translated so."""
    file: str
    unit: str
    difference: tuple[Piece, ...] = ()
    """Where the words differ, from left to right."""

    @property
    def place(self) -> str:
        """Where it stands in the training data: the end of the file's path, and the unit."""
        return place_of(self.file, self.unit)

    def marked(self) -> str:
        """The stored message with what differs marked: ``delete the [-file-]{+page+}``."""
        return " ".join(map(str, self.difference)) or self.source

    def _repr_html_(self) -> str:
        from demotic.notebook import card, outline

        return card(
            self.text, outline(f"{self.kind}, {self.similarity:.0%}: {self.marked()}\n{self.place}")
        )

    def to_record(self) -> dict[str, Any]:
        """Everything in plain lists and dicts, for JSON."""
        record = asdict(self)
        if not self.difference:
            del record["difference"]
        return record


def difference(stored: Sequence[str], given: Sequence[str]) -> tuple[Piece, ...]:
    """Where two messages have the same words and where they differ.

    >>> print(*difference("open the old file".split(), "open the page now".split()))
    open the [-old file-]{+page now+}
    """
    from difflib import SequenceMatcher

    codes = SequenceMatcher(None, stored, given, autojunk=False).get_opcodes()
    return tuple(Piece(tuple(stored[a:b]), tuple(given[c:d])) for _, a, b, c, d in codes)
