r"""Regular expressions with Unicode properties and possessive repeats, compiled when first used.

    _WORD = Pattern(r"[\p{L}\p{M}]++")
    _WORD.fullmatch("été")

To import ``regex`` and to compile what cuts and protects text takes longer than to load a model;
who translates tokenised text, or only looks at a model, never does.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cached_property


class Pattern:
    """A pattern; flags stand at its beginning: ``(?xV1)``."""

    def __init__(self, text: str) -> None:
        self._text = text

    # Each is looked up once and then costs what a method of the compiled pattern costs.

    @cached_property
    def search(self) -> Callable[[str], re.Match[str] | None]:
        """The first match anywhere, or None."""
        return self._compiled.search

    @cached_property
    def match(self) -> Callable[..., re.Match[str] | None]:
        """A match at the beginning, or where a second argument says, or None."""
        return self._compiled.match

    @cached_property
    def fullmatch(self) -> Callable[[str], re.Match[str] | None]:
        """A match of the whole text, or None."""
        return self._compiled.fullmatch

    @cached_property
    def finditer(self) -> Callable[[str], Iterator[re.Match[str]]]:
        """Every match from left to right."""
        return self._compiled.finditer

    @cached_property
    def findall(self) -> Callable[[str], list[str]]:
        """The text of every match."""
        return self._compiled.findall

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        import regex

        compiled: re.Pattern[str] = regex.compile(self._text)
        return compiled
