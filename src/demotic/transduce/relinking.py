"""Rounds of the generative transducer: bitrees under its own probabilities, counted again.

    found = relink(bitrees, targets, candidates)
    found.model, found.likelihoods

Stands in for inside-outside (Wellington, Turian and Melamed, section 7.4) by best bitrees.  A link
weighs ln P(word | source, translation of the head) - ln P(no word | the same), so that words that
are better left out lose their links.  The head's translation is that of the round before, and
orders follow from the links: not every round raises the likelihood, and the best one counts.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from demotic.errors import ArgumentError
from demotic.progress import SILENT, Progress
from demotic.transduce.generative import NULL, GenerativeTransducer
from demotic.trees import Bitree, bitree

_GAIN = 1e-4
_LEAST = 1e-12


@dataclass(frozen=True)
class Relinked:
    """The model of the round whose likelihood is highest."""

    model: GenerativeTransducer
    bitrees: tuple[Bitree, ...]
    likelihoods: tuple[float, ...]
    """ln P of the bitrees that each model was counted from, under it; the first links first."""


def relink(
    bitrees: Sequence[Bitree],
    targets: Sequence[Sequence[str]],
    candidates: Sequence[Sequence[Sequence[int]]],
    *,
    rounds: int = 5,
    progress: Progress = SILENT,
) -> Relinked:
    """From bitrees and, for each source word, the target positions that it may have."""
    if not len(bitrees) == len(targets) == len(candidates):
        raise ArgumentError("bitrees, targets and candidates differ in number")
    now = tuple(bitrees)
    model = GenerativeTransducer.count(now, targets)
    values = [likelihood(model, now, targets)]
    best = (values[0], model, now)
    with progress.step("linking words again", rounds, "rounds") as advance:
        for _ in range(rounds):
            now = tuple(
                _again(model, one, target, places)
                for one, target, places in zip(now, targets, candidates, strict=True)
            )
            model = GenerativeTransducer.count(now, targets)
            values.append(likelihood(model, now, targets))
            advance(1)
            if values[-1] > best[0]:
                best = (values[-1], model, now)
            if 0 <= values[-1] - values[-2] < _GAIN * abs(values[-2]):
                break
    return Relinked(best[1], best[2], tuple(values))


def likelihood(
    model: GenerativeTransducer, bitrees: Sequence[Bitree], targets: Sequence[Sequence[str]]
) -> float:
    """ln P of the words of all bitrees, and of their orders."""
    total = 0.0
    for found, target in zip(bitrees, targets, strict=True):
        words = _words(found, target)
        for token in range(len(words)):
            total += _ln(_share(model, found, words, token, words[token]))
        total += sum(_ln(share) for share in model.orders_of(found))
    return total


def _again(
    model: GenerativeTransducer,
    found: Bitree,
    target: Sequence[str],
    candidates: Sequence[Sequence[int]],
) -> Bitree:
    words = _words(found, target)
    weighed = []
    for token, places in enumerate(candidates):
        none = _ln(_share(model, found, words, token, NULL))
        row = [(j, _ln(_share(model, found, words, token, target[j])) - none) for j in places]
        weighed.append([(j, weight) for j, weight in row if weight > 0])
    return bitree(found.tree, weighed, len(target))


def _words(found: Bitree, target: Sequence[str]) -> list[str]:
    return [target[link] if link >= 0 else NULL for link in found.links]


def _share(
    model: GenerativeTransducer, found: Bitree, words: Sequence[str], token: int, word: str
) -> float:
    """P(word) given its source word and, but for the root, the translation of the head."""
    above = found.tree.head_of(token)
    source = found.tree.words[token]
    if above < 0:
        return model.of_word(source, word)
    return model.of_sibling(source, word, words[above])


def _ln(probability: float) -> float:
    return math.log(max(_LEAST, probability))
