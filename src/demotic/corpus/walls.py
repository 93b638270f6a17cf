"""Where a part of a message ends that is translated by itself: nothing moves across.

>>> sentence_walls(["sure", "￭?", "this", "costs", "2.50", "￭."])
[2]
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from demotic.corpus.casing import ENDS
from demotic.corpus.encoded import Encoded
from demotic.corpus.layout import ends_line, ends_paragraph
from demotic.corpus.marks import JOINER, SPACER, bare, protected_class
from demotic.corpus.pattern import Pattern
from demotic.corpus.protect import Span

_ENDS = ENDS | {"。", "！", "？", "؟", "۔", "।"}
_END_TOKENS = frozenset(
    left + end + right for end in _ENDS for left in ("", JOINER, SPACER) for right in ("", JOINER)
)
_CLOSING = frozenset("\"'”’»)]」』）】")
_BREAKS = frozenset((r"\n", r"\r", r"\t"))
# Tags with a beginning behind them, whatever stands before.
_BLOCK_TAG = Pattern(
    r"(?is)</?(?:br|hr|p|div|h[1-6]|ul|ol|li|dl|dt|dd|table|tr|td|th|blockquote|pre)\b.*"
)
_NARROW = 40  # columns; nobody wraps text narrower


def walls(encoded: Encoded) -> list[int]:
    """The tokens behind sentences and lines, and around breaks: escapes, tags of blocks."""
    tokens = encoded.tokens
    found = {*encoded.layout.lines, *sentence_walls(tokens)}
    breaks = {
        span.token
        for span in encoded.spans
        if span.text in _BREAKS or (span.kind == "tag" and _BLOCK_TAG.fullmatch(span.text))
    }
    for at, token in enumerate(tokens if breaks else ()):
        if protected_class(token) in breaks:
            found |= {at, at + 1}
    return sorted(found - {0, len(tokens)})


def meant_lines(
    tokens: Sequence[str], spans: Iterable[Span], gaps: Iterable[tuple[int, str]]
) -> list[int]:
    """The tokens behind empty lines, and behind line ends that are meant: those of text that was
    wrapped are not.

    What begins behind one that is meant looks like a beginning, and would have had room in the
    line before.
    """
    breaks = [(at, gap) for at, gap in gaps if ends_line(gap)]
    if not breaks:
        return []
    texts = {span.token: span.text for span in spans}
    words = [
        texts.get(name, "") if (name := protected_class(token)) else bare(token) for token in tokens
    ]
    edges = [0, *(at for at, _ in breaks), len(words)]
    widths = [sum(len(word) + 1 for word in words[first:end]) for first, end in pairwise(edges)]
    most = max(_NARROW, *widths)
    return [
        at
        for (at, gap), width in zip(breaks, widths, strict=False)
        if 0 < at < len(words)
        if ends_paragraph(gap)
        or (
            width + len(words[at]) <= most
            and (not words[at][:1].islower() or words[at - 1] in (":", ";"))
        )
    ]


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
        while next_ < len(tokens) and _closes(tokens[next_ - 1], tokens[next_]):
            next_ += 1
        if next_ < len(tokens) and not _touch(tokens[next_ - 1], tokens[next_]):
            found.append(next_)
    return found


def _closes(before: str, token: str) -> bool:
    """A closing mark, or a tag that stands at the sentence's end without a space?"""
    if name := protected_class(token):
        return name.startswith("⟦tag") and _touch(before, token)
    return token.startswith(JOINER) and bare(token) in _CLOSING


def _touch(one: str, other: str) -> bool:
    return one.endswith(JOINER) or other.startswith(JOINER)
