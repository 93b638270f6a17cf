"""All phrase-based translations of a short sentence, by trying everything."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

ORIENTATIONS = ("Monotone", "Swap", "Other")


@dataclass(frozen=True)
class Phrase:
    source: tuple[str, ...]
    target: tuple[str, ...]
    scores: Mapping[str, float]
    passed: bool = False
    links: frozenset[tuple[int, int]] = frozenset()


@dataclass(frozen=True)
class Placed:
    """A phrase on source words ``begin`` to ``end``."""

    phrase: Phrase
    begin: int
    end: int


Path = tuple[Placed, ...]


def candidates(phrases: Sequence[Phrase], sentence: Sequence[str]) -> list[Placed]:
    """Phrases wherever they fit; words that no phrase translates alone stay as they are."""
    found = []
    for begin in range(len(sentence)):
        for end in range(begin + 1, len(sentence) + 1):
            words = tuple(sentence[begin:end])
            fitting = [phrase for phrase in phrases if phrase.source == words]
            if end == begin + 1 and not fitting:
                fitting = [Phrase(words, words, {}, passed=True, links=frozenset({(0, 0)}))]
            found += [Placed(phrase, begin, end) for phrase in fitting]
    return found


def allowed(placed: Placed, covered: frozenset[int], last_end: int, limit: int | None) -> bool:
    """The distortion limit: in reach of the last phrase, and of the first gap ever after."""
    if limit is None:
        return True
    gap = next(i for i in range(len(covered) + 1) if i not in covered)
    in_reach = abs(placed.begin - last_end) <= limit
    return in_reach and (placed.begin == gap or placed.end - gap <= limit)


def paths(
    phrases: Sequence[Phrase], sentence: Sequence[str], limit: int | None = None
) -> Iterator[Path]:
    """Every sequence of phrases that covers each source word once."""
    everywhere = candidates(phrases, sentence)

    def extend(path: Path, covered: frozenset[int]) -> Iterator[Path]:
        if len(covered) == len(sentence):
            yield path
            return
        last_end = path[-1].end if path else 0
        for placed in everywhere:
            span = frozenset(range(placed.begin, placed.end))
            if not span & covered and allowed(placed, covered, last_end, limit):
                yield from extend((*path, placed), covered | span)

    yield from extend((), frozenset())


def words_of(path: Path) -> tuple[str, ...]:
    return tuple(word for placed in path for word in placed.phrase.target)


def units_of(path: Path) -> tuple[str, ...]:
    """Target words, each with the source words that it is linked to."""
    return tuple(
        f"{word}|"
        + "|".join(placed.phrase.source[i] for i, k in sorted(placed.phrase.links) if k == j)
        for placed in path
        for j, word in enumerate(placed.phrase.target)
    )


def orientation(first: tuple[int, int], second: tuple[int, int]) -> str:
    """Of source spans whose phrases follow each other on the target side."""
    if second[0] == first[1]:
        return "Monotone"
    return "Swap" if second[1] == first[0] else "Other"


def features(path: Path, sentence: Sequence[str], known: frozenset[str]) -> Counter[str]:
    """All but the language model's; ``known`` are the words that it knows."""
    total: Counter[str] = Counter()
    spans = [(0, 0), *((each.begin, each.end) for each in path), (len(sentence), len(sentence))]
    for number, placed in enumerate(path, 1):
        for name, value in placed.phrase.scores.items():
            if not name.endswith(("Previous", "Next")):
                total[name] += value
        before = orientation(spans[number - 1], spans[number])
        after = orientation(spans[number], spans[number + 1])
        total[f"{before}Previous"] += placed.phrase.scores.get(f"{before}Previous", 0.0)
        total[f"{after}Next"] += placed.phrase.scores.get(f"{after}Next", 0.0)
        total["Distortion"] -= abs(placed.begin - spans[number - 1][1])
        total["PassThrough" if placed.phrase.passed else "RulePenalty"] += 1
        total["WordPenalty"] += len(placed.phrase.target)
        total["UnknownWord"] += sum(word not in known for word in placed.phrase.target)
    return total
