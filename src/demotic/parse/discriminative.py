"""The discriminative parser, after Turian and Melamed (2006): boosted trees say what each node over
some items of the frontier costs, whatever stands below and beside them.

Nodes are made from the bottom up and from right to left, so that every tree is made in one order.
A sentence's tree is the cheapest that a best-first search finds.  Tags come from the tagger.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any, ClassVar, Self

import numpy as np

from demotic import _core
from demotic.errors import ArgumentError, CorruptFileError, check_counts
from demotic.learn.boosting import BoostingOptions, train_groups
from demotic.learn.ensembles import BinaryRows, Ensembles
from demotic.parse.evaluation import PUNCTUATION
from demotic.parse.frontier import PRIME, HeadTable, Prepared, prepared, restored
from demotic.parse.pieces import in_pieces
from demotic.parse.shapes import WordNumbers
from demotic.parse.tagger import Tagger
from demotic.progress import SILENT, Progress
from demotic.trees import Tree
from demotic.trees.tree import TOP

_BATCH = 64
_COARSE = 2


@dataclass(frozen=True, kw_only=True)
class DiscriminativeOptions:
    """How the parser learns and searches."""

    least: int = 2
    """Words seen less often are known by their shape only."""
    passes: int = 8
    """Of the tagger's perceptron over the treebank."""
    train_words: int = 40
    """Longer sentences are not learned from."""
    share: int = 40
    """Of the nodes that are wrong in a state one in so many is learned from, with that weight."""
    seen: int = 5
    """Features seen less often are left out."""
    lambda_min: float = 2.0
    """Where the boosting of labels ends."""
    pops: int = 30
    """States that the search follows to their end."""
    open: int = 8
    """Other nodes that are kept to be tried, of each state."""
    max_words: int = 100
    """Longer sentences are parsed in pieces."""

    def __post_init__(self) -> None:
        counts = ("least", "passes", "train_words", "share", "seen", "pops", "max_words")
        check_counts(self, *counts, least=1, most=1_000_000)
        if not 0 < self.lambda_min < 1e6:
            raise ArgumentError(f"lambda_min is {self.lambda_min}", remedy="a number above 0")


class DiscriminativeParser:
    """Sentences to trees."""

    KIND: ClassVar[str] = "discriminative"

    def __init__(
        self,
        tagger: Tagger,
        symbols: Sequence[str],
        labels: Sequence[str],
        words: WordNumbers,
        heads: HeadTable,
        keys: Any,
        classifiers: Ensembles,
        options: DiscriminativeOptions,
    ) -> None:
        self.tagger, self.symbols, self.labels = tagger, tuple(symbols), tuple(labels)
        self.words, self.heads, self.keys = words, heads, keys
        self.classifiers, self.options = classifiers, options
        self._symbol = {symbol: k for k, symbol in enumerate(self.symbols)}
        try:
            table = _symbol_table(self.symbols, heads)
            numbers = [self._symbol[label] for label in self.labels]
            top = self._symbol[TOP]
        except KeyError as error:
            raise CorruptFileError(f"a parser without the label {error}") from error
        self._core = _core.FrontierParser(*table, numbers, keys, classifiers.core, top)
        self.failures = 0
        """Sentences without a parse so far."""

    @classmethod
    def train(
        cls,
        trees: Iterable[Tree],
        *,
        options: DiscriminativeOptions | None = None,
        seed: int = 1,
        threads: int = 1,
        progress: Progress = SILENT,
    ) -> Self:
        """Learn from a treebank."""
        options = options or DiscriminativeOptions()
        known = [tree for tree in trees if not tree.flat]
        with progress.step("learning tags", 1) as advance:
            tagger = Tagger.train(known, passes=options.passes, seed=seed)
            advance(1)
        words = WordNumbers.of((tree.words for tree in known), least=options.least)
        taught: list[tuple[Tree, Prepared]] = []
        for tree in known:
            made = prepared(tree) if len(tree.words) <= options.train_words else None
            if made is not None:
                taught.append((tree, made))
        if not taught:
            raise ArgumentError("no trees to learn from", remedy="raise train_words")
        labels = sorted({node.label for _, tree in taught for node in tree.nodes if node.children})
        symbols = sorted({*labels, *tagger.tags})
        heads = HeadTable.learn([tree for _, tree in taught])
        number = {symbol: k for k, symbol in enumerate(symbols)}
        learner = _core.FrontierLearner(
            *_symbol_table(symbols, heads), [number[label] for label in labels], options.share, seed
        )
        with progress.step("replaying trees", len(taught), "trees") as advance:
            for tree, made in taught:
                learner.add(
                    [number[tag] for tag in tree.tags],
                    words.number(tree.words),
                    [(number[step.label], step.begin, step.size) for step in made.steps()],
                )
                advance(1)
        begins, atoms, row_labels, weights, keys = learner.finish(options.seen)
        classifiers = train_groups(
            BinaryRows(begins, atoms, len(keys)),
            np.array([0, len(row_labels)], np.uint64),
            row_labels,
            np.array([len(labels)], np.uint32),
            weights=weights,
            options=BoostingOptions(lambda_min=options.lambda_min),
            threads=threads,
            progress=progress,
        )
        return cls(tagger, symbols, labels, words, heads, keys, classifiers, options)

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
            found = self._core.parse(
                [[self._symbol[tag] for tag in each] for each in tags],
                [self.words.number(each) for each in words],
                self.options.pops,
                self.options.open,
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
        below = [children[a:b] for a, b in pairwise(begins)]
        return restored(words, [self.symbols[label] for label in labels], below, heads)

    # -- what a file keeps of it

    def record(self) -> dict[str, Any]:
        """Names and options."""
        return {
            "tags": self.tagger.tags,
            "symbols": self.symbols,
            "labels": self.labels,
            "words": self.words.names,
            "heads": self.heads.pairs,
            "right": self.heads.right,
            "options": asdict(self.options),
        }

    def arrays(self) -> dict[str, Any]:
        """Numbers."""
        return {
            "key": self.keys,
            "classifiers": np.frombuffer(self.classifiers.content(), np.uint8),
            "tag_key": self.tagger.core.keys,
            "tag_weight": self.tagger.core.weights,
        }

    @classmethod
    def of_record(cls, record: dict[str, Any], arrays: dict[str, bytes]) -> Self:
        """The parser that these were of; raises where they do not fit."""
        tags, symbols, labels, words = (
            [str(name) for name in record[field]]
            for field in ("tags", "symbols", "labels", "words")
        )
        if not {*tags} <= {*symbols}:
            raise CorruptFileError("a tagger whose tags the parser does not know")
        tagger = Tagger.of_arrays(
            tags,
            np.frombuffer(arrays["tag_key"], np.uint64),
            np.frombuffer(arrays["tag_weight"], np.float32),
        )
        pairs = tuple((str(label), str(child)) for label, child in record["heads"])
        return cls(
            tagger,
            symbols,
            labels,
            WordNumbers(words),
            HeadTable(pairs, tuple(bool(each) for each in record["right"])),
            np.frombuffer(arrays["key"], np.uint64),
            Ensembles.of_content(arrays["classifiers"]),
            DiscriminativeOptions(**record["options"]),
        )


_Numbers = list[int]


def _symbol_table(
    symbols: Sequence[str], heads: HeadTable
) -> tuple[_Numbers, _Numbers, _Numbers, _Numbers, _Numbers]:
    """What the core knows of symbols: marks, coarse ones, heads, sides."""
    number = {symbol: k for k, symbol in enumerate(symbols)}
    first: dict[str, int] = {}
    coarse = [first.setdefault(symbol.rstrip(PRIME)[:_COARSE], k) for symbol, k in number.items()]
    return (
        [int(symbol in PUNCTUATION) for symbol in symbols],
        coarse,
        [number[label] for label, _ in heads.pairs],
        [number[child] for _, child in heads.pairs],
        [int(each) for each in heads.right],
    )
