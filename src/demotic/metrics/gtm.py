"""General Text Matcher: precision and recall of a matching that may reward runs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from demotic import __version__
from demotic._core import gtm_statistics
from demotic.errors import ArgumentError
from demotic.metrics.metric import Array, Metric, References
from demotic.metrics.tokenise import check_tokeniser, encoded


class Gtm(Metric):
    """F-measure of the maximum match size (Melamed, Green and Turian 2003), in percent.

    Exponent 1 ignores word order; larger exponents reward long runs in common.  By default the
    tokens are taken as given, as the authors do.
    """

    name = "GTM"

    def __init__(
        self,
        *,
        exponent: float = 1.0,
        tokenise: str = "none",
        lowercase: bool = False,
        threads: int = 1,
    ) -> None:
        if not 1 <= exponent <= 100:
            raise ArgumentError("GTM's exponent must lie between 1 and 100")
        check_tokeniser(tokenise)
        self._exponent = exponent
        self._tokenise = tokenise
        self._lowercase = lowercase
        self._threads = threads

    def statistics(self, hypotheses: Sequence[str], references: References) -> Array:
        """Match size, hypothesis length, mean reference length."""
        lines, streams = encoded(
            hypotheses, references, tokenise=self._tokenise, lowercase=self._lowercase
        )
        return gtm_statistics(lines, streams, self._exponent, self._threads)

    def values(self, totals: Array) -> Array:
        """Harmonic mean of match/|C| and match/|R|, which is 2 match / (|C| + |R|)."""
        length = totals[:, 1] + totals[:, 2]
        return np.divide(200 * totals[:, 0], length, out=np.zeros_like(length), where=length > 0)

    def signature(self, references: int) -> str:
        case = "lc" if self._lowercase else "mixed"
        return (
            f"nrefs:{references}|case:{case}|tok:{self._tokenise}|exp:{self._exponent:g}"
            f"|match:greedy|version:demotic-{__version__}"
        )
