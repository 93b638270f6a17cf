"""Koehn & Knight's splitting by trying every split point and every filler."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from demotic.corpus.compounds import CompoundOptions


def all_splits(word: str, options: CompoundOptions) -> Iterator[tuple[str, ...]]:
    """Every (part, filler, part, ...) that spells the word, whatever the parts are."""
    yield (word,)
    for cut in range(1, len(word)):
        for filler in ("", *options.fillers):
            rest = word[cut:]
            if rest.startswith(filler) and len(rest) > len(filler):
                for tail in all_splits(rest[len(filler) :], options):
                    yield (word[:cut], filler, *tail)


def score(pieces: tuple[str, ...], counts: Mapping[str, int], options: CompoundOptions) -> float:
    """The geometric mean of the parts' counts; 0 if a part is not allowed."""
    parts = pieces[::2]
    if len(parts) == 1:
        return counts.get(parts[0], 0)
    allowed = len(parts) <= options.max_parts and all(
        len(part) >= options.min_part and counts.get(part, 0) >= options.min_count for part in parts
    )
    return math.prod(counts[part] for part in parts) ** (1 / len(parts)) if allowed else 0.0


def best_score(word: str, counts: Mapping[str, int], options: CompoundOptions) -> float:
    """The best score of all splits."""
    return max(score(pieces, counts, options) for pieces in all_splits(word, options))
