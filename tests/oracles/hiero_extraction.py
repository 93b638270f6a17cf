"""Hierarchical rules of a sentence pair straight from the definition (Chiang 2007, section 3).

Every pair of spans is tried, every choice of holes; nothing is clever.  Masses are fractions.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, pairwise

Links = Sequence[tuple[int, int]]
Span = tuple[int, int]
Pair = tuple[Span, Span]
Rule = tuple[tuple[str, ...], tuple[str, ...], tuple[tuple[int, int], ...]]


def initial_pairs(
    source_size: int, target_size: int, links: Links, max_phrase: int, tight: bool
) -> list[Pair]:
    """Pairs of spans with a link inside and none across the border."""
    pairs = []
    for source in _spans(source_size, max_phrase):
        for target in _spans(target_size, max_phrase):
            inside = [(i, j) for i, j in links if _in(i, source) and _in(j, target)]
            across = [(i, j) for i, j in links if _in(i, source) != _in(j, target)]
            edges_linked = {source[0], source[1] - 1} <= {i for i, _ in inside} and {
                target[0],
                target[1] - 1,
            } <= {j for _, j in inside}
            if inside and not across and (edges_linked or not tight):
                pairs.append((source, target))
    return pairs


def rules(
    source: Sequence[str],
    target: Sequence[str],
    links: Links,
    *,
    max_phrase: int = 10,
    max_symbols: int = 5,
    max_nonterminals: int = 2,
    min_hole: int = 1,
    tight: bool = True,
    tight_holes: bool = False,
    deletions: bool = False,
) -> dict[Rule, Fraction]:
    """Each rule and its mass; an initial pair's mass is shared equally by its rules."""
    pairs = initial_pairs(len(source), len(target), links, max_phrase, tight)
    holes_of = initial_pairs(len(source), len(target), links, max_phrase, tight or tight_holes)
    masses: dict[Rule, Fraction] = defaultdict(Fraction)
    for outer in pairs:
        inner = [
            pair
            for pair in holes_of
            if _within(pair[0], outer[0])
            and _within(pair[1], outer[1])
            and pair[0][1] - pair[0][0] >= min_hole
        ]
        found = []
        for count in range(max_nonterminals + 1):
            for holes in combinations(inner, count):
                holes = tuple(sorted(holes))
                if not _apart(holes):
                    continue
                rule = _write(source, target, links, outer, holes)
                if len(rule[0]) <= max_symbols and rule[2]:
                    found.append(rule)
        for rule in found:
            masses[rule] += Fraction(1, len(found))
    for at, word in enumerate(source):
        if deletions and links and at not in {i for i, _ in links}:
            masses[(word,), (), ()] += 1
    return dict(masses)


def orientations(
    source_size: int, target_size: int, links: Links, max_phrase: int, tight: bool
) -> list[tuple[Pair, str, str]]:
    """Each initial pair, and how it lies to what is before and after it on the target side."""
    pairs = initial_pairs(source_size, target_size, links, max_phrase, tight)
    before = [*pairs, ((0, 0), (0, 0))]
    after = [*pairs, ((source_size, source_size), (target_size, target_size))]
    found = []
    for pair in pairs:
        (begin, end), (target_begin, target_end) = pair
        lower = [source for source, target in before if target[1] == target_begin]
        upper = [source for source, target in after if target[0] == target_end]
        found.append(
            (
                pair,
                _orientation(any(s[1] == begin for s in lower), any(s[0] == end for s in lower)),
                _orientation(any(s[0] == end for s in upper), any(s[1] == begin for s in upper)),
            )
        )
    return found


def _orientation(monotone: bool, swap: bool) -> str:
    if monotone:
        return "Monotone"
    return "Swap" if swap else "Other"


def _apart(holes: Sequence[Pair]) -> bool:
    """On the source side a word between any two; on the target side no word shared."""
    return all(
        first[0][1] < second[0][0] and (first[1][1] <= second[1][0] or second[1][1] <= first[1][0])
        for first, second in pairwise(holes)
    )


def _write(
    source: Sequence[str], target: Sequence[str], links: Links, outer: Pair, holes: Sequence[Pair]
) -> Rule:
    sides = []
    places: list[dict[int, int]] = []
    for side, words in enumerate((source, target)):
        symbols: list[str] = []
        place: dict[int, int] = {}
        at = outer[side][0]
        while at < outer[side][1]:
            hole = next((k for k, hole in enumerate(holes) if hole[side][0] == at), None)
            if hole is None:
                place[at] = len(symbols)
                symbols.append(words[at])
                at += 1
            else:
                symbols.append(f"[X,{hole + 1}]")
                at = holes[hole][side][1]
        sides.append(tuple(symbols))
        places.append(place)
    kept = sorted(
        (places[0][i], places[1][j]) for i, j in links if i in places[0] and j in places[1]
    )
    return sides[0], sides[1], tuple(kept)


def _spans(size: int, longest: int) -> Iterator[Span]:
    return (
        (begin, end)
        for begin in range(size)
        for end in range(begin + 1, min(begin + longest, size) + 1)
    )


def _in(position: int, span: Span) -> bool:
    return span[0] <= position < span[1]


def _within(inner: Span, outer: Span) -> bool:
    return outer[0] <= inner[0] and inner[1] <= outer[1]
