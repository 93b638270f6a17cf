"""Sentences whose words have translations to learn from, as text and as numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from demotic import errors

NULL = 0
"""The id of no translation: it is no word, so that a token "NULL" is one."""
UNSEEN = 0xFFFFFFFF
"""The id of translations that training has not seen: no prediction equals it."""


@dataclass(frozen=True)
class WordCorpus:
    """Tokens of both sides, and for each source word the place of its translation, or -1."""

    source: Sequence[Sequence[str]]
    target: Sequence[Sequence[str]]
    links: Sequence[Sequence[int]]
    tags: Sequence[Sequence[str]] | None = None
    """Of source words."""
    others: Sequence[Sequence[Sequence[str]]] | None = None
    """Further features of source words, by their names."""

    def __post_init__(self) -> None:
        sides = [self.source, self.target, self.links, self.tags, self.others]
        if len({len(side) for side in sides if side is not None}) > 1:
            raise errors.ArgumentError("the sides of a corpus differ in their number of sentences")
        for number, words in enumerate(self.source):
            for beside in (self.links, self.tags, self.others):
                if beside is not None and len(beside[number]) != len(words):
                    raise errors.ArgumentError(
                        f"sentence {number + 1} has {len(words)} words, but {len(beside[number])} "
                        "links, tags or lists of features"
                    )
            if any(not -1 <= j < len(self.target[number]) for j in self.links[number]):
                raise errors.ArgumentError(f"a link of sentence {number + 1} leads nowhere")

    def __len__(self) -> int:
        return len(self.source)


def one_to_one(
    sentences: Iterable[tuple[int, Iterable[tuple[int, int]], Iterable[tuple[int, int]]]],
) -> list[list[int]]:
    """For each source word the target place that both directions link it with, or -1.

    Of each sentence: its number of source words, and the links of either direction.
    """
    found = []
    for words, forward, backward in sentences:
        places = [-1] * words
        for i, j in sorted(set(forward) & set(backward)):
            if places[i] < 0:
                places[i] = j
        found.append(places)
    return found


@dataclass(frozen=True)
class EncodedWords:
    """All source words of a corpus in one flat array, with what belongs to each."""

    ids: NDArray[np.uint32]
    ends: NDArray[np.uint64]
    """Of sentences."""
    tags: NDArray[np.uint32]
    """Empty where there are none."""
    gold: NDArray[np.uint32]
    """Target ids; ``NULL``, or ``UNSEEN``."""
    other_begins: NDArray[np.uint64]
    other_ids: NDArray[np.uint32]

    @property
    def linked(self) -> NDArray[np.uint64]:
        """The places of words that have a translation."""
        return np.flatnonzero(self.gold != NULL).astype(np.uint64)

    @property
    def everywhere(self) -> NDArray[np.uint64]:
        return np.arange(len(self.ids), dtype=np.uint64)


@dataclass
class Numbering:
    """Numbers of words, tags and further features, in order of first appearance; 0 is unknown."""

    source: dict[str, int] = field(default_factory=lambda: {"<unk>": 0})
    target: dict[str, int] = field(default_factory=lambda: {"<unk>": 0})
    tags: dict[str, int] = field(default_factory=lambda: {"<unk>": 0})
    others: dict[str, int] = field(default_factory=lambda: {"<unk>": 0})

    def learn(self, corpus: WordCorpus) -> None:
        """Number all that is new."""
        for sentence in corpus.source:
            _add(self.source, sentence)
        for sentence in corpus.target:
            _add(self.target, sentence)
        for sentence in corpus.tags or ():
            _add(self.tags, sentence)
        for rows in corpus.others or ():
            for row in rows:
                _add(self.others, row)

    def encode(self, corpus: WordCorpus) -> EncodedWords:
        """With the numbers that there are."""
        ends = np.cumsum([len(s) for s in corpus.source], dtype=np.uint64)
        gold = [
            NULL if j < 0 else self.target.get(target[j], UNSEEN)
            for target, links in zip(corpus.target, corpus.links, strict=True)
            for j in links
        ]
        others = [
            [self.others[name] for name in row if name in self.others]
            for rows in corpus.others or ()
            for row in rows
        ]
        begins = np.zeros(len(others) + 1, dtype=np.uint64)
        np.cumsum([len(row) for row in others], out=begins[1:])
        return EncodedWords(
            _numbers(self.source, corpus.source),
            ends,
            _numbers(self.tags, corpus.tags or ()),
            np.array(gold, dtype=np.uint32),
            begins,
            np.fromiter((a for row in others for a in row), dtype=np.uint32),
        )


def _add(numbers: dict[str, int], words: Iterable[str]) -> None:
    for word in words:
        if word not in numbers:
            numbers[word] = len(numbers)


def _numbers(numbers: dict[str, int], sentences: Any) -> NDArray[np.uint32]:
    return np.fromiter((numbers.get(w, 0) for s in sentences for w in s), dtype=np.uint32)
