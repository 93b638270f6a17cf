"""Confusion rules by pairing everything with everything."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from tests.oracles.cky import Rule

Side = tuple[str | int, ...]
Pair = tuple[tuple[str, ...], Side]
"""A source side with ``[X]``, and a target side with slots."""


def confused(e1: Sequence[str | int], e2: Sequence[str | int]) -> Pair:
    """Two target sides whose numbers are those of one source, as a rule: e1's numbers in order."""
    place = {slot: i for i, slot in enumerate(s for s in e1 if isinstance(s, int))}
    source = tuple("[X]" if isinstance(s, int) else s for s in e1)
    return source, tuple(place[s] if isinstance(s, int) else s for s in e2)


def swapped(pair: Pair) -> Pair:
    """The rule the other way round."""
    source, target = pair
    slots = iter(range(len(source)))
    numbered = [next(slots) if s == "[X]" else s for s in source]
    return confused(target, numbered)


def is_odd(side: Sequence[str | int]) -> bool:
    """One bare nonterminal."""
    return len(side) == 1 and isinstance(side[0], int)


def confusion_rules(groups: Iterable[Iterable[Side]]) -> dict[Pair, int]:
    """Each ordered pair of a group's different sides, with the number of groups that have it."""
    counts: Counter[Pair] = Counter()
    for group in groups:
        sides = sorted({side for side in group if side}, key=str)
        counts.update(
            confused(e1, e2) for e1 in sides for e2 in sides if not is_odd(e1) and _arity(e1, e2)
        )
    return dict(counts)


def by_source(rules: Iterable[Rule]) -> list[list[Side]]:
    """Target sides of one source side."""
    groups: dict[tuple[str, ...], list[Side]] = defaultdict(list)
    for rule in rules:
        groups[rule.source].append(rule.target)
    return list(groups.values())


def _arity(e1: Side, e2: Side) -> bool:
    """Both have the same gaps."""
    return {s for s in e1 if isinstance(s, int)} == {s for s in e2 if isinstance(s, int)}
