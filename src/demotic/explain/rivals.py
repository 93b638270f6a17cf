"""What else the table has for the words of a step.

A rule competes with those of the same source side, and with those of other source sides that cover
the same words. They are compared by what they bring along, whatever stands around them: their own
scores and their words, not the language model and not the order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from demotic.grammar import BlockTable, RuleTable

_LONGEST = 10
"""Words of a span within which other source sides are looked for."""
_GAPS = 2
_READ = 2000
"""Rules of one source side that are scored."""


@dataclass(frozen=True)
class Rival:
    """A rule that could stand in the place of the one that was used, or that one itself."""

    source: tuple[str, ...]
    target: tuple[str, ...]
    score: float
    chosen: bool = False


@dataclass(frozen=True)
class Rivals:
    """How many there are, and the best of them."""

    same: int
    """Rules of the same source side, the chosen one included."""
    rank: int
    """The chosen one's place among these, from 1."""
    best: tuple[Rival, ...]
    """The best of them; the chosen one is always there."""
    others: int = 0
    """Rules that cover the same words by other source sides."""
    other: tuple[Rival, ...] = ()
    """The best one of each of the best source sides."""


def of_rules(
    table: RuleTable,
    weights: Mapping[str, float],
    rule: int,
    covered: Sequence[str],
    most: int,
) -> Rivals:
    """Those of a rule that covers some tokens."""
    values = [weights.get(name, 0.0) for name in table.feature_names]
    word = weights.get("WordPenalty", 0.0)

    def score(number: int) -> float:
        found = sum(w * x for w, x in zip(values, table.scores(number), strict=True))
        sparse = sum(weights.get(n, 0.0) * x for n, x in table.sparse_scores(number).items())
        return found + sparse + word * sum(1 for each in table.target_symbols(number) if each >= 0)

    def rival(number: int, value: float) -> Rival:
        found = table[number]
        return Rival(found.source, found.target, value, number == rule)

    own = table.source_symbols(rule)
    begin, end = table.find(own)
    numbers = {*range(begin, min(end, begin + _READ)), rule}
    scored = sorted(((score(n), -n) for n in numbers), reverse=True)
    same = [rival(-number, value) for value, number in _with(scored, rule, most)]
    others, best = 0, []
    for symbols in _patterns(table, covered) if len(covered) <= _LONGEST else ():
        begin, end = table.find(symbols)
        if begin == end or symbols == own:
            continue
        others += end - begin
        top = max((score(n), -n) for n in range(begin, min(end, begin + _READ)))
        best.append((top, (-top[1], top[0])))
    best.sort(reverse=True)
    rank = 1 + [-number for _, number in scored].index(rule)
    return Rivals(
        len(scored), rank, tuple(same), others, tuple(rival(*each) for _, each in best[:most])
    )


def of_blocks(table: BlockTable, block: int, most: int) -> Rivals:
    """Those of a block: the logs of their shares among the blocks of the same words."""
    from math import log

    source = table[block].source
    found = table.blocks_for(" ".join(source))
    total = sum(each.count for each in found)
    scored = sorted(((log(each.count / total), -each.id) for each in found), reverse=True)
    rank = 1 + [-number for _, number in scored].index(block)
    best = [
        Rival(source, table[-number].target, value, -number == block)
        for value, number in _with(scored, block, most)
    ]
    return Rivals(len(found), rank, tuple(best))


def of_choices(
    source: str,
    found: Iterable[tuple[tuple[str, ...], float]],
    chosen: tuple[str, ...],
    most: int,
) -> Rivals:
    """Those of a word that classifiers translated; none is no words."""
    scored = sorted(((value, words) for words, value in found), key=lambda each: -each[0])
    words = [each for _, each in scored]
    rank = 1 + words.index(chosen) if chosen in words else 0
    kept = scored[:most]
    if rank > most:
        kept.append(scored[rank - 1])
    best = [Rival((source,), each, value, each == chosen) for value, each in kept]
    return Rivals(len(scored), rank, tuple(best))


def _with(scored: list[tuple[float, int]], rule: int, most: int) -> list[tuple[float, int]]:
    """The best, and the one that was chosen wherever it stands."""
    return scored[:most] + [each for each in scored[most:] if -each[1] == rule]


def _patterns(table: RuleTable, covered: Sequence[str]) -> Iterator[list[int]]:
    """All source sides that cover these tokens: their words, with up to two gaps of a category."""
    words = [table.find_source_word(token) for token in covered]
    if all(words):
        yield words
    gaps = [-1 - each for each in range(len(table.categories))]
    places = range(len(words) + 1)
    for count in range(1, _GAPS + 1):
        for edges in combinations(places, 2 * count):
            inside = list(zip(edges[::2], edges[1::2], strict=True))
            if inside == [(0, len(words))]:
                continue
            kept = [*words]
            for begin, end in reversed(inside):
                kept[begin:end] = [-1]
            if not all(kept):
                continue
            for gap in gaps:
                yield [gap if each < 0 else each for each in kept]
