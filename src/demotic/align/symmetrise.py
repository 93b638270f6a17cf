"""Two directional alignments made one, with the heuristics of Koehn, Och and Marcu (2003)."""

from __future__ import annotations

from demotic._core import Heuristic, Links
from demotic._core import symmetrise as _symmetrise
from demotic.errors import ArgumentError

HEURISTICS: dict[str, Heuristic] = {
    "intersection": Heuristic.INTERSECTION,
    "union": Heuristic.UNION,
    "grow": Heuristic.GROW,
    "grow-diag": Heuristic.GROW_DIAG,
    "grow-diag-final": Heuristic.GROW_DIAG_FINAL,
    "grow-diag-final-and": Heuristic.GROW_DIAG_FINAL_AND,
}
DEFAULT = "grow-diag-final-and"


def symmetrise(
    forward: Links, backward: Links, heuristic: str = DEFAULT, *, threads: int = 1
) -> Links:
    """The links that Moses' symal gives, each line sorted by (source, target).

    ``forward`` links each target word with at most one source word (from p(target | source)),
    ``backward`` each source word with at most one target word; both hold (source, target) pairs.
    The final step looks at ``forward`` first; for the other heuristics the two can be exchanged.
    """
    check_heuristic(heuristic)
    return _symmetrise(forward, backward, HEURISTICS[heuristic], threads)


def check_heuristic(name: str) -> str:
    """The name, if there is such a heuristic."""
    if name not in HEURISTICS:
        raise ArgumentError(
            f"unknown symmetrisation '{name}'", remedy="one of " + ", ".join(HEURISTICS)
        )
    return name
