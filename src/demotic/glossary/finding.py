"""Where the terms of a glossary stand in a sentence, in whatever form.

A term is found where its words stand, whatever their case; that of names counts.  Other forms of
them (``files`` for ``file``) are found where the model has learned to translate them by forms of
the term's translation (``shown`` says what it has learned), or has never seen them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from demotic.corpus.marks import bare, escape, protected_class, unescape, with_bare
from demotic.glossary.term import Glossary, Term, alike, all_alike, plain, stem_of

if TYPE_CHECKING:
    from demotic.corpus import Encoded, Orthography

Shown = Callable[[Sequence[str]], Sequence[Sequence[str]]]
"""The translations that a model has learned for some tokens, the most frequent first."""
_KEY = 3  # letters by which terms are looked up
_MOST_FORMS = 4


@dataclass(frozen=True)
class Occurrence:
    """A term in a sentence."""

    term: Term
    first: int
    last: int
    """Its tokens, the last one included."""
    forms: tuple[tuple[str, ...], ...]
    """Tokens of the translations that fit here, the one to prefer first."""


@dataclass(frozen=True)
class _Prepared:
    term: Term
    words: tuple[str, ...]
    stem: str
    """What all forms of its first word begin with, plain."""
    targets: tuple[tuple[str, ...], ...]


class Finder:
    """Looks for the terms of a glossary in sentences."""

    def __init__(
        self,
        glossary: Glossary,
        source: Orthography,
        target: Orthography | None = None,
        shown: Shown = lambda tokens: (),
        known: Callable[[str], bool] = lambda token: True,
    ) -> None:
        """``target`` takes translations apart; without it they are one token each.  ``known`` says
        whether the model has seen a token of the source language."""
        self._shown, self._known = shown, known
        self._terms: dict[str, list[_Prepared]] = defaultdict(list)
        for term in glossary.terms:
            words = tuple(_words(source.encode(term.source)))
            if not words:
                continue
            targets = tuple(
                (each,) if target is None else _written_out(target.encode(each))
                for each in term.targets
            )
            stem = stem_of(words[0])
            self._terms[stem[:_KEY]].append(_Prepared(term, words, stem, targets))
        for found in self._terms.values():
            found.sort(key=lambda each: -len(each.words))

    def terms_in(self, encoded: Encoded) -> list[Occurrence]:
        """From left to right; of those that overlap, the longest at the first place."""
        words = _words(encoded)
        found: list[Occurrence] = []
        at = 0
        while at < len(words):
            here = self._here(encoded.tokens, words, at)
            if here is None:
                at += 1
            else:
                found.append(here)
                at = here.last + 1
        return found

    def _here(self, tokens: Sequence[str], words: Sequence[str], at: int) -> Occurrence | None:
        if not words[at]:
            return None
        folded = plain(words[at])
        others: list[_Prepared] = []
        for each in self._terms.get(folded[:_KEY], ()):
            if not folded.startswith(each.stem):  # there may be thousands: the quickest look first
                continue
            there = words[at : at + len(each.words)]
            if _same(each, there):
                return self._occurrence(each, tokens, at, inflected=False)
            if not each.term.exact and len(there) == len(each.words) and _inflected(each, there):
                others.append(each)
        for each in others:
            found = self._occurrence(each, tokens, at, inflected=True)
            if found.forms:
                return found
        return None

    def _occurrence(
        self, prepared: _Prepared, tokens: Sequence[str], at: int, *, inflected: bool
    ) -> Occurrence:
        """With the forms of its translations that the model has learned for these tokens."""
        last = at + len(prepared.words) - 1
        forms: dict[tuple[str, ...], None] = {}
        if not inflected:
            forms = dict.fromkeys(prepared.targets)
        if not prepared.term.stays:
            wanted = [[_word(token) for token in each] for each in prepared.targets]
            for learned in self._shown(tokens[at : last + 1]):
                forms.update(dict.fromkeys(_forms_in(learned, wanted)))
        if not forms and not any(map(self._known, tokens[at : last + 1])):
            forms = dict.fromkeys(prepared.targets)  # better than words that nobody knows
        return Occurrence(prepared.term, at, last, tuple(forms)[:_MOST_FORMS])


def _forms_in(learned: Sequence[str], wanted: Sequence[Sequence[str]]) -> Iterator[tuple[str, ...]]:
    """Runs of tokens that are forms of one of the wanted translations."""
    words = [_word(token) for token in learned]
    for each in wanted:
        for at in range(len(words) - len(each) + 1):
            if all_alike(words[at : at + len(each)], each):
                yield tuple(learned[at : at + len(each)])


def _word(token: str) -> str:
    """The token as text; nothing for one that stands for a span."""
    return "" if protected_class(token) else unescape(bare(token))


def _words(encoded: Encoded) -> list[str]:
    """The tokens as text, with what spans stand for, nothing for translations that are decided."""
    texts = {span.token: "" if span.origin else span.text for span in encoded.spans}
    return [
        texts.get(name, "") if (name := protected_class(token)) else _word(token)
        for token in encoded.tokens
    ]


def _written_out(encoded: Encoded) -> tuple[str, ...]:
    """The tokens of a translation, its numbers and names as words: no sentence stands for them."""
    texts = {span.token: escape(span.text) for span in encoded.spans}
    return tuple(
        with_bare(token, texts[name]) if (name := protected_class(token)) in texts else token
        for token in encoded.tokens
    )


def _same(prepared: _Prepared, there: Sequence[str]) -> bool:
    if prepared.term.exact:
        return tuple(there) == prepared.words
    return [word.casefold() for word in there] == [word.casefold() for word in prepared.words]


def _inflected(prepared: _Prepared, there: Sequence[str]) -> bool:
    return all(
        one.casefold() == other.casefold() or (other.isalpha() and alike(one, other))
        for one, other in zip(prepared.words, there, strict=True)
    )
