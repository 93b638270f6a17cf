"""Bigrams of target sides under a table of word symbols: the features TsRB of Li et al. 2010.

    symbols = Symbols.learn("train.en", preset="paper")     # the 250 most frequent words by class
    symbols = Symbols.read("pos.txt")                       # or by a table of somebody's tagger
    bigrams = symbols.bigrams(rules)                        # features for the rules of a table
    bigrams.meet_sides(grammar.core); bigrams.freeze()

A table is lines ``word<TAB>symbol``.  It must say what other words are, ``<other>``, and what
nonterminals are, ``<gap>``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from demotic import _core, files
from demotic.errors import ArgumentError, FormatError
from demotic.lm.classes import WordClasses, cluster
from demotic.progress import SILENT, Progress

Preset = Literal["paper", "lexical"]
PRESETS: tuple[str, ...] = get_args(Preset)
OTHER, GAP = "<other>", "<gap>"
FREQUENT = 250
"""Words that are told apart."""
CLASSES = 30
"""Into which they are sorted, where nobody gives a table."""
_SIGNS = re.compile(r"[_|\[\]\s]")


@dataclass(frozen=True)
class Symbols:
    """Word -> symbol, with ``<other>`` for all other words and ``<gap>`` for nonterminals."""

    of: Mapping[str, str]

    def __post_init__(self) -> None:
        for name in (OTHER, GAP):
            if name not in self.of:
                raise ArgumentError(
                    f"a table of symbols without {name}",
                    remedy=f"add a line {name}<TAB>SYMBOL: that of "
                    + ("all other words" if name == OTHER else "nonterminals"),
                )

    @classmethod
    def read(cls, path: str | Path) -> Symbols:
        """A table that somebody made, such as each word's most frequent part of speech."""
        of: dict[str, str] = {}
        for number, line in enumerate(files.read_lines(path), start=1):
            word, _, symbol = line.partition("\t")
            if not word or not symbol or "\t" in symbol:
                raise FormatError(
                    f"not a word and its symbol: {line[:60]!r}",
                    path=path,
                    line=number,
                    remedy="lines are WORD<TAB>SYMBOL",
                )
            if word in of:
                raise FormatError(f"the word {word!r} is listed twice", path=path, line=number)
            of[word] = symbol
        with files.naming(path):
            return cls(of)

    def write(self, path: str | Path) -> None:
        """Write lines that :meth:`read` reads."""
        files.write_lines(path, (f"{word}\t{symbol}" for word, symbol in self.of.items()))

    @classmethod
    def learn(
        cls,
        text: str | Path,
        *,
        preset: Preset = "paper",
        frequent: int = FREQUENT,
        classes: int = CLASSES,
        threads: int = 1,
        progress: Progress = SILENT,
    ) -> Symbols:
        """Symbols from the tokenised text of a language model, by exchange clustering."""
        found = cluster(
            text, classes=classes, skip_special=True, threads=threads, progress=progress
        )
        return cls.of_classes(found, preset=preset, frequent=frequent)

    @classmethod
    def of_classes(
        cls, classes: WordClasses, *, preset: Preset = "paper", frequent: int = FREQUENT
    ) -> Symbols:
        """``paper``: frequent words are their classes, others are one; ``lexical``: frequent words
        are themselves, others their classes."""
        if preset not in PRESETS:
            raise ArgumentError(
                f"no such preset of symbols: {preset}", remedy=f"choose from {', '.join(PRESETS)}"
            )
        of = {OTHER: "OTHER", GAP: "X"}
        for number, (word, own) in enumerate(classes.items()):
            if preset == "lexical":
                of[word] = f"w:{word}" if number < frequent else f"c{own}"
            elif number < frequent:
                of[word] = f"c{own}"
        return cls(of)

    def kept(self, words: Iterable[str]) -> Symbols:
        """For these words alone, and for others: a tagger's table cut to frequent words."""
        chosen = {word: self.of[word] for word in words if word in self.of}
        return Symbols({OTHER: self.of[OTHER], GAP: self.of[GAP], **chosen})

    def bigrams(self, rules: _core.RuleTable) -> _core.TargetBigrams:
        """The features of a table's target sides, of which none is there yet."""
        names = sorted(set(self.of.values()))
        number = {name: i for i, name in enumerate(names)}
        other = number[self.of[OTHER]]
        special = (OTHER, GAP)
        by_word = [
            number[self.of[word]] if word in self.of and word not in special else other
            for word in map(rules.target_word, range(rules.target_words))
        ]
        return _core.TargetBigrams(
            [_escaped(name) for name in names], by_word, number[self.of[GAP]]
        )


def _escaped(name: str) -> str:
    """Without the signs that names of features are made of."""
    return _SIGNS.sub(lambda sign: f"&#{ord(sign[0])};", name)
