"""A term, its translations, and what became of it in a text."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

Outcome = Literal["used", "put in", "missing"]

_ENDING = 4  # letters in which two forms of a word differ at their ends, at most
_STEM = 3  # letters that they share, at least


@dataclass(frozen=True)
class Term:
    """Words of the source language and their translations, the one to write first."""

    source: str
    targets: tuple[str, ...]
    """Any of them will do; words that stay as they are have themselves."""

    @property
    def stays(self) -> bool:
        """Is it to be left as it is?"""
        return self.targets == (self.source,)

    @property
    def exact(self) -> bool:
        """Does its case matter?  That of names and acronyms does: IT is not it."""
        return self.stays or any(letter.isupper() for letter in self.source[1:])


@dataclass(frozen=True)
class Glossary:
    """Terms, each source side once."""

    terms: tuple[Term, ...] = ()

    @staticmethod
    def of(pairs: Iterable[tuple[str, str]]) -> Glossary:
        """From pairs of source and target; several targets of one source are one term."""
        targets: dict[str, dict[str, None]] = {}
        for source, target in pairs:
            targets.setdefault(source, {})[target] = None
        return Glossary(tuple(Term(source, tuple(each)) for source, each in targets.items()))

    def with_terms(self, other: Glossary) -> Glossary:
        """Both; where both have a source side, that of the other counts."""
        terms = {each.source: each for each in (*self.terms, *other.terms)}
        return Glossary(tuple(terms.values()))

    def lines(self) -> Iterator[str]:
        """As tab-separated values, which :func:`read_glossary` reads."""
        yield "source\ttarget"  # so that no term is taken for the head
        for term in self.terms:
            comment = " " * term.source.startswith("#")  # which it is not behind a space
            for target in term.targets:
                cells = [cell.replace("\t", " ") for cell in (term.source, target)]
                yield comment + "\t".join(cells)

    def __len__(self) -> int:
        return len(self.terms)

    def __bool__(self) -> bool:
        return bool(self.terms)


@dataclass(frozen=True)
class TermUse:
    """What became of a term in a translation.

    ``used``: the translation had it by itself; ``put in``: the glossary put it there; ``missing``:
    the translation comes from the memory, or was made without it, and has something else.
    """

    term: Term
    outcome: Outcome
    form: str = ""
    """As it was put in."""

    def to_record(self) -> dict[str, Any]:
        """For JSON."""
        record = {"term": self.term.source, "targets": [*self.term.targets]}
        return {**record, "outcome": self.outcome, **({"form": self.form} if self.form else {})}


def plain(word: str) -> str:
    """A word without case and accents: what its forms have in common, umlauts left aside.

    >>> plain("Häuser"), plain("haus")
    ('hauser', 'haus')
    """
    folded = word.casefold()
    if folded.isascii():
        return folded
    parts = unicodedata.normalize("NFD", folded)
    return "".join(each for each in parts if not unicodedata.combining(each))


def alike(one: str, other: str) -> bool:
    """May these be forms of one word: the same beginning, other endings?

    >>> alike("Datei", "Dateien"), alike("category", "categories"), alike("Seite", "Senf")
    (True, True, False)
    """
    one, other = plain(one), plain(other)
    if one == other:
        return True
    shared = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        shared += 1
    endings = max(len(one), len(other)) - shared
    return shared >= max(_STEM, endings) and endings <= _ENDING


def stem_of(word: str) -> str:
    """What all words begin with that are alike it, plain.

    >>> stem_of("Categories"), stem_of("IT")
    ('catego', 'it')
    """
    folded = plain(word)
    return folded[: max(_STEM, len(folded) - _ENDING)]


def all_alike(ones: Sequence[str], others: Sequence[str]) -> bool:
    """The same for several words."""
    return len(ones) == len(others) and all(map(alike, ones, others))
