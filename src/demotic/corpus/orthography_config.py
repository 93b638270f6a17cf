"""The choices of an orthography; saved with it in full."""

from __future__ import annotations

from dataclasses import dataclass

from demotic.corpus.casing import MODES, Mode
from demotic.corpus.compounds import CompoundOptions
from demotic.corpus.protect import KINDS
from demotic.corpus.segment import METHODS
from demotic.errors import ArgumentError

TOKENISERS = ("reversible", "moses", "none")
COMPOUNDS = ("off", "on", "auto")
FALLBACKS = ("case", "letters", "clitics", "parts")


@dataclass(frozen=True)
class OrthographyConfig:
    """How text of one language is split into tokens."""

    tokeniser: str = "reversible"
    """``reversible`` (marked tokens, exact round trip), ``moses`` (as sacremoses), or ``none`` (the
    text has spaces between its tokens already)."""
    casing: Mode = "truecase"
    """What becomes of capital letters."""
    compounds: str = "off"
    """Split compounds: ``off``, ``on``, or ``auto`` (on for languages and texts that have them, see
    docs/text.md)."""
    segment: str = "auto"
    """For scripts without spaces: ``characters``, ``jieba`` or ``auto``."""
    protect: tuple[str, ...] = KINDS
    """Kinds of spans that pass through unchanged."""
    fallback: tuple[str, ...] = FALLBACKS
    """What a word that a model cannot translate may become before it is decoded: a word in another
    ``case``, with other ``letters``, a clitic in full (``clitics``), its ``parts``."""
    compound_options: CompoundOptions | None = None
    """What counts as a part of a compound; by default what suits the language."""

    def __post_init__(self) -> None:
        for name, value, choices in (
            ("tokeniser", self.tokeniser, TOKENISERS),
            ("casing", self.casing, MODES),
            ("compounds", self.compounds, COMPOUNDS),
            ("segment", self.segment, METHODS),
        ):
            if value not in choices:
                raise ArgumentError(
                    f"unknown {name}: {value!r}", remedy=f"choose one of {', '.join(choices)}"
                )
        if unknown := set(self.protect) - set(KINDS):
            raise ArgumentError(
                f"cannot protect {', '.join(sorted(unknown))}",
                remedy=f"choose from {', '.join(KINDS)}",
            )
        if unknown := set(self.fallback) - set(FALLBACKS):
            raise ArgumentError(
                f"no word falls back to {', '.join(sorted(unknown))}",
                remedy=f"choose from {', '.join(FALLBACKS)}",
            )
