"""A sentence as a model sees it, and what is needed to write its translation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from demotic.corpus.casing import Style
from demotic.corpus.layout import PLAIN, Layout
from demotic.corpus.protect import Span

Case = Literal["upper", "title"]


@dataclass(frozen=True, slots=True)
class Encoded:
    """A sentence as a model sees it, and what is needed to write its translation."""

    tokens: tuple[str, ...]
    spans: tuple[Span, ...] = ()
    style: Style = "unknown"
    layout: Layout = PLAIN
    cases: tuple[tuple[int, Case], ...] = ()
    """Tokens that stand for words in another case, which their translations get back."""
    zones: tuple[tuple[int, int], ...] = ()
    """Tokens (first, end) that somebody wants to stay together."""
    walls: tuple[int, ...] = ()
    """Tokens before which a wall stands that nothing may cross."""

    def __str__(self) -> str:
        return " ".join(self.tokens)
