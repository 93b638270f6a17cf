"""Links between the words of two texts, by characters, from the links between a model's tokens."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from demotic.corpus.token_places import Stretch
from demotic.documents.code_placing import Link


def links_between(
    source: Sequence[Stretch | None],
    target: Sequence[Stretch | None],
    alignment: Iterable[tuple[int, int]],
    *,
    source_at: int = 0,
    target_at: int = 0,
) -> list[Link]:
    """Links of tokens as links of characters, moved to where the sentence stands in its text.

    A token without a place has no links.
    """
    links: list[Link] = []
    for i, j in alignment:
        if i < len(source) and j < len(target):
            ours, theirs = source[i], target[j]
            if ours is not None and theirs is not None:
                links.append(
                    (
                        (ours[0] + source_at, ours[1] + source_at),
                        (theirs[0] + target_at, theirs[1] + target_at),
                    )
                )
    return links
