"""Where a part of a message ends that is translated by itself: nothing moves across.

>>> sentence_walls(["sure", "￭?", "this", "costs", "2.50", "￭."])
[2]
"""

from __future__ import annotations

from collections.abc import Sequence

from demotic.corpus.casing import ENDS
from demotic.corpus.encoded import Encoded
from demotic.corpus.marks import JOINER, SPACER, bare, protected_class

_ENDS = ENDS | {"。", "！", "？", "؟", "۔", "।"}
_END_TOKENS = frozenset(
    left + end + right for end in _ENDS for left in ("", JOINER, SPACER) for right in ("", JOINER)
)
_CLOSING = frozenset("\"'”’»)]」』）】")
_BREAKS = frozenset((r"\n", r"\r", r"\t"))


def walls(encoded: Encoded) -> list[int]:
    """The tokens behind sentences, paragraphs, and the breaks that are written as escapes."""
    tokens = encoded.tokens
    found = {*encoded.layout.paragraphs, *sentence_walls(tokens)}
    breaks = {span.token for span in encoded.spans if span.text in _BREAKS}
    for at, token in enumerate(tokens if breaks else ()):
        if protected_class(token) in breaks:
            found |= {at, at + 1}
    return sorted(found - {0, len(tokens)})


def ends_sentence(token: str) -> bool:
    """Is a token a full stop, a question mark or their like?"""
    return token in _END_TOKENS


def sentence_walls(tokens: Sequence[str]) -> list[int]:
    """The tokens that begin a sentence, but the first."""
    if _END_TOKENS.isdisjoint(tokens):
        return []
    found = []
    for at, token in enumerate(tokens):
        if token not in _END_TOKENS:
            continue
        next_ = at + 1
        while next_ < len(tokens) and _closes(tokens[next_]):
            next_ += 1
        if next_ < len(tokens) and not _touch(tokens[next_ - 1], tokens[next_]):
            found.append(next_)
    return found


def _closes(token: str) -> bool:
    return token.startswith(JOINER) and bare(token) in _CLOSING


def _touch(one: str, other: str) -> bool:
    return one.endswith(JOINER) or other.startswith(JOINER)
