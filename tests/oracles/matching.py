"""General Text Matcher's match size: every matching tried, and the greedy steps as printed."""

from __future__ import annotations

from collections.abc import Sequence


def match_size(pairs: Sequence[tuple[int, int]], exponent: float) -> float:
    """(sum of run lengths ** e) ** (1 / e) of a set of (hypothesis, reference) positions."""
    chosen = set(pairs)
    total = 0.0
    for i, j in chosen:
        if (i - 1, j - 1) in chosen:
            continue
        length = 1
        while (i + length, j + length) in chosen:
            length += 1
        total += length**exponent
    return total ** (1 / exponent)


def best_match_size(hypothesis: Sequence[str], reference: Sequence[str], exponent: float) -> float:
    """The largest match size over all matchings, by enumeration."""

    def extend(i: int, taken: tuple[tuple[int, int], ...]) -> float:
        if i == len(hypothesis):
            return match_size(taken, exponent)
        best = extend(i + 1, taken)
        for j, word in enumerate(reference):
            if word == hypothesis[i] and all(j != other for _, other in taken):
                best = max(best, extend(i + 1, (*taken, (i, j))))
        return best

    return extend(0, ())


def greedy_match_size(
    hypothesis: Sequence[str], references: Sequence[Sequence[str]], exponent: float
) -> float:
    """All runs and sub-runs, longest first, later ones first among equals."""
    text: list[str | None] = []
    for reference in references:
        text += [*reference, None]
    runs = [
        (length, i, j)
        for i in range(len(hypothesis))
        for j in range(len(text))
        for length in range(1, len(hypothesis) + 1)
        if i + length <= len(hypothesis)
        and j + length <= len(text)
        and all(hypothesis[i + k] == text[j + k] for k in range(length))
    ]
    room = min(len(hypothesis), sum(map(len, references)) / len(references))
    rows: set[int] = set()
    columns: set[int] = set()
    total = 0.0
    for length, i, j in sorted(runs, reverse=True):
        here, there = set(range(i, i + length)), set(range(j, j + length))
        if room <= 0 or here & rows or there & columns:
            continue
        rows |= here
        columns |= there
        total += min(room, length) ** exponent
        room -= min(room, length)
    return total ** (1 / exponent)
