"""The linear approximation of corpus BLEU that decomposes over edges (Tromble et al. 2008)."""

from __future__ import annotations

from demotic.errors import ArgumentError


def linear_bleu(
    precision: float = 0.75, ratio: float = 0.57, *, order: int = 4
) -> tuple[float, ...]:
    """Weights (a_0, a_1, ..., a_order) for :meth:`Forest.bleu_gain`, in units of one token.

    ``precision`` is the expected unigram precision and ``ratio`` the mean of p(n+1) / p(n).
    a_0 = -1 and a_n = 1 / (order * precision * ratio ** (n - 1)), so that output of exactly these
    precisions gains about 0.
    """
    if not (0 < precision <= 1 and 0 < ratio <= 1 and order >= 1):
        raise ArgumentError("precision and ratio must lie in (0, 1], order must be at least 1")
    return (-1.0, *(1.0 / (order * precision * ratio**n) for n in range(order)))
