"""Where tokens stand in the text that they were taken from, or that was made of them.

Tokens are not the text: spaces and joiners are marks, compounds are split, spans are protected,
case is changed.  Each token is looked for in the text behind the one before it; one that cannot be
found there has no place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from demotic.corpus.marks import bare, joint_filler, protected_class, unescape

Stretch = tuple[int, int]
"""Characters, the last one not included."""
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
