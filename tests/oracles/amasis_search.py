"""All translations by labels of a short sentence, by trying everything."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from demotic.grammar.items import operations_of
from tests.oracles.phrase_search import Phrase, Placed

Choose = Callable[[Placed, int, int, "Way"], Sequence[tuple[int, float]]]
"""Labels of an item, with what they are worth, on a stack of some depth with some words left,
after what was done so far."""


@dataclass(frozen=True)
class Way:
    """One derivation."""

    items: tuple[Placed, ...] = ()
    labels: tuple[int, ...] = ()
    worth: float = 0.0
    stack: tuple[tuple[str, ...], ...] = ()
    chosen: tuple[int, ...] = ()
    """Labels that were not forced."""

    @property
    def words(self) -> tuple[str, ...]:
        return tuple(word for fragment in self.stack for word in fragment)


def closes(depth: int, left: int, most: int) -> bool:
    """Can a stack still end with one fragment?"""
    return depth == 1 if left == 0 else depth <= 1 + left * (most - 1)


def any_label(most: int, *, forced: bool) -> Choose:
    def choose(_: Placed, depth: int, left: int, __: Way) -> list[tuple[int, float]]:
        return [
            (label, 0.0)
            for label in range(2 * most + 1)
            if (r := (label + 1) // 2) <= depth
            and (not forced or closes(depth + 1 - r, left, most))
        ]

    return choose


def candidates(phrases: Sequence[Phrase], sentence: Sequence[str]) -> list[Placed]:
    """Phrases wherever they fit; words that no phrase translates by words may stay as they are."""
    found = []
    for begin in range(len(sentence)):
        for end in range(begin + 1, len(sentence) + 1):
            words = tuple(sentence[begin:end])
            fitting = [phrase for phrase in phrases if phrase.source == words]
            if end == begin + 1 and not any(phrase.target for phrase in fitting):
                fitting.append(Phrase(words, words, {}, passed=True))
            found += [Placed(phrase, begin, end) for phrase in fitting]
    return found


def ways(
    phrases: Sequence[Phrase],
    sentence: Sequence[str],
    choose: Choose,
    *,
    most: int = 99,
    forced: bool = False,
) -> Iterator[Way]:
    """Every derivation."""
    everywhere = candidates(phrases, sentence)

    def is_forced(placed: Placed, way: Way) -> bool:
        return way.stack == ((),) or not placed.phrase.target

    def labels(placed: Placed, way: Way, left: int) -> Sequence[tuple[int, float]]:
        stack = way.stack
        if stack == ((),):
            return [(1, 0.0)]
        if not placed.phrase.target:
            fits = not forced or closes(max(len(stack), 1), left, most)
            return [(1 if stack else 0, 0.0)] if fits else []
        return choose(placed, len(stack), left, way)

    def extend(way: Way) -> Iterator[Way]:
        at = way.items[-1].end if way.items else 0
        if at == len(sentence):
            if len(way.stack) == 1 or not forced:
                yield way
            return
        for placed in everywhere:
            if placed.begin != at:
                continue
            for label, worth in labels(placed, way, len(sentence) - placed.end):
                stack = [*way.stack, placed.phrase.target]
                for sign in operations_of(label)[1:]:
                    right, left = stack.pop(), stack.pop()
                    stack.append(left + right if sign == "R+" else right + left)
                chosen = way.chosen if is_forced(placed, way) else (*way.chosen, label)
                yield from extend(
                    Way(
                        (*way.items, placed), (*way.labels, label), way.worth + worth,
                        tuple(stack), chosen,
                    )
                )  # fmt: skip

    return extend(Way())
