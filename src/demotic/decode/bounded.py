"""Sentences whose reordering has limits.

    decoder.decode(Bounded(["see", "(", "all", ")", "pages"], zones=[(1, 4)]))

What the words of a zone become stands together, with nothing else between; nothing that stands
before a wall comes after what stands behind it.  Zones nest or keep apart.
"""

from __future__ import annotations

from collections.abc import Iterable

from demotic.errors import ArgumentError

MOST_ZONES = 100
"""Of one sentence, and as many walls; decoders take more, in time that grows with their number."""


class Bounded(list[str]):
    """Tokens with zones (first word, behind the last one) and walls (the word behind each)."""

    def __init__(
        self,
        tokens: Iterable[str],
        *,
        zones: Iterable[tuple[int, int]] = (),
        walls: Iterable[int] = (),
    ) -> None:
        super().__init__(tokens)
        self.zones = list(zones)
        self.walls = list(walls)
        if any(not 0 <= first < end <= len(self) for first, end in self.zones):
            raise ArgumentError("a zone is not among the words of its sentence")
        if any(not 0 <= wall <= len(self) for wall in self.walls):
            raise ArgumentError("a wall is not among the words of its sentence")
