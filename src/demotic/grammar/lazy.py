"""Rules for the text at hand, straight from the aligned text that they come from.

    write_lazy(source, target, links, out="aligned.bin", options=options)
    LexicalTable.estimate(source, target, links).save("lexical.bin")
    rules = LazyRules.load("aligned.bin", "lexical.bin")
    table = rules.table(["das haus ist klein ."])    # a RuleTable of what can match these lines

The aligned text takes a tenth of the room of a table of all its rules and is made in a fraction of
the time; what is paid is time for each sentence.  Of frequent words a sample of places is looked
at.
"""

from __future__ import annotations

import tempfile
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from demotic import _core, files
from demotic.grammar.table import RuleTable
from demotic.progress import SILENT, Progress

if TYPE_CHECKING:
    from demotic._core import Links
    from demotic.align.text import Text
    from demotic.grammar.extraction import HieroExtraction

_KEPT = 64  # tables for sentences that may come again
_WIDE = 2**31


def write_lazy(
    source: Text,
    target: Text,
    links: Links,
    *,
    out: str | Path,
    options: HieroExtraction,
    threads: int = 1,
    progress: Progress = SILENT,
) -> None:
    """Write the aligned text with an index of its words to ``out``."""
    with (
        files.atomic_path(out) as temporary,
        progress.step("indexing the text", len(links), "sentence pairs") as advance,
    ):
        _core.AlignedText.write(
            str(temporary),
            source.vocab,
            target.vocab,
            source.lines,
            target.lines,
            links,
            options.core(),
            max_targets=options.max_targets,
            min_sentences=options.min_sentences,
            min_loose=options.min_loose,
            short_loose=options.short_loose,
            unaligned=options.unaligned,
            sample=options.sample,
            threads=threads,
        )
        advance(len(links))


class LazyRules:
    """Aligned text in a mapped file; safe to share between threads."""

    def __init__(
        self, text: _core.AlignedText, lexical: _core.LexicalTable, *, span: int | None = None
    ) -> None:
        self._text = text
        self._rules = _core.LazyRules(text, lexical, _WIDE if span is None else span)
        self._tables: OrderedDict[tuple[tuple[str, ...], ...], RuleTable] = OrderedDict()
        self._guard = Lock()

    @classmethod
    def load(
        cls,
        path: str | Path,
        lexical: str | Path,
        *,
        span: int | None = None,
        verify: bool | None = None,
    ) -> LazyRules:
        """Map a text and its lexical table; rules match at most ``span`` words of a sentence."""
        with files.naming(path):
            text = _core.AlignedText(str(path), verify)
        with files.naming(lexical):
            return cls(text, _core.LexicalTable(str(lexical), verify is not False), span=span)

    def table(self, sentences: Iterable[str | Sequence[str]], *, threads: int = 1) -> RuleTable:
        """The rules that can match some sentences; those of one do not depend on the others."""
        wanted = tuple(tuple(each.split() if isinstance(each, str) else each) for each in sentences)
        with self._guard:
            found = self._tables.pop(wanted, None)
        if found is None:
            found = self._made(wanted, threads)
        with self._guard:
            self._tables[wanted] = found
            while len(self._tables) > _KEPT:
                self._tables.popitem(last=False)
        return found

    def _made(self, sentences: Sequence[Sequence[str]], threads: int) -> RuleTable:
        with tempfile.TemporaryDirectory(prefix="demotic-") as folder:
            path = Path(folder) / "rules.bin"
            self._rules.write([list(words) for words in sentences], str(path), threads)
            return RuleTable.load(path, verify=False)  # mapped: the file need not stay

    def find_source_word(self, word: str) -> int:
        """The id of a source word; 0 for one that the text does not have."""
        return self._text.find_source_word(word)

    @property
    def sample(self) -> int:
        """Places of a sequence of words that are looked at, at most."""
        return self._text.sample

    def __len__(self) -> int:
        """Sentence pairs."""
        return len(self._text)
