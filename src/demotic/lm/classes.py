"""Word classes by exchange clustering: words that keep the same company share a class.

    from demotic.lm.classes import WordClasses, cluster

    classes = cluster("text.en.gz", classes=100)
    classes["house"]                   # 17
    classes.save("en.classes")         # word<TAB>class, frequent words first
    classes = WordClasses.load("en.classes")

The partition maximises the likelihood of the text under a class bigram model (Martin, Liermann and
Ney 1998).  The result is the same on every run and for any number of threads.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from demotic import _core, files
from demotic.errors import ArgumentError, FormatError
from demotic.lm.text import read_into
from demotic.progress import SILENT, Progress

_SLICE = 1024  # words looked at between two signs of life
_DIGITS = 9  # of a class's number, which the core must be able to hold


class WordClasses(Mapping[str, int]):
    """Word -> class; words in order of falling frequency."""

    def __init__(self, classes: Mapping[str, int], *, log_likelihood: float | None = None) -> None:
        self._classes = dict(classes)
        self.log_likelihood = log_likelihood
        """Of the training text (natural logarithm); None for loaded classes."""

    def __getitem__(self, word: str) -> int:
        return self._classes[word]

    def __iter__(self) -> Iterator[str]:
        return iter(self._classes)

    def __len__(self) -> int:
        return len(self._classes)

    def __repr__(self) -> str:
        return f"<WordClasses of {len(self):,} words in {len(set(self.values())):,} classes>"

    def members(self) -> list[list[str]]:
        """The words of each class, frequent ones first."""
        out: list[list[str]] = [[] for _ in range(max(self.values(), default=-1) + 1)]
        for word, number in self.items():
            out[number].append(word)
        return out

    def save(self, path: str | Path) -> None:
        """Write lines ``word<TAB>class``."""
        files.write_lines(path, (f"{word}\t{number}" for word, number in self.items()))

    @classmethod
    def load(cls, path: str | Path) -> WordClasses:
        """Read lines ``word<TAB>class``."""
        classes: dict[str, int] = {}
        for number, line in enumerate(files.read_lines(path), start=1):
            word, tab, value = line.partition("\t")
            is_number = value.isascii() and value.isdigit() and len(value) <= _DIGITS
            if not word or not tab or not is_number:
                raise FormatError(
                    f"not a word and its class: {line[:60]!r}",
                    path=path,
                    line=number,
                    remedy="lines are WORD<TAB>CLASS, the class a number from 0 on",
                )
            if word in classes:
                raise FormatError(f"the word {word!r} is listed twice", path=path, line=number)
            classes[word] = int(value)
        return cls(classes)


def cluster(
    text: str | Path | Sequence[str | Path],
    *,
    classes: int = 100,
    iterations: int = 10,
    min_count: int = 1,
    skip_special: bool = False,
    threads: int = 1,
    progress: Progress = SILENT,
) -> WordClasses:
    """Sort the words of a tokenised text into classes.

    ``iterations``: how often each word may move, at most; fewer when none wants to.
    ``min_count``: words seen less often move together, as if they were one word.
    ``skip_special``: pass over the word ``<unk>`` in the text, which is an error otherwise.
    """
    if classes < 1:
        raise ArgumentError(f"{classes} classes: at least one is needed")
    if iterations < 0:
        raise ArgumentError(f"{iterations} iterations: give 0 or more")
    counts = _core.BigramCounts(skip_special)
    read_into(counts, text, "counting neighbours", progress)
    exchange = _core.ClassExchange(counts, classes, max(1, min_count), max(1, threads))
    size = len(exchange)
    with progress.step("exchanging words", total=iterations * size, unit="words") as advance:
        for _ in range(iterations):
            moves = 0
            for begin in range(0, size, _SLICE):
                moves += exchange.improve(begin, begin + _SLICE)
                advance(min(_SLICE, size - begin))
            if moves == 0:
                break
    return WordClasses(exchange.assignment(counts), log_likelihood=exchange.log_likelihood)
