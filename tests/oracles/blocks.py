"""Blocks, their orientation events and features, by looking at everything there is."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

Words = tuple[str, ...]
Block = tuple[Words, Words]
Occurrence = tuple[Block, int, int, int, int]  # block, source interval, target interval
Link = tuple[int, int]
START = "<s>"


def intervals(size: int, longest: int) -> list[tuple[int, int]]:
    return [(i, j) for i in range(size) for j in range(i + 1, min(size, i + longest) + 1)]


def consistent(
    source: Sequence[str], target: Sequence[str], links: Sequence[Link], longest: int
) -> list[Occurrence]:
    """Phrase pairs with a link inside and none that leaves."""
    found = []
    for j1, j2 in intervals(len(source), longest):
        for i1, i2 in intervals(len(target), longest):
            sides = [(j1 <= j < j2, i1 <= i < i2) for j, i in links]
            if any(a and b for a, b in sides) and all(a == b for a, b in sides):
                block = (tuple(source[j1:j2]), tuple(target[i1:i2]))
                found.append((block, j1, j2, i1, i2))
    return found


def projected(
    source: Sequence[str],
    target: Sequence[str],
    intersection: Sequence[Link],
    union: Sequence[Link],
    longest: int,
) -> list[Occurrence]:
    """The target hull of each source interval's certain links, grown along possible ones."""
    found = []
    for j1, j2 in intervals(len(source), longest):
        certain = [i for j, i in intersection if j1 <= j < j2]
        possible = {i for j, i in union if j1 <= j < j2}
        if not certain:
            continue
        i1, i2 = min(certain), max(certain) + 1
        while i1 - 1 in possible:
            i1 -= 1
        while i2 in possible:
            i2 += 1
        if i2 - i1 <= longest:
            found.append(((tuple(source[j1:j2]), tuple(target[i1:i2])), j1, j2, i1, i2))
    return found


def matches(
    blocks: set[Block], source: Sequence[str], target: Sequence[str], longest: int
) -> list[Occurrence]:
    """Every place where both sides of a block are."""
    return [
        ((tuple(source[j1:j2]), tuple(target[i1:i2])), j1, j2, i1, i2)
        for j1, j2 in intervals(len(source), longest)
        for i1, i2 in intervals(len(target), longest)
        if (tuple(source[j1:j2]), tuple(target[i1:i2])) in blocks
    ]


def events(
    occurrences: Sequence[Occurrence], *, start: bool
) -> list[tuple[Occurrence | str | None, str, Occurrence]]:
    """(predecessor, orientation, occurrence): every pair that touches, and those left alone."""
    found: list[tuple[Occurrence | str | None, str, Occurrence]] = []
    for after in occurrences:
        _, j1, j2, i1, _ = after
        befores: list[tuple[Occurrence | str, int, int, int]] = [
            (before, before[1], before[2], before[4]) for before in occurrences
        ]
        if start:
            befores.append((START, 0, 0, 0))
        own: list[tuple[Occurrence | str | None, str, Occurrence]] = []
        for before, b1, b2, target_end in befores:
            if target_end == i1 and b2 == j1:
                own.append((before, "R", after))
            elif target_end == i1 and j2 == b1:
                own.append((before, "L", after))
        found += own or [(None, "N", after)]
    return found


def lexical(counts: Counter[Block], block: Block, kind: str) -> float:
    """-ln p(S|T) from the blocks of one word on each side."""
    single = {(s[0], t[0]): n for (s, t), n in counts.items() if len(s) == 1 and len(t) == 1}

    def p(s: str, t: str) -> float:
        place = 0 if kind == "literal" else 1
        total = sum(n for pair, n in single.items() if pair[place] == (s, t)[place])
        return single.get((s, t), 0) / total if total else 0.0

    cost = 0.0
    for s in block[0]:
        values = [p(s, t) for t in block[1] if p(s, t) > 0]
        cost -= math.log(sum(values) / len(values) if values else 1e-7)
    return cost


def alternatives(counts: Counter[Block], ids: dict[str, int], source: Words) -> list[Block]:
    """The blocks of a source phrase, the most frequent first, ties by target word ids."""
    return sorted(
        (block for block in counts if block[0] == source),
        key=lambda block: (-counts[block], [ids[word] for word in block[1]]),
    )
