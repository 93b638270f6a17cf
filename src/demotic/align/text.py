"""One side of a bitext as the aligners take it: tokens separated by spaces, one sentence a line.

source = Text.read("train.de.gz")
target = Text.of(["the house", "is small"])
source.lines, source.vocab                    # word ids, made when first asked for
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path

from demotic import files
from demotic._core import TokenLines, Vocab
from demotic.errors import FormatError

_LINES = 1 << 14  # held in one chunk


@dataclass(frozen=True)
class Text:
    """Sentences in a file that is read as often as needed, or in memory."""

    path: Path | None
    stored: tuple[bytes, ...] = ()
    stream: bool = False  # a pipe, which cannot be read again

    @classmethod
    def read(cls, path: str | Path) -> Text:
        """A plain or gzip-compressed file; what can be read only once is stored."""
        if str(path) == "-" or not Path(path).is_file():
            return cls(Path(path), tuple(files.read_text(path)), stream=True)
        return cls(Path(path))

    @classmethod
    def of(cls, sentences: Iterable[str]) -> Text:
        """Sentences at hand; a newline inside one counts as a space."""
        rest = iter(sentences)
        chunks = []
        while batch := list(islice(rest, _LINES)):
            chunks.append("".join(s.replace("\n", " ") + "\n" for s in batch).encode("utf-8"))
        return cls(None, tuple(chunks))

    def chunks(self) -> Iterator[bytes]:
        """The text in UTF-8, in chunks of whole lines."""
        if self.path is None or self.stream:
            return iter(self.stored)
        return files.read_text(self.path)

    @cached_property
    def _encoded(self) -> tuple[Vocab, TokenLines]:
        vocab, lines = Vocab(), TokenLines()
        for chunk in self.chunks():
            lines.append(chunk, vocab)
        return vocab, lines

    @property
    def vocab(self) -> Vocab:
        return self._encoded[0]

    @property
    def lines(self) -> TokenLines:
        return self._encoded[1]

    @property
    def name(self) -> str:
        """For messages."""
        return "the text" if self.path is None else str(self.path)

    @cached_property
    def _count(self) -> int:
        return sum(chunk.count(b"\n") for chunk in self.chunks())

    def __len__(self) -> int:
        return self._count

    def sentence(self, line: int) -> list[str]:
        """The tokens of one line."""
        return [self.vocab.word(token) for token in self.lines[line]]

    def sentences(self) -> Iterator[list[str]]:
        """The tokens of each line."""
        return (self.sentence(line) for line in range(len(self)))


def check_parallel(source: Text, target: Text) -> None:
    """Raise unless the texts have the same number of sentences, and at least one."""
    if len(source) != len(target):
        shorter, longer = sorted((source, target), key=len)
        raise FormatError(
            f"ends after {len(shorter)} lines, but {longer.name} has {len(longer)}",
            path=shorter.name,
            line=len(shorter) + 1,
            remedy="line n of the one must be the translation of line n of the other",
        )
    if len(source) == 0:
        raise FormatError(
            "no sentences to align", path=source.name, remedy="give at least one sentence pair"
        )
