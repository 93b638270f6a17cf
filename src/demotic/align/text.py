"""One side of a bitext as the aligners take it: tokens separated by spaces, encoded as ids.

source = Text.read("train.de.gz")
target = Text.of(["the house", "is small"])
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from demotic import files
from demotic._core import TokenLines, Vocab
from demotic.errors import FormatError

_LINES = 1 << 14  # encoded at a time


@dataclass(frozen=True)
class Text:
    """Sentences as word ids, with the vocabulary that numbers them."""

    vocab: Vocab
    lines: TokenLines

    @classmethod
    def read(cls, path: str | Path) -> Text:
        """A plain or gzip-compressed file, one sentence a line."""
        vocab, lines = Vocab(), TokenLines()
        for chunk in files.read_text(path):
            lines.append(chunk, vocab)
        return cls(vocab, lines)

    @classmethod
    def of(cls, sentences: Iterable[str]) -> Text:
        """Sentences at hand; a newline inside one counts as a space."""
        vocab, lines = Vocab(), TokenLines()
        rest = iter(sentences)
        while batch := list(islice(rest, _LINES)):
            text = "".join(sentence.replace("\n", " ") + "\n" for sentence in batch)
            lines.append(text.encode("utf-8"), vocab)
        return cls(vocab, lines)

    def __len__(self) -> int:
        return len(self.lines)

    def sentence(self, line: int) -> list[str]:
        """The tokens of one line."""
        return [self.vocab.word(token) for token in self.lines[line]]

    def sentences(self) -> Iterator[list[str]]:
        """The tokens of each line."""
        return (self.sentence(line) for line in range(len(self)))


def check_parallel(
    source: Text, target: Text, names: tuple[str, str] = ("source", "target")
) -> None:
    """Raise unless the texts have the same number of sentences, and at least one."""
    if len(source) != len(target):
        raise FormatError(
            f"{names[0]} has {len(source)} lines, {names[1]} has {len(target)}",
            remedy="line n of the one must be the translation of line n of the other",
        )
    if len(source) == 0:
        raise FormatError("no sentences to align", path=names[0])
