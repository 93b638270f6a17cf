"""Bag transduction: the words of a translation without their order, one for each source word."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from demotic import errors
from demotic.transduce.corpus import NULL, EncodedWords, WordCorpus
from demotic.transduce.words import WordTransducer


@dataclass(frozen=True)
class BagScore:
    """Of a whole corpus."""

    precision: float
    recall: float

    @property
    def f(self) -> float:
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0


def score_bags(found: Sequence[Sequence[str]], references: Sequence[Sequence[str]]) -> BagScore:
    """Words in common, each as often as both have it."""
    if len(found) != len(references):
        raise errors.ArgumentError("there are not as many bags as references")
    matches = sum(
        (Counter(one) & Counter(other)).total()
        for one, other in zip(found, references, strict=True)
    )
    size, wanted = sum(map(len, found)), sum(map(len, references))
    return BagScore(matches / size if size else 0.0, matches / wanted if wanted else 0.0)


def one_to_one_bound(source: Sequence[Sequence[str]], target: Sequence[Sequence[str]]) -> BagScore:
    """The best that one target word for each source word can reach."""
    most = sum(min(len(s), len(t)) for s, t in zip(source, target, strict=True))
    wanted = sum(map(len, target))
    return BagScore(1.0 if most else 0.0, most / wanted if wanted else 0.0)


def bags_of(
    predictions: NDArray[np.uint32], words: EncodedWords, target: Sequence[str]
) -> list[list[str]]:
    """Predictions for all words of a corpus as bags; NULLs are dropped."""
    bags: list[list[str]] = []
    begin = 0
    for end in words.ends.astype(np.int64):
        bags.append([target[t] for t in predictions[begin:end] if t != NULL])
        begin = int(end)
    return bags


@dataclass(frozen=True)
class Mixture:
    """Of several transducers: for each source word the one that is right most often on it."""

    parts: tuple[WordTransducer, ...]
    choice: dict[str, int]
    """By source word; for all others it is the one that is best on the whole."""
    best: int

    @classmethod
    def choose(
        cls, parts: Sequence[WordTransducer], corpus: WordCorpus, *, threads: int = 1
    ) -> Mixture:
        """On text that the transducers were not trained on."""
        rights: list[list[bool]] = []
        tried: list[str] = []
        tokens = [word for sentence in corpus.source for word in sentence]
        for part in parts:
            words = part.numbering.encode(corpus)
            places = part.trials(words)
            found = part.predict(words, places, threads=threads)
            rights.append((found == words.gold[places.astype(np.int64)]).tolist())
            tried = [tokens[place] for place in places.tolist()]
        return cls(tuple(parts), *best_by_word(tried, rights))

    def predict(self, corpus: WordCorpus, *, threads: int = 1) -> tuple[list[str | None], ...]:
        """For each word of each sentence its translation, or None."""
        tokens = [word for sentence in corpus.source for word in sentence]
        chosen = np.array([self.choice.get(word, self.best) for word in tokens], dtype=np.int64)
        found: list[str | None] = [None] * len(tokens)
        for number, part in enumerate(self.parts):
            words = part.numbering.encode(corpus)
            places = np.flatnonzero(chosen == number).astype(np.uint64)
            names = list(part.numbering.target)
            for place, target in zip(
                places.tolist(), part.predict(words, places, threads=threads), strict=True
            ):
                found[place] = None if target == NULL else names[target]
        lines, begin = [], 0
        for sentence in corpus.source:
            lines.append(found[begin : begin + len(sentence)])
            begin += len(sentence)
        return tuple(lines)


def best_by_word(
    tokens: Sequence[str], rights: Sequence[Sequence[bool]]
) -> tuple[dict[str, int], int]:
    """Which of several predictors is right most often on each word where that is not the one that
    is best on the whole, and which that is; of equals the first."""
    counts: list[Counter[str]] = [Counter() for _ in rights]
    for count, right in zip(counts, rights, strict=True):
        for word, good in zip(tokens, right, strict=True):
            count[word] += good
    best = max(range(len(rights)), key=lambda i: (counts[i].total(), -i))
    choice = {}
    for word in dict.fromkeys(tokens):
        top = max(count[word] for count in counts)
        if counts[best][word] < top:
            choice[word] = next(i for i, count in enumerate(counts) if count[word] == top)
    return choice, best
