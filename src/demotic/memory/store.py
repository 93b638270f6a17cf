"""A memory to look things up in."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from demotic import _core, files
from demotic.corpus.marks import bare, protected_class
from demotic.corpus.normalise import plain_spaces
from demotic.corpus.orthography import without_region
from demotic.corpus.protect import SpanFinder
from demotic.memory.match import Match, difference
from demotic.memory.mending import Masked, folded, masked, recased, repunctuated, substituted
from demotic.memory.repair import Plan, planned

if TYPE_CHECKING:
    from demotic.corpus import Encoded, Orthography

_ALIKE = 64
"""Messages with the same key that are looked at: the newest."""
_LEAST = 0.3
"""Similarity below which messages have only small words in common."""
_WIDE = re.compile(r"\s{2,}|[^\S \u00a0\u202f]")
_REPAIRS = 3
"""Similar messages that are looked at for one to repair."""


class Stored(Protocol):
    """Messages, by number, with their translations, by number: mapped, or as they come in."""

    def __len__(self) -> int: ...
    def find(self, source: str, /) -> int:
        """The message with this text, or -1."""

    def alike(self, folded: bool, key: str, most: int, /) -> list[int]:
        """The newest messages whose key has the same hash."""

    def similar(
        self, words: Sequence[str], least: float, most: int, /
    ) -> list[tuple[int, int, int]]:
        """Message, edit distance in words, words of the longer one; the most similar first."""

    def source(self, segment: int, /) -> str: ...
    def words(self, segment: int, /) -> list[str]: ...
    def translations(self, segment: int, /) -> tuple[int, int]:
        """The first of its translations, and the one after the last."""

    def target(self, translation: int, /) -> str: ...
    def count(self, translation: int, /) -> int: ...
    def file(self, translation: int, /) -> str: ...
    def unit(self, translation: int, /) -> str: ...
    def tokens(self, translation: int, /) -> str: ...
    def links(self, translation: int, /) -> str: ...


class TranslationMemory:
    """Messages with their translations; ``len`` counts the messages."""

    def __init__(self, core: Stored, source: Orthography, target: Orthography) -> None:
        """Use ``load``, or give what is stored elsewhere."""
        self.core = core
        self._source, self._target = source, target
        self._find = SpanFinder(source.config.protect)
        self._find_target = SpanFinder(target.config.protect)
        self._language = without_region(target.language)

    @classmethod
    def load(
        cls,
        path: str | Path,
        source: Orthography,
        target: Orthography,
        *,
        verify: bool = False,
    ) -> TranslationMemory:
        """Map a memory; ``verify`` checks all that is in it."""
        with files.naming(path):
            return cls(_core.Memory(str(path), verify), source, target)

    def __len__(self) -> int:
        return len(self.core)

    def answers(self, text: str) -> list[Match]:
        """Translations of the same message, the most frequent first, of equals the newest.

        Of the same message if there is one, else with other numbers, placeholders and tags, else
        without regard to case and to the mark at its end.
        """
        plain = plain_spaces(text)
        if not plain:
            return []
        found = self._found(plain, text.strip())
        begin = text[: len(text) - len(text.lstrip())]
        end = text[len(text.rstrip()) :]
        if begin or end:  # white space around a message belongs to it
            return [replace(each, text=f"{begin}{each.text}{end}") for each in found]
        return found

    def _found(self, text: str, given_text: str) -> list[Match]:
        segment = self.core.find(text)
        if segment >= 0:
            first, _ = self.core.translations(segment)
            return [
                replace(each, kind="exact", text=self._spaced(given_text, number, each.target))
                for number, each in enumerate(self._stored(segment), first)
            ]
        given = masked(text, self._find)
        return (self._substituted(given) if given.spans else []) or self._mended(given)

    def _spaced(self, given: str, number: int, target: str) -> str:
        """A stored translation with the message's wide gaps, where it has none of its own."""
        if not _WIDE.search(given) or _WIDE.search(target):
            return target
        words = self.core.tokens(number).split()
        links = [
            (int(one), int(other))
            for one, _, other in (each.partition("-") for each in self.core.links(number).split())
            if one.isdecimal() and other.isdecimal()
        ]
        if not words or not links:
            return target
        text = self._target.decode(words, self._source.encode(given), alignment=links)
        return text if text.split() == target.split() else target

    def similar(self, text: Encoded, *, least: float, most: int = 5) -> list[Match]:
        """Messages that share most words with a sentence, the most similar first."""
        found = []
        words = _shown(text)
        for segment, distance, length in self.core.similar(list(text.tokens), least, most):
            stored = self._source.encode(self.core.source(segment))
            pieces = difference(_shown(stored), words)
            for each in list(self._stored(segment))[:1]:
                found.append(
                    replace(each, similarity=1 - distance / max(1, length), difference=pieces)
                )
        return found

    def nearest(self, text: Encoded) -> float:
        """The similarity of the most similar message, 0 where none has much in common."""
        found = self.core.similar(list(text.tokens), _LEAST, 1)
        return 1 - found[0][1] / max(1, found[0][2]) if found else 0.0

    def repairs(self, text: Encoded, *, least: float) -> tuple[Match, Plan] | None:
        """The most similar message whose translation can be repaired, and how."""
        for segment, distance, length in self.core.similar(list(text.tokens), least, _REPAIRS):
            number, _ = self.core.translations(segment)
            words, tokens = self.core.words(segment), self.core.tokens(number).split()
            plan = planned(words, tokens, self.core.links(number), text.tokens)
            if plan is not None:
                [match, *_] = self._stored(segment)
                stored = self._source.encode(match.source)
                pieces = difference(_shown(stored), _shown(text))
                near = 1 - distance / max(1, length)
                return replace(match, kind="repaired", similarity=near, difference=pieces), plan
        return None

    def _stored(self, segment: int) -> Iterator[Match]:
        core = self.core
        begin, end = core.translations(segment)
        for number in range(begin, end):
            target = core.target(number)
            yield Match(
                "similar", target, core.source(segment), target, 1.0, core.count(number),
                core.file(number), core.unit(number),
            )  # fmt: skip

    def _substituted(self, given: Masked) -> list[Match]:
        found = []
        for segment in self.core.alike(False, given.text, _ALIKE):
            stored = masked(self.core.source(segment), self._find)
            if stored.text != given.text:
                continue
            for each in self._stored(segment):
                text = substituted(stored, given, each.target, self._find_target)
                if text is not None:
                    found.append((segment, replace(each, kind="substituted", text=text)))
        return _ranked(found)

    def _mended(self, given: Masked) -> list[Match]:
        key = folded(given.text)
        if not key:
            return []
        found = []
        for segment in self.core.alike(True, key, _ALIKE):
            stored = masked(self.core.source(segment), self._find)
            if folded(stored.text) != key or len(stored.spans) != len(given.spans):
                continue
            for each in self._stored(segment):
                mended = self._mend(stored, given, each.target)
                if mended is not None:
                    found.append((segment, replace(each, kind="mended", text=mended)))
        return _ranked(found)

    def _mend(self, stored: Masked, given: Masked, target: str) -> str | None:
        casing, language = self._target.casing, self._language
        text = substituted(stored, given, target, self._find_target)
        if text is not None:
            text = recased(stored.text, given.text, text, casing, self._find_target)
        if text is not None:
            text = repunctuated(stored.text, given.text, text, language)
        return text


def _shown(text: Encoded) -> list[str]:
    """Words as a reader knows them."""
    spans = {span.token: span.text for span in text.spans}
    return [spans.get(protected_class(token) or "", bare(token)) for token in text.tokens]


def _ranked(found: Sequence[tuple[int, Match]]) -> list[Match]:
    """Matches that read the same as one, the most frequent first, then the newest."""
    counts: dict[str, int] = {}
    newest: dict[str, tuple[int, Match]] = {}
    for segment, match in found:
        counts[match.text] = counts.get(match.text, 0) + match.count
        if match.text not in newest or segment > newest[match.text][0]:
            newest[match.text] = segment, match
    order = sorted(newest.values(), key=lambda each: (-counts[each[1].text], -each[0]))
    return [replace(match, count=counts[match.text]) for _, match in order]
