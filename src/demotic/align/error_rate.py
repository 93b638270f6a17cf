"""Alignment error rate (Och and Ney 2003) against hand-made links.

rate = error_rate(links, gold.sure, gold.possible)
print(f"AER {rate.aer:.1%}, precision {rate.precision:.1%}, recall {rate.recall:.1%}")
"""

from __future__ import annotations

from dataclasses import dataclass

from demotic._core import Links
from demotic.errors import ArgumentError


@dataclass(frozen=True)
class ErrorRate:
    """Counts summed over the corpus, and what follows from them.

    A ratio without a denominator counts as perfect: no links proposed means nothing wrong was.
    """

    links: int
    sure: int
    links_in_sure: int
    links_in_possible: int

    @property
    def precision(self) -> float:
        """|A ∩ P| / |A|."""
        return self.links_in_possible / self.links if self.links else 1.0

    @property
    def recall(self) -> float:
        """|A ∩ S| / |S|."""
        return self.links_in_sure / self.sure if self.sure else 1.0

    @property
    def f_measure(self) -> float:
        """Harmonic mean of precision and recall."""
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0

    @property
    def aer(self) -> float:
        """1 - (|A ∩ S| + |A ∩ P|) / (|A| + |S|)."""
        total = self.links + self.sure
        return 1 - (self.links_in_sure + self.links_in_possible) / total if total else 0.0

    def __str__(self) -> str:
        return (
            f"AER {100 * self.aer:.2f} (precision {100 * self.precision:.2f}, "
            f"recall {100 * self.recall:.2f}, F {100 * self.f_measure:.2f})"
        )


def error_rate(alignments: Links, sure: Links, possible: Links | None = None) -> ErrorRate:
    """Compare with a reference of the same number of lines; sure links are possible too."""
    possible = sure if possible is None else possible
    sizes = {len(alignments), len(sure), len(possible)}
    if len(sizes) > 1:
        raise ArgumentError(
            f"{len(alignments)} sentence pairs against a reference of {len(sure)} sure and "
            f"{len(possible)} possible lines",
            remedy="align exactly the sentences of the reference",
        )
    links_in_sure = links_in_possible = 0
    for line in range(len(alignments)):
        proposed, certain = set(alignments[line]), set(sure[line])
        links_in_sure += len(proposed & certain)
        links_in_possible += len(proposed & (certain | set(possible[line])))
    return ErrorRate(
        links=alignments.count,
        sure=sure.count,
        links_in_sure=links_in_sure,
        links_in_possible=links_in_possible,
    )
