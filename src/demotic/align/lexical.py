"""Lexical translation tables w(e|f) and w(f|e) from aligned text (Koehn, Och and Marcu 2003).

table = LexicalTable.estimate(source, target, links)
table.target_given_source("Haus", "house")       # w(e|f); NULL is the empty word
table.write("model/lex")                         # model/lex.f2e and model/lex.e2f, as Moses'
table.save("lex.bin"); table = LexicalTable.load("lex.bin")
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from demotic import _core, files
from demotic.align.text import Text, check_parallel
from demotic.progress import SILENT, Progress

_LINES = 1 << 15  # counted at a time
_ROWS = 1 << 12  # written at a time


class LexicalTable:
    """How likely one word is linked with another, both ways.

    ``core`` takes word ids instead of words, for those who score many phrases.
    """

    def __init__(self, core: _core.LexicalTable) -> None:
        self.core = core

    @classmethod
    def estimate(
        cls, source: Text, target: Text, links: _core.Links, *, progress: Progress = SILENT
    ) -> LexicalTable:
        """Relative frequencies of links; a word without a link counts as linked with NULL."""
        check_parallel(source, target)
        links.check(source.lines, target.lines)
        counts = _core.LexicalCounts(source.vocab, target.vocab)
        with progress.step("counting linked words", len(links), "sentence pairs") as advance:
            for begin in range(0, len(links), _LINES):
                end = min(begin + _LINES, len(links))
                counts.add(source.lines, target.lines, links, begin, end)
                advance(end - begin)
        return cls(_core.LexicalTable(counts, source.vocab, target.vocab))

    @classmethod
    def read(cls, prefix: str | Path) -> LexicalTable:
        """Moses' text files PREFIX.f2e and PREFIX.e2f, plain or gzip (then PREFIX.f2e.gz)."""
        reader = _core.LexicalReader()
        for suffix, target_given_source in _SUFFIXES:
            path = Path(f"{prefix}{suffix}")
            if not path.exists() and (packed := Path(f"{path}.gz")).exists():
                path = packed
            line = 1
            for text in files.read_text(path):
                with files.naming(path):
                    reader.add(text, target_given_source, line)
                line += text.count(b"\n")
        with files.naming(prefix):
            return cls(reader.finish())

    def write(self, prefix: str | Path, *, compress: bool = False) -> tuple[Path, Path]:
        """Write PREFIX.f2e (``e f w(e|f)``) and PREFIX.e2f (``f e w(f|e)``); the two paths."""
        paths = []
        for suffix, target_given_source in _SUFFIXES:
            path = Path(f"{prefix}{suffix}" + (".gz" if compress else ""))
            with files.write_bytes(path) as out:
                out.writelines(self.text(target_given_source=target_given_source))
            paths.append(path)
        return paths[0], paths[1]

    def text(self, *, target_given_source: bool) -> Iterator[bytes]:
        """Moses' text form of one direction, in chunks of whole lines."""
        for begin in range(0, self.core.rows, _ROWS):
            yield self.core.text(target_given_source, begin, begin + _ROWS)

    @classmethod
    def load(cls, path: str | Path) -> LexicalTable:
        """A table saved with ``save``, mapped into memory; damage is found and reported."""
        with files.naming(path):
            return cls(_core.LexicalTable(str(path)))

    def save(self, path: str | Path) -> None:
        """The binary form."""
        with files.atomic_path(path) as temporary:
            self.core.save(str(temporary))

    def target_given_source(self, source: str, target: str) -> float:
        """w(e|f); 0 for words that were never linked."""
        return self.core.target_given_source(
            self.core.source_id(source), self.core.target_id(target)
        )

    def source_given_target(self, source: str, target: str) -> float:
        """w(f|e); 0 for words that were never linked."""
        return self.core.source_given_target(
            self.core.source_id(source), self.core.target_id(target)
        )

    def __len__(self) -> int:
        """The number of different word pairs."""
        return len(self.core)


_SUFFIXES = ((".f2e", True), (".e2f", False))
