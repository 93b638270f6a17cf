"""A translation memory as a list: everything is looked at, every time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence


def translations(pairs: Sequence[tuple[str, str]], source: str) -> list[tuple[str, int]]:
    """The translations of a message with their counts: frequent ones first, then newer ones."""
    targets = [target for one, target in pairs if one == source]
    last = {target: row for row, target in enumerate(targets)}
    counts = Counter(targets)
    order = sorted(counts, key=lambda target: (-counts[target], -last[target]))
    return [(target, counts[target]) for target in order]


def distance(one: Sequence[str], other: Sequence[str]) -> int:
    """Words to put in, take out or replace (Levenshtein)."""
    rows = {(i, 0): i for i in range(len(one) + 1)} | {(0, j): j for j in range(len(other) + 1)}
    for i in range(1, len(one) + 1):
        for j in range(1, len(other) + 1):
            changed = rows[i - 1, j - 1] + (one[i - 1] != other[j - 1])
            rows[i, j] = min(changed, rows[i - 1, j] + 1, rows[i, j - 1] + 1)
    return rows[len(one), len(other)]


def similar(
    messages: Sequence[Sequence[str]], words: Sequence[str], least: float
) -> list[tuple[int, int, int]]:
    """Number, distance and length of each message that is similar enough, the best first."""
    found = []
    for number, message in enumerate(messages):
        away, length = distance(words, message), max(len(words), len(message))
        if length and away <= (1 - least) * length + 1e-9 and away < length:
            found.append((number, away, length))
    return sorted(found, key=lambda each: (each[1] / each[2], -each[0]))
