"""Compound splitting by frequency (Koehn & Knight, EACL 2003): ``Aktion`` + ``Plan``.

Of all ways to write a word as known words with linking letters between them, the one whose parts
have the highest geometric mean of counts wins (their eq. 1); the whole word competes with its own
count.  Parts are ordinary tokens with a joint between them (``Aktion ⁀s⁀ Plan``), so that they
share statistics with the free words and decoding can put them together again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise

from demotic.corpus.language_rules import FILLERS
from demotic.corpus.marks import (
    JOINER,
    SPACER,
    bare,
    joint,
    joint_filler,
    protected_class,
)
from demotic.corpus.pattern import Pattern

LEAST_SHARE = 0.01
"""Of a text's words that are compounds, for ``compounds = auto`` to split them."""
_CACHE_SIZE = 1 << 18
_LONGEST = 200  # letters; no compound is as long, and the search is quadratic in them
_SPLITTABLE = Pattern(r"\p{L}\p{Ll}++")


@dataclass(frozen=True)
class CompoundOptions:
    """What counts as a part of a compound."""

    min_part: int = 4
    """Letters."""
    min_count: int = 3
    """Of a part as a word of its own, in the corpus."""
    max_parts: int = 4
    """Of one compound."""
    fillers: tuple[str, ...] = ()
    """Linking letters between parts, such as the German s."""

    @classmethod
    def for_language(cls, language: str, **changes: int) -> CompoundOptions:
        """Options with the language's linking letters."""
        return cls(fillers=FILLERS.get(language, ()), **changes)


@dataclass(frozen=True)
class Compounds:
    """A learned splitter; ``counts`` holds the words (small) that may be parts."""

    options: CompoundOptions
    counts: Mapping[str, int]
    _known: dict[str, tuple[str, ...]] = field(default_factory=dict, compare=False, repr=False)

    @classmethod
    def learn(cls, counts: Mapping[str, int], options: CompoundOptions) -> Compounds:
        """A splitter from word counts; of rare words only the whole-word evidence is kept."""
        kept = {
            word: count
            for word, count in counts.items()
            if len(word) >= options.min_part and _SPLITTABLE.fullmatch(word)
        }
        return cls(options, kept)

    def usual(self, counts: Mapping[str, int], language: str) -> bool:
        """Whether the language writes compounds as one word, and the text has enough of them.

        English and French words that fall apart by chance are fewer than one in a hundred, German
        compounds two to five; a small text is split when it repeats the parts.
        """
        return language in FILLERS and self.share(counts) >= LEAST_SHARE

    def share(self, counts: Mapping[str, int]) -> float:
        """How much of a text, given as the counts of its words, would be split."""
        split = sum(count for word, count in counts.items() if len(self.split(word)) > 1)
        return split / max(sum(counts.values()), 1)

    def split(self, word: str) -> tuple[str, ...]:
        """Parts and linking letters in turn (part, filler, part, ...); the word alone if whole.

        Exact: the best sum of log counts is kept for each end and each number of parts, since
        the geometric mean does not decompose over different numbers.
        """
        if len(word) > _LONGEST:
            return (word,)
        parts = self._known.get(word)
        if parts is None:
            if len(self._known) >= _CACHE_SIZE:
                self._known.clear()
            parts = self._known[word] = self._search(word)
        return parts

    def _search(self, word: str) -> tuple[str, ...]:
        options = self.options
        if len(word) < 2 * options.min_part or not _SPLITTABLE.fullmatch(word):
            return (word,)
        small = word.lower()
        if len(small) != len(word):
            return (word,)
        # best[n][end] = (sum of log counts, cuts) with n parts that cover small[:end]; cuts are
        # (end of part, start of next) pairs, and smaller cuts win ties.
        fillers = ("", *options.fillers)
        best: dict[int, tuple[float, tuple[int, ...]]] = {0: (0.0, ())}
        whole = self.counts.get(small, 0)
        winner: tuple[float, tuple[int, ...]] = (math.log(whole) if whole else -math.inf, ())
        for parts in range(1, options.max_parts + 1):
            longer: dict[int, tuple[float, tuple[int, ...]]] = {}
            for end, (score, cuts) in best.items():
                for filler in fillers if parts > 1 else ("",):
                    start = end + len(filler)
                    if small[end:start] != filler:
                        continue
                    for stop in range(start + options.min_part, len(small) + 1):
                        count = self.counts.get(small[start:stop], 0)
                        if count < options.min_count:
                            continue
                        candidate = (score + math.log(count), (*cuts, end, start) if end else ())
                        if stop not in longer or _better(candidate, longer[stop]):
                            longer[stop] = candidate
            best = longer
            if parts > 1 and len(small) in best:
                score, cuts = best[len(small)]
                if _better((score / parts, cuts), winner):
                    winner = (score / parts, cuts)
        edges = (0, *winner[1], len(word))
        return tuple(word[a:b] for a, b in pairwise(edges))

    def encode(self, tokens: Iterable[str], form: Callable[[str], str]) -> list[str]:
        """Tokens with compounds split; ``form`` gives the usual case of a part (Plan, not plan)."""
        result: list[str] = []
        for token in tokens:
            pieces = self.split(bare(token)) if not protected_class(token) else (token,)
            if len(pieces) == 1:
                result.append(token)
                continue
            words = [pieces[0]]
            for filler, part in zip(pieces[1::2], pieces[2::2], strict=True):
                usual = form(part)
                words += [joint(filler), usual if usual.lower() == part else part]
            start = len(token) - len(token.lstrip(JOINER + SPACER))
            words[0] = token[:start] + words[0]
            words[-1] += JOINER * token.endswith(JOINER)
            result += words
        return result


def _better(one: tuple[float, tuple[int, ...]], other: tuple[float, tuple[int, ...]]) -> bool:
    """Higher score; on a tie (up to rounding) fewer, then earlier cuts."""
    if abs(one[0] - other[0]) > 1e-9 * max(1.0, abs(one[0])) or math.isinf(other[0]):
        return one[0] > other[0]
    return (len(one[1]), one[1]) < (len(other[1]), other[1])


def rejoined(tokens: Iterable[str]) -> list[tuple[int, str]]:
    """Tokens with compounds whole again, each with the place of its first part.

    A joint that is not between two words is dropped.
    """
    result: list[tuple[int, str]] = []
    pending: str | None = None
    for at, token in enumerate(tokens):
        filler = joint_filler(token)
        if filler is not None:
            pending = filler if result and result[-1][1][-1:].isalpha() else None
            continue
        if pending is not None and token[:1].isalpha():
            first, word = result[-1]
            result[-1] = (first, word + pending + token.lower())
        else:
            result.append((at, token))
        pending = None
    return result
