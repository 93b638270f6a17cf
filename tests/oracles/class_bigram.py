"""Log likelihood of a text under a class bigram model, word by word from its definition."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Mapping, Sequence

BORDER = "\n"


def log_likelihood(lines: Sequence[str], classes: Mapping[str, object]) -> float:
    """sum of ln p(w | class of w) p(class of w | class of v) over the bigrams v w of the text."""
    of = {**classes, BORDER: BORDER}
    pairs = [
        (left, right)
        for line in lines
        if line.split()
        for sentence in [[BORDER, *line.split(), BORDER]]
        for left, right in itertools.pairwise(sentence)
    ]
    words = Counter(right for _, right in pairs)
    after = Counter(of[right] for _, right in pairs)
    before = Counter(of[left] for left, _ in pairs)
    transitions = Counter((of[left], of[right]) for left, right in pairs)
    return math.fsum(
        math.log(words[right] / after[of[right]])
        + math.log(transitions[of[left], of[right]] / before[of[left]])
        for left, right in pairs
    )
