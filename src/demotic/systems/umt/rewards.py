"""What each action of a roll-out did for BLEU: rewards before the end.

    matches = matches_by_action(rollout.tokens, rollout.turns, rollout.steps, limits)

An n-gram is there from the action on that wrote the last of its words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

ORDER = 4
Gram = tuple[str, ...]


def limits_of(references: Sequence[str]) -> Mapping[Gram, int]:
    """How often an n-gram may match: as often as in the reference that has it most often."""
    limits: Counter[Gram] = Counter()
    for line in references:
        limits |= Counter(gram for _, gram in _grams(line.split()))
    return limits


def matches_by_action(
    tokens: Sequence[str], turns: NDArray[np.uint32], steps: int, limits: Mapping[Gram, int]
) -> NDArray[np.int64]:
    """Matches of n = 1-4 after each of ``steps`` actions; the last row are those of the text."""
    found = np.zeros((steps, ORDER), dtype=np.int64)
    placed = [(int(turns[at : at + len(gram)].max()), gram) for at, gram in _grams(tokens)]
    used: Counter[Gram] = Counter()
    for turn, gram in sorted(placed, key=lambda pair: pair[0]):
        if used[gram] < limits.get(gram, 0):
            used[gram] += 1
            found[turn, len(gram) - 1] += 1
    return found.cumsum(axis=0)


def _grams(tokens: Sequence[str]) -> list[tuple[int, Gram]]:
    return [
        (at, tuple(tokens[at : at + n]))
        for n in range(1, ORDER + 1)
        for at in range(len(tokens) + 1 - n)
    ]
