"""Fisher's exact test in whole numbers: the upper tail of the hypergeometric distribution."""

from __future__ import annotations

import math
from fractions import Fraction


def probability(pair: int, source: int, target: int, sentences: int) -> Fraction:
    """That a source side in some sentences and a target side in some share ``pair`` or more."""
    ways = sum(
        math.comb(source, both) * math.comb(sentences - source, target - both)
        for both in range(max(pair, source + target - sentences), min(source, target) + 1)
    )
    return Fraction(ways, math.comb(sentences, target))


def evidence(pair: int, source: int, target: int, sentences: int) -> float:
    """Its negative natural logarithm."""
    tail = probability(pair, source, target, sentences)
    return _log(tail.denominator) - _log(tail.numerator)


def _log(number: int) -> float:
    """Of whole numbers of any size."""
    bits = max(0, number.bit_length() - 1000)
    return math.log(number >> bits) + bits * math.log(2)
