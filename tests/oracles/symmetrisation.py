"""Symmetrisation as the pseudo-code of Koehn's "Statistical Machine Translation" (figure 4.14).

e is a target (English) word, f a source (foreign) word; alignments are sets of (f, e).
"""

from __future__ import annotations

Set = set[tuple[int, int]]

STRAIGHT = ((-1, 0), (0, -1), (1, 0), (0, 1))
DIAGONAL = ((-1, -1), (-1, 1), (1, -1), (1, 1))


def symmetrise(e2f: Set, f2e: Set, heuristic: str) -> Set:
    """e2f links each English word with a foreign one, f2e each foreign word with an English one."""
    if heuristic == "union":
        return e2f | f2e
    alignment = e2f & f2e
    if heuristic == "intersection":
        return alignment
    grow(alignment, e2f | f2e, STRAIGHT if heuristic == "grow" else STRAIGHT + DIAGONAL)
    if "final" in heuristic:
        both = heuristic.endswith("-and")
        final(alignment, e2f, both)
        final(alignment, f2e, both)
    return alignment


def grow(alignment: Set, union: Set, neighbouring: tuple[tuple[int, int], ...]) -> None:
    english, foreign = extent(union)
    added = True
    while added:
        added = False
        for e in range(english):
            for f in range(foreign):
                if (f, e) not in alignment:
                    continue
                for de, df in neighbouring:
                    new = (f + df, e + de)
                    if new in union and not all(aligned(alignment, new)):
                        alignment.add(new)
                        added = True


def final(alignment: Set, directed: Set, both: bool) -> None:
    english, foreign = extent(directed)
    for e in range(english):
        for f in range(foreign):
            if (f, e) in directed:
                done = aligned(alignment, (f, e))
                if not any(done) if both else not all(done):
                    alignment.add((f, e))


def aligned(alignment: Set, point: tuple[int, int]) -> tuple[bool, bool]:
    return any(f == point[0] for f, _ in alignment), any(e == point[1] for _, e in alignment)


def extent(links: Set) -> tuple[int, int]:
    return 1 + max((e for _, e in links), default=0), 1 + max((f for f, _ in links), default=0)
