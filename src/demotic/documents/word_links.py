"""Links between the words of two texts, by characters, from the links between a model's tokens.

A model's tokens are not the text: spaces and joiners are marks, compounds are split, spans are
protected, case is changed.  Each token is looked for in the text behind the one before it; one that
cannot be found there has no place, and its links say nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from demotic.corpus.marks import bare, joint_filler, protected_class, unescape
from demotic.documents.code_placing import Link, Stretch

_AHEAD = 60  # characters that a token may stand behind the one before it, its own not counted


def token_stretches(
    tokens: Sequence[str], text: str, spans: Mapping[str, str]
) -> list[Stretch | None]:
    """Where each token stands; ``spans`` has the texts of class tokens."""
    folded = text.casefold() if len(text.casefold()) == len(text) else text.lower()
    if len(folded) != len(text):  # letters whose small form is longer: compare as they are
        folded = text
    found: list[Stretch | None] = []
    at = 0
    for token in tokens:
        name = protected_class(token)
        if joint_filler(token) is not None:
            found.append(None)
            continue
        word = spans.get(name, "") if name else unescape(bare(token))
        place = -1
        for form in (word.casefold(), word.lower(), word):
            if form:
                place = folded.find(form, at, at + len(form) + _AHEAD)
            if place >= 0:
                break
        if place < 0:
            found.append(None)
            continue
        found.append((place, place + len(word)))
        at = place + len(word)
    return found


def links_between(
    source: Sequence[Stretch | None],
    target: Sequence[Stretch | None],
    alignment: Iterable[tuple[int, int]],
    *,
    source_at: int = 0,
    target_at: int = 0,
) -> list[Link]:
    """Links of tokens as links of characters, moved to where the sentence stands in its text."""
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
