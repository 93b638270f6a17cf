"""The generative parser: a lexicalised grammar in the manner of Collins (1997), CKY with a beam.

A node makes its head child, then modifiers outwards, right ones first, each given the node, the
head's label, tag and word, the modifier before it and whether a verb stands between.  The grammar
sees words seen once by their shape.  Tags come from the tagger.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any, ClassVar, Self

import numpy as np

from demotic import _core
from demotic.errors import ArgumentError, CorruptFileError, check_counts
from demotic.parse.annotation import annotated, plain
from demotic.parse.pieces import in_pieces
from demotic.parse.shapes import WordNumbers
from demotic.parse.tagger import Tagger
from demotic.progress import SILENT, Progress
from demotic.trees import Tree
from demotic.trees.tree import TOP

_ARRAYS: dict[str, Any] = {
    "is_verb": np.uint8, "event_key": np.uint64, "event_count": np.uint32,
    "context_key": np.uint64, "context_total": np.uint32, "context_types": np.uint32,
    "parent_of": np.uint32, "parent": np.uint32, "allowed": np.uint64,
}  # fmt: skip
_VERBS = ("V", "AUX", "MD")
_BATCH = 64


@dataclass(frozen=True, kw_only=True)
class GenerativeOptions:
    """How the parser learns and searches."""

    least: int = 2
    """Words seen less often are known by their shape only."""
    passes: int = 8
    """Of the tagger's perceptron over the treebank."""
    items: int = 15
    """Kept of each kind in a span."""
    width: float = 8.0
    """Items worse than the best of their kind by more than this (-ln p) are dropped."""
    max_words: int = 100
    """Longer sentences are parsed in pieces."""

    def __post_init__(self) -> None:
        check_counts(self, "least", "passes", "items", "max_words", least=1, most=100_000)
        if not 0 < self.width < 1e6:
            raise ArgumentError(f"width is {self.width}", remedy="give a number above 0")


class GenerativeParser:
    """Sentences to trees."""

    KIND: ClassVar[str] = "generative"

    def __init__(
        self,
        tagger: Tagger,
        symbols: Sequence[str],
        words: WordNumbers,
        grammar: _core.HeadGrammar,
        options: GenerativeOptions,
    ) -> None:
        if len(symbols) != grammar.symbols or len(words) != grammar.words:
            raise CorruptFileError("a parser whose names do not fit its grammar")
        self.tagger, self.symbols, self.words = tagger, tuple(symbols), words
        self.grammar, self.options = grammar, options
        self._symbol = {symbol: k for k, symbol in enumerate(self.symbols)}
        self.failures = 0
        """Sentences without a parse so far."""

    @classmethod
    def train(
        cls,
        trees: Iterable[Tree],
        *,
        options: GenerativeOptions | None = None,
        seed: int = 1,
        progress: Progress = SILENT,
    ) -> Self:
        """Learn from a treebank."""
        options = options or GenerativeOptions()
        known = [tree for tree in trees if not tree.flat]
        with progress.step("learning tags", 1) as advance:
            tagger = Tagger.train(known, passes=options.passes, seed=seed)
            advance(1)
        words = WordNumbers.of((tree.words for tree in known), least=options.least)
        taught = [annotated(tree) for tree in known]
        labels = {label for tree in taught for label in tree.labels}
        symbols = sorted({*labels, *tagger.tags, TOP})
        number = {symbol: k for k, symbol in enumerate(symbols)}
        counter = _core.HeadGrammarCounter(
            len(symbols), len(words), [s.startswith(_VERBS) for s in symbols], number[TOP]
        )
        with progress.step("counting trees", len(taught), "trees") as advance:
            for tree in taught:
                ends = [0]
                for below in tree.children:
                    ends.append(ends[-1] + len(below))
                counter.add(
                    [number[label] for label in tree.labels],
                    ends,
                    [child for below in tree.children for child in below],
                    [max(0, head) for head in tree.head_child],
                    words.number(tree.words),
                )
                advance(1)
        return cls(tagger, symbols, words, counter.finish(), options)

    def parse(
        self, sentences: Sequence[Sequence[str]], *, threads: int = 1, progress: Progress = SILENT
    ) -> list[Tree]:
        """A tree for each sentence; flat ones where there is no other."""
        with progress.step("parsing", len(sentences), "sentences") as advance:
            found: list[Tree] = []
            for begin in range(0, len(sentences), _BATCH):
                batch = sentences[begin : begin + _BATCH]
                found.extend(self._batch(batch, threads))
                advance(len(batch))
        return found

    def _batch(self, sentences: Sequence[Sequence[str]], threads: int) -> Iterator[Tree]:
        def parse(
            words: Sequence[Sequence[str]], tags: Sequence[Sequence[str]]
        ) -> list[Tree | None]:
            found = self.grammar.parse(
                [self.words.number(each) for each in words],
                [[self._symbol[tag] for tag in each] for each in tags],
                self.options.items,
                self.options.width,
                threads,
            )
            return [self._tree(own, *each) for own, each in zip(words, found, strict=True)]

        tags = self.tagger.tag(sentences, threads=threads)
        for tree in in_pieces(sentences, tags, self.options.max_words, parse):
            self.failures += tree.flat
            yield tree

    def _tree(
        self,
        words: Sequence[str],
        labels: Sequence[int],
        begins: Sequence[int],
        children: Sequence[int],
        heads: Sequence[int],
        _: float,
    ) -> Tree | None:
        if not labels:
            return None
        below = tuple(tuple(children[a:b]) for a, b in pairwise(begins))
        head = tuple(h if c else -1 for h, c in zip(heads, below, strict=True))
        return plain(Tree(tuple(words), tuple(self.symbols[k] for k in labels), below, head))

    # -- what a file keeps of it

    def record(self) -> dict[str, Any]:
        """Names and options."""
        return {
            "tags": self.tagger.tags,
            "symbols": self.symbols,
            "words": self.words.names,
            "top": self.grammar.top,
            "options": asdict(self.options),
        }

    def arrays(self) -> dict[str, Any]:
        """Numbers."""
        found = {name: getattr(self.grammar, name) for name in _ARRAYS}
        return {**found, "tag_key": self.tagger.core.keys, "tag_weight": self.tagger.core.weights}

    @classmethod
    def of_record(cls, record: dict[str, Any], arrays: dict[str, bytes]) -> Self:
        """The parser that these were of; raises where they do not fit."""
        tags, symbols, words = (
            [str(name) for name in record[field]] for field in ("tags", "symbols", "words")
        )
        if not {*tags} <= {*symbols}:
            raise CorruptFileError("a tagger whose tags the grammar does not know")
        tagger = Tagger.of_arrays(
            tags,
            np.frombuffer(arrays["tag_key"], np.uint64),
            np.frombuffer(arrays["tag_weight"], np.float32),
        )
        tables = {name: np.frombuffer(arrays[name], kind) for name, kind in _ARRAYS.items()}
        grammar = _core.HeadGrammar(len(symbols), len(words), int(record["top"]), **tables)
        options = GenerativeOptions(**record["options"])
        return cls(tagger, symbols, WordNumbers(words), grammar, options)
