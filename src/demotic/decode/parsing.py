"""What decoders ask of the forest of a synchronous grammar, whatever they do with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from demotic.decode.core_decoder import check_positive
from demotic.errors import ArgumentError, check_choices


@dataclass(frozen=True, kw_only=True)
class ParseOptions:
    """How to parse."""

    span_limit: int = 10
    """Source words that a nonterminal other than the goal may cover."""
    max_edges: int = 5_000_000
    """Edges of one sentence's forest; bounds memory.  For a very long sentence that would need more
    the span limit falls (10, 5, 2, 1)."""
    glue: Literal["auto", "always", "never"] = "auto"
    """``auto`` glues pieces together where the grammar has no derivation of its own."""
    goal: str = "S"
    """The category of a sentence; a grammar may have rules for it."""
    default_category: str = "X"
    """The category of words that no rule translates alone: they pass through as they are."""
    zones: bool = True
    """Keep together what stands between brackets, quotation marks or tags, and paragraphs apart."""

    def __post_init__(self) -> None:
        check_choices(self)
        check_positive(self, "span_limit", "max_edges")
        if self.goal == self.default_category:
            raise ArgumentError("the goal and the default category must have different names")

    @property
    def lowered(self) -> str:
        """What is lowered for a very long sentence, and why."""
        return f"span limit to stay within {self.max_edges:,} edges"
