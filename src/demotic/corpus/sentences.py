"""Sentences of a paragraph: where one ends and the next begins.

    >>> split_sentences("See Fig. 3. It shows Mr. Smith.  (All of him.)", "en")
    ['See Fig. 3. ', 'It shows Mr. Smith.  ', '(All of him.)']

The pieces put together are the text again, whatever it was.  Line ends always end a piece.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from demotic.corpus.language_rules import ABBREVIATIONS

# A mark that ends sentences, what closes behind it, and space; or a mark of scripts without spaces.
_END = re.compile(
    r"(?:[.!?…؟۔।]+[\"'”’»)\]]*[^\S\n]+(?=\S))|[。！？]+[」』”’）]*[^\S\n]*(?=\S)|\n\s*"
)
_WORD = re.compile(r"[^\W\d_]+(?:\.[^\W\d_]+)*\.?$|\d+\.$")
_LONGEST_WORD = 40


def split_sentences(text: str, language: str = "en") -> list[str]:
    """The sentences, each with the white space behind it."""
    return list(_sentences(text, ABBREVIATIONS.get(language.partition("-")[0], frozenset())))


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence at its place in a text, and the white space behind it."""

    text: str
    at: int
    behind: str


def sentences_of(text: str, language: str = "en") -> list[Sentence]:
    """The sentences without the white space around them, which stays as it is.

    What is before the first one is white space.
    """
    found: list[Sentence] = []
    at = 0
    for piece in split_sentences(text, language):
        core = piece.strip()
        if core:
            lead = len(piece) - len(piece.lstrip())
            found.append(Sentence(core, at + lead, piece[lead + len(core) :]))
        at += len(piece)
    return found


def _sentences(text: str, abbreviations: frozenset[str]) -> Iterator[str]:
    start = 0
    for end in _END.finditer(text):
        if end[0][0] == "." and not _ends(text, start, end, abbreviations):
            continue
        yield text[start : end.end()]
        start = end.end()
    if start < len(text):
        yield text[start:]


def _ends(text: str, start: int, end: re.Match[str], abbreviations: frozenset[str]) -> bool:
    """Whether a full stop ends a sentence: not behind abbreviations, initials and list numbers."""
    following = text[end.end() : end.end() + 2].lstrip("\"'“‘«([¿¡")
    if following[:1].islower():
        return False
    if len(end[0].rstrip()) > 1:  # an ellipsis, or a mark that closes
        return True
    before = text[max(start, end.start() - _LONGEST_WORD) : end.start() + 1]
    word = _WORD.search(before)
    if word is None:
        return True
    bare = word[0][:-1]
    if bare.isdigit():
        return bool(text[start : end.start() - len(bare)].strip())
    if len(bare) == 1 and bare.isupper():
        return False
    return bare.lower() not in abbreviations and "." not in bare
