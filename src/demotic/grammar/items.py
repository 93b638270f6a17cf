"""Items: the smallest translation units of an aligned text, in source order, and their labels.

    items_of("le petit chat".split(), "the small cat".split(), [(0, 0), (1, 1), (2, 2)])
    rules, counts = extract_items(source, target, links, out="rules.bin")
    corpora = label_corpora(source, target, links)

An item is a pair of blocks that inversion transduction grammar cannot split.  Its label says what a
stack of target fragments does when it comes: shift it, then join the top two so many times, in the
same order (R+) or in the other (R-).  The table of items is one of rules without nonterminals, some
with an empty target side.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from demotic import _core, files
from demotic.align.lexical import LexicalTable
from demotic.align.text import Text, check_parallel
from demotic.errors import check_choices, check_counts
from demotic.grammar.extraction import COUNTED_BY_TARGET, score_rules, summing
from demotic.grammar.rule_rows import SCHEMA, Extraction, RuleRows
from demotic.grammar.table import RuleTable
from demotic.progress import SILENT, Progress

if TYPE_CHECKING:
    from demotic._core import Links
    from demotic.engine import Engine

_PAIRS = 1 << 12  # gone through between two looks at the keyboard


@dataclass(frozen=True, kw_only=True)
class ItemExtraction:
    """How sentence pairs fall into items, and which of them the table gets."""

    attach: Literal["next", "previous"] = "next"
    """The neighbour, on the target side, that takes target words without links."""
    sub_items: Literal["itg", "all", "none"] = "itg"
    """Blocks within an item that no grammar of two orders can split also stand in the table: those
    with one linked word on a side at least, all of them, or none."""
    max_item: int = 0
    """Words of an item in the table, each side; 0 sets no limit.  Labels are learned from all."""
    compose: int = 0
    """Neighbouring items that are a block together also stand in the table as one, up to so many
    source words, and labels are also learned from sentences that are cut into these; 0: none."""
    min_composed: int = 1
    """Sentences that must have given an item that its links let fall into two, 1 to 3."""
    loose: bool = False
    """Items and composed ones also stand in the table with any of the target words without links
    that lie at their borders, and without them."""
    min_loose: int = 1
    """Sentences that must have given an item with a word without links at an edge, 1 to 3."""
    empty_items: bool = True
    """Items without target words stand in the table, so that words may be left out one by one."""
    max_words: int = 100
    """Words of a sentence, at most 255; pairs with a longer one are passed over."""
    max_targets: int = 30
    """The most frequent translations of each source side are kept; 0 keeps all."""
    unaligned: bool = False
    """Add columns that count the words of both sides without links, ``Deleted`` and
    ``Inserted``."""

    def __post_init__(self) -> None:
        check_choices(self)
        check_counts(self, "max_item", "max_targets")
        check_counts(self, "compose", most=255)
        check_counts(self, "max_words", least=1, most=255)
        check_counts(self, "min_loose", "min_composed", least=1, most=3)

    def core(self) -> _core.ItgOptions:
        """The same for the core."""
        return _core.ItgOptions(
            self.sub_items, self.attach, self.max_words, self.compose, self.loose
        )


@dataclass(frozen=True)
class Item:
    """Source words and their translation, by their borders, and the label."""

    source: tuple[int, int]
    target: tuple[int, int]
    label: int

    @property
    def operations(self) -> tuple[str, ...]:
        """The label in full: ``("S", "R+", "R-")``."""
        return operations_of(self.label)


@dataclass(frozen=True)
class ItemCounts:
    """What was met in a text."""

    pairs: int
    skipped: int
    """Pairs without links or words, or too long."""
    items: int
    empty_items: int
    """Of these, without target words."""
    sub_items: int
    composed_items: int
    loose_items: int
    long_items: int
    """Kept out of the table for their length."""
    words: int
    """Source words of items."""
    long_words: int
    """Of these, in items of more than seven."""
    lengths: tuple[int, ...]
    """Items by their source words, from 1 on; the last counts all that are longer."""

    @classmethod
    def of(cls, numbers: Sequence[int]) -> ItemCounts:
        """Of the numbers of :meth:`ExtractItems.counts`."""
        single = len(_COUNTED)
        return cls(**dict(zip(_COUNTED, numbers, strict=False)), lengths=tuple(numbers[single:]))


_COUNTED = [each.name for each in fields(ItemCounts) if each.name != "lengths"]


@dataclass(frozen=True)
class ExtractItems:
    """The extractor of items."""

    options: ItemExtraction

    def open(self, rows: int, parts: int, threads: int) -> _core.ItgExtraction:
        """One that holds about so many rows."""
        options = self.options
        return _core.ItgExtraction(
            options.core(), options.max_item, options.empty_items, rows, parts, threads
        )

    def counts(self, extraction: Extraction) -> NDArray[np.uint64]:
        """Those of :class:`ItemCounts`, in the order of its fields."""
        assert isinstance(extraction, _core.ItgExtraction)
        single = [getattr(extraction.counts, name) for name in _COUNTED]
        return np.array([*single, *extraction.lengths], np.uint64)


def operations_of(label: int) -> tuple[str, ...]:
    """A label in full: S, then reductions whose signs alternate."""
    signs = ("R+", "R-") if label % 2 else ("R-", "R+")
    return ("S", *(signs[i % 2] for i in range((label + 1) // 2)))


def items_of(
    source: Sequence[str],
    target: Sequence[str],
    links: Sequence[tuple[int, int]],
    options: ItemExtraction | None = None,
) -> tuple[list[Item], list[Item]]:
    """The items of a sentence pair, and those that only the table gets: within items, composed of
    them, with other words at their borders."""
    items, *others, _ = _cuts(source, target, links, options)
    return items, [item for each in others for item in each]


def composed_items_of(
    source: Sequence[str],
    target: Sequence[str],
    links: Sequence[tuple[int, int]],
    options: ItemExtraction,
) -> list[Item]:
    """The items of a sentence pair where the longest composed ones are taken, from left to right;
    labels are learned from these, too."""
    return _cuts(source, target, links, options)[-1]


def _cuts(
    source: Sequence[str],
    target: Sequence[str],
    links: Sequence[tuple[int, int]],
    options: ItemExtraction | None,
) -> list[list[Item]]:
    core = (options or ItemExtraction()).core()
    found = _core.itg_items(len(source), len(target), [list(link) for link in links], core)
    return [[Item((a, b), (c, d), label) for a, b, c, d, label in items] for items in found]


def extract_items(
    source: Text,
    target: Text,
    links: Links,
    *,
    out: str | Path,
    lexical: LexicalTable | None = None,
    options: ItemExtraction | None = None,
    engine: Engine | None = None,
    progress: Progress = SILENT,
) -> tuple[RuleTable, ItemCounts]:
    """Count and score the items of aligned text, and write the table to ``out``."""
    from demotic.engine import LocalEngine

    options = options or ItemExtraction()
    engine = engine or LocalEngine()
    check_parallel(source, target)
    links.check(source.lines, target.lines)
    lexical = lexical or LexicalTable.estimate(source, target, links, progress=progress)
    rows = RuleRows(
        source,
        target,
        links,
        ExtractItems(options),
        engine,
        title="finding items",
        step=_PAIRS,
        progress=progress,
    )
    with files.atomic_path(out) as temporary:
        scorer = _core.RuleScorer(
            str(temporary),
            source.vocab,
            target.vocab,
            lexical.core,
            max_targets=options.max_targets,
            min_sentences=1,
            min_loose=options.min_loose,
            short_loose=0,
            significance=0.0,
            sentences=len(links),
            unaligned=options.unaligned,
            orientations=False,
            pay_deletions=True,
            min_composed=options.min_composed,
        )
        with engine.aggregate(rows, SCHEMA, COUNTED_BY_TARGET, progress, summing(1)) as runs:
            score_rules(scorer, runs, None, progress)
    counts = ItemCounts.of(rows.counts.tolist())
    progress.say(
        f"{counts.items:,} items, {counts.skipped:,} pairs skipped, "
        f"{counts.long_words / max(1, counts.words):.1%} of words in items of more than seven"
    )
    return RuleTable.load(out), counts


LabelFeatures = Literal["paper", "context", "classes"]
_NO_CLASS = 65_535


def label_corpora(
    source: Text,
    target: Text,
    links: Links,
    *,
    options: ItemExtraction | None = None,
    features: LabelFeatures = "paper",
    stack: bool = False,
    words: bool = False,
    classes: Mapping[str, int] | None = None,
    min_count: int = 5,
    max_reductions: int = 0,
    holdout: int = 20,
    progress: Progress = SILENT,
) -> _core.LabelCorpora:
    """The labels of aligned text with what they go by.

    ``features``: the paper's three of an item; more words around it (``context``); or the
    ``classes`` of these, too, which must be given.  ``stack``: labels look at the stack as well.
    ``words``: the items' target words are kept, for learners that judge by these.
    """
    check_parallel(source, target)
    links.check(source.lines, target.lines)
    core = (options or ItemExtraction()).core()
    builder = _core.LabelCorpusBuilder(
        core, features, min_count, max_reductions, holdout, words, stack,
        classes_by_id(source, classes or {}),
    )  # fmt: skip
    with progress.step("labelling items", len(links), "sentence pairs") as advance:
        for begin in range(0, len(links), _PAIRS):
            end = min(begin + _PAIRS, len(links))
            builder.add(source.lines, target.lines, links, begin, end)
            advance(end - begin)
    return builder.finish()


def classes_by_id(text: Text, classes: Mapping[str, int]) -> list[int]:
    """Of each word of a vocabulary; words without a class share one."""
    if not classes:
        return []
    return [classes.get(text.vocab.word(i), _NO_CLASS) for i in range(len(text.vocab))]
