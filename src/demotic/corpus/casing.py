"""Casing: learn how words are written inside sentences, undo sentence capitals, put them back.

``truecase`` lowers a sentence's first word when the corpus writes it small (German nouns and
names keep their capitals) and writes lines in ALL CAPITALS as ordinary text; ``lower`` writes all
words small and restores each word's most frequent form; ``none`` changes nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from demotic.corpus.marks import JOINER, SPACER, bare, protected_class, with_bare

Mode = Literal["truecase", "lower", "none"]
MODES: tuple[Mode, ...] = ("truecase", "lower", "none")
# How a sentence begins: with a capital, small, all of it in capitals, or no telling.
Style = Literal["sentence", "small", "capitals", "unknown"]

ENDS = frozenset({".", "!", "?", "…", "...", "?!", "!!", "!!!"})
"""What a sentence ends with."""
# The same as tokens, with the marks that they may carry.
_END_TOKENS = frozenset(
    left + end + right for end in ENDS for left in ("", JOINER, SPACER) for right in ("", JOINER)
)
_HEADLINE_WORDS = 3
_FEW_CAPITALS = 0.05  # for each line that begins small
_MANY_LINES = 100  # fewer tell nothing


def sentence_starts(words: Sequence[str | None]) -> Iterator[int]:
    """Positions of words that begin a sentence; None stands for a protected span, and an empty
    word for one that a reader does not see (a tag)."""
    waiting = True
    for at, word in enumerate(words):
        if word is None:
            waiting = False
        elif word[:1].isalnum():
            if waiting:
                yield at
            waiting = False
        elif word in ENDS:
            waiting = True


def capitalised(word: str) -> str:
    """The word with a capital first letter."""
    return word[:1].title() + word[1:]


def _all_capitals(words: Iterable[str]) -> bool:
    cased = [word for word in words if word.lower() != word.upper()]
    return (
        sum(len(word) > 1 for word in cased) >= _HEADLINE_WORDS
        and all(word.isupper() for word in cased)
        and all(word.lower().upper() == word for word in cased)
    )


_SIZES = (False, True)  # of a letter: small, large


class CaseCounts:
    """Counts how words are written where no rule forces a capital."""

    def __init__(self, *, markup: bool = True) -> None:
        self._forms: Counter[str] = Counter()
        self._markup = markup
        self._beginnings: Counter[bool] = Counter()

    def add(self, tokens: Sequence[str]) -> None:
        """One tokenised line."""
        words = _words(tokens, self._markup)
        first = next((word for word in words if word and word[0].isalpha()), "")
        if first and first[0].lower() != first[0].upper():
            self._beginnings[first[0].isupper()] += 1
        if _all_capitals(word for word in words if word):
            return
        forced = set(sentence_starts(words))
        self._forms.update(
            word
            for at, word in enumerate(words)
            if word and word[0].isalpha() and (at not in forced or word[0].islower())
        )

    def record(self) -> dict[str, Any]:
        """What was counted, for another process."""
        return {"forms": self._forms, "beginnings": [self._beginnings[large] for large in _SIZES]}

    def absorb(self, record: Mapping[str, Any]) -> None:
        """What was counted of the lines that follow."""
        self._forms.update(record["forms"])
        self._beginnings.update(dict(zip(_SIZES, record["beginnings"], strict=True)))

    @property
    def without_capitals(self) -> bool:
        """Do lines begin with small letters, all but a few?"""
        small, large = self._beginnings[False], self._beginnings[True]
        return small >= _MANY_LINES and large < _FEW_CAPITALS * small

    def best_forms(self) -> dict[str, str]:
        """Each word, small, and its most frequent form; ties go to the smaller letters."""
        best: dict[str, tuple[int, str]] = {}
        for form, count in self._forms.items():
            key = form.lower()
            if key not in best or (count, form) > best[key]:  # "a" > "A"
                best[key] = (count, form)
        return {key: form for key, (_, form) in best.items()}


def unseen(name: str) -> bool:
    """Does the class of a span say that a reader does not see it?"""
    return name.startswith("⟦tag")


def _words(tokens: Iterable[str], markup: bool) -> list[str | None]:
    """What stands in tokens: None for spans, nothing for markup where that is looked through."""
    return [
        ("" if markup and unseen(name) else None)
        if (name := protected_class(token))
        else bare(token)
        for token in tokens
    ]


@dataclass(frozen=True)
class Casing:
    """A learned casing: forms of words with capitals, and the words known to be small."""

    mode: Mode = "none"
    forms: Mapping[str, str] = field(default_factory=dict)
    small: frozenset[str] = frozenset()
    capitals: bool = True
    """Do sentences begin with one?  Where the text has none, none is written."""
    markup: bool = True
    """Does a sentence begin behind a tag?"""

    @classmethod
    def learn(cls, counts: CaseCounts, mode: Mode) -> Casing:
        """Casing from counts; ``none`` needs and keeps nothing."""
        if mode == "none":
            return cls()
        best = counts.best_forms()
        return cls(
            mode,
            {key: form for key, form in best.items() if form != key},
            frozenset(key for key, form in best.items() if form == key),
            capitals=not counts.without_capitals,
        )

    def form(self, word: str) -> str:
        """How the corpus writes a word that is given in small letters."""
        return self.forms.get(word, word) if self.mode == "truecase" else word

    def encode(self, tokens: list[str]) -> tuple[list[str], Style]:
        """Tokens in their normal case, and the style that was taken off."""
        if self.mode == "none":
            return tokens, "unknown"
        first = ""
        for token in tokens:
            first = bare(token)
            if first[:1].isalpha():
                break
        else:
            first = ""
        if first.isupper():
            words = _words(tokens, self.markup)
            if _all_capitals(word for word in words if word):
                return self._without_capitals(tokens), "capitals"
        tokens, style = self._lower(tokens) if self.mode == "lower" else self._truecase(tokens)
        # A small beginning says nothing where no other is known.
        return tokens, "unknown" if style == "small" and not self.capitals else style

    def _without_capitals(self, tokens: list[str]) -> list[str]:
        result = []
        for token in tokens:
            word = bare(token)
            form = self.form(word.lower())
            plain = protected_class(token) or form.upper() != word
            result.append(token if plain else with_bare(token, form))
        return result

    def _lower(self, tokens: list[str]) -> tuple[list[str], Style]:
        style: Style = "unknown"
        words = _words(tokens, self.markup)
        start = next(sentence_starts(words), None)
        if start is not None:
            style = _style_of(words[start] or "")
        return [token if protected_class(token) else token.lower() for token in tokens], style

    def _truecase(self, tokens: list[str]) -> tuple[list[str], Style]:
        style: Style = "unknown"
        if _END_TOKENS.isdisjoint(tokens[:-1]):
            starts = _first_start(tokens, self.markup)
        else:
            starts = list(sentence_starts(_words(tokens, self.markup)))
        for number, at in enumerate(starts):
            word = bare(tokens[at])
            if number == 0:
                style = _style_of(word)
                if style == "small":  # a label or fragment: later capitals are its own
                    break
            key = word.lower()
            if word != key and key in self.small and capitalised(key) == word:
                tokens[at] = with_bare(tokens[at], key)
        return tokens, style

    @property
    def all_small(self) -> bool:
        """Has the text no capitals at all?  Words that pass through get none either."""
        return self.mode == "truecase" and not self.capitals and not self.forms

    def decode(self, words: list[str | None], style: Style) -> list[str | None]:
        """Words (None for spans) in the case that the sentence should have."""
        if self.mode == "none":
            return words
        if style == "capitals" and self.capitals:
            return [word and word.upper() for word in words]
        if self.mode == "lower":
            words = [word and self.forms.get(word, word) for word in words]
        if style != "small" and self.capitals:
            for at in sentence_starts(words):
                words[at] = capitalised(words[at] or "")
        return words


def _first_start(tokens: Sequence[str], markup: bool) -> list[int]:
    """The first sentence start, without looking at the rest of the line."""
    for at, token in enumerate(tokens):
        if name := protected_class(token):
            if markup and unseen(name):
                continue
            return []
        if bare(token)[:1].isalnum():
            return [at]
    return []


def _style_of(word: str) -> Style:
    if word[:1].isupper():
        return "sentence"
    return "small" if word[:1].islower() else "unknown"
