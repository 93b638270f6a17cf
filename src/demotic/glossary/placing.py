"""Translations that are decided, put into a sentence before it is decoded.

    given, names = with_decided(encoded, [Decided(1, 1, "Datei")])
    given.tokens          # one token stands for the words; decoders pass it through

The token is one of those for protected spans, so that it comes out exactly once, wherever the
decoder wants it, in the case that the sentence asks for.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from demotic.corpus.marks import JOINER, SPACER, bare, class_token, unescape
from demotic.corpus.normalise import UNSPACED
from demotic.corpus.pattern import Pattern
from demotic.corpus.protect import Span
from demotic.glossary.term import plain

if TYPE_CHECKING:
    from demotic.corpus import Encoded

_KIND = "term"
_COMPOUNDS = frozenset({"de", "nl", "sv", "da", "nb", "nn", "no", "fi", "hu", "et", "is"})
_UNSPACED = Pattern(f"[{UNSPACED}]")
_PART = 4  # letters of a word that may be part of a compound


@dataclass(frozen=True)
class Decided:
    """Tokens of a sentence, the last one included, and the text of their translation."""

    first: int
    last: int
    text: str
    words: str = ""
    """What it stands for, where that is not these tokens."""

    def origin(self, encoded: Encoded) -> str:
        """The words that it stands for, as they are in the sentence if there is one of them."""
        if self.words:
            return self.words
        texts = {span.token: span.origin or span.text for span in encoded.spans}
        words = map(bare, encoded.tokens[self.first : self.last + 1])
        return " ".join(texts.get(word) or unescape(word) for word in words)


def with_decided(encoded: Encoded, decided: Sequence[Decided]) -> tuple[Encoded, dict[int, str]]:
    """The sentence with one token for each of these, which must not overlap; and the class token
    of each by its number."""
    count = sum(span.kind == _KIND for span in encoded.spans)
    tokens: list[str] = []
    inside = {
        bare(token) for each in decided for token in encoded.tokens[each.first : each.last + 1]
    }
    spans = [span for span in encoded.spans if span.token not in inside]
    moved: list[int] = []
    names: dict[int, str] = {}
    starts = {each.first: number for number, each in enumerate(decided)}
    at = 0
    while at < len(encoded.tokens):
        number = starts.get(at)
        if number is None:
            moved.append(len(tokens))
            tokens.append(encoded.tokens[at])
            at += 1
            continue
        each = decided[number]
        count += 1
        name = names[number] = class_token(_KIND, count)
        first, last = encoded.tokens[each.first], encoded.tokens[each.last]
        moved += [len(tokens)] * (each.last - each.first + 1)
        tokens.append(_edges(first, last, name))
        origin = each.origin(encoded)  # what stays as it is keeps its case, too
        spans.append(Span(name, each.text, words=each.text != origin, origin=origin))
        at = each.last + 1
    layout = encoded.layout.moved(moved)
    moved.append(len(tokens))
    made = replace(
        encoded,
        tokens=tuple(tokens),
        spans=tuple(spans),
        layout=layout,
        cases=tuple((moved[place], case) for place, case in encoded.cases),
        zones=tuple(
            (moved[first], moved[end])
            for first, end in encoded.zones
            if moved[first] < moved[end]  # not within what became one token
        ),
        walls=tuple(moved[wall] for wall in encoded.walls),
    )
    return made, names


def _edges(first: str, last: str, name: str) -> str:
    """The name with what stands before the first token's word and behind the last one's."""
    before = first[: len(first) - len(first.lstrip(JOINER + SPACER))]
    return f"{before}{name}{last[len(last.rstrip(JOINER)) :]}"


def uses(text: str, forms: Sequence[str], language: str) -> int:
    """How often one of these stands in a text, as words of their own or, in languages that write
    compounds as one word, at an end of one.

    >>> uses("Den Dateinamen und die Datei", ["Datei"], "de")
    2
    """
    if any(_UNSPACED.search(form) for form in forms):
        longest_first = sorted({plain(form) for form in forms} - {""}, key=len, reverse=True)
        return len(re.findall("|".join(map(re.escape, longest_first)), plain(text)))
    signs = {plain(form) for form in forms if not _words(form)} - {""}
    if signs:
        return sum(map(plain(text).count, signs)) + uses(text, [*filter(_words, forms)], language)
    words = _words(text)
    wanted = {tuple(_words(form)) for form in forms} - {()}
    count = at = 0
    compounds = language in _COMPOUNDS
    while at < len(words):
        length = next(
            (
                len(form)
                for form in sorted(wanted, key=len, reverse=True)
                if _stands(form, words[at : at + len(form)], compounds)
            ),
            0,
        )
        count += length > 0
        at += length or 1
    return count


def _stands(form: Sequence[str], words: Sequence[str], compounds: bool) -> bool:
    if len(words) < len(form):
        return False
    if tuple(words) == tuple(form):
        return True
    *inner, end = form
    return (
        compounds
        and len(end) >= _PART
        and tuple(words[:-1]) == tuple(inner)
        and (words[-1].startswith(end) or (not inner and words[-1].endswith(end)))
    )


def _words(text: str) -> list[str]:
    cleaned = "".join(each if each.isalnum() else " " for each in plain(text))
    return cleaned.split()
