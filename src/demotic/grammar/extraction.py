"""Hierarchical phrase-based rules from aligned text (Chiang 2007), counted and scored.

    source, target = Text.read("train.de"), Text.read("train.en")
    links = align(source, target).links
    rules = extract_hiero(source, target, links, out="rules.bin")

Every initial phrase pair has mass 1, shared equally by the rules it gives.  Counts are exact, and
the file is the same for any number of threads and any memory limit.
"""

from __future__ import annotations

import contextlib
import math
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from demotic import _core, files
from demotic.align.lexical import LexicalTable
from demotic.align.text import Text, check_parallel
from demotic.errors import ArgumentError, check_counts
from demotic.grammar.rule_rows import (
    COUNTED_SCHEMA,
    SCHEMA,
    SENTENCES,
    Extraction,
    RuleRows,
    batch_of,
)
from demotic.grammar.table import RuleTable
from demotic.grammar.templates import NO_TEMPLATES, TemplateOptions, add_templates
from demotic.progress import SILENT, Progress

if TYPE_CHECKING:
    from demotic._core import Links
    from demotic.engine import Engine
    from demotic.engine.engine import Kernel

# Of those who choose and score what the extractor found.
_WHEN_COUNTED = (
    "max_targets", "min_sentences", "min_loose", "short_loose", "significance", "unaligned",
    "sparse", "rules", "sample",
)  # fmt: skip
_LONGEST_LAZY = 64  # symbols of a source side that lazy rules can have
_EPSILON = 0.001
_PAIRS = 1 << 10  # extracted between two looks at the keyboard, for each thread
_INDEX = 16  # of the memory, for the index over source sides while it is written

_SUMMED_SCHEMA = pa.schema([*SCHEMA, ("total", pa.int64())])
_SUMMED_COUNTED_SCHEMA = pa.schema(
    [*_SUMMED_SCHEMA, *((name, pa.int64()) for name in (*SENTENCES[:2], "seen"))]
)
# On rows of all source sides with some target sides.  Sums over equal (source, target) are left to
# the scorer, which meets them side by side.  `summing` is its quick way.
COUNTED_BY_TARGET = """
SELECT rows.*, total
FROM rows JOIN (SELECT target, CAST(sum(mass) AS BIGINT) AS total FROM rows GROUP BY target) totals
ON rows.target = totals.target
ORDER BY source, target
"""
_COUNTED_QUERY = """
SELECT source, rows.target, links, mass, origins, total, sentences, source_sentences, seen
FROM rows JOIN (
    SELECT target, CAST(sum(mass) AS BIGINT) AS total, CAST(sum(target_sentences) AS BIGINT) AS seen
    FROM rows GROUP BY target
) totals
ON rows.target = totals.target
ORDER BY source, rows.target
"""

Significance = float | Literal["alpha+epsilon", "alpha-epsilon"]


@dataclass(frozen=True, kw_only=True)
class HieroExtraction:
    """What counts as a rule."""

    max_phrase: int = 10
    """Words of an initial phrase pair, each side."""
    max_symbols: int = 5
    """Symbols on the source side of a rule."""
    max_nonterminals: int = 2
    """Nonterminals of a rule, 0 to 2."""
    min_hole: int = 1
    """Source words that a nonterminal stands for, at least."""
    tight: bool = True
    """Keep unaligned words from the edges of phrases."""
    tight_holes: bool = False
    """Keep them from the edges of what nonterminals stand for, even where phrases may have them."""
    deletions: bool = False
    """Source words without a link give rules that delete them."""
    max_targets: int = 30
    """The most frequent rules of each source side are kept; 0 keeps all."""
    min_sentences: int = 1
    """Sentences that must have given a rule with nonterminals, 1 to 3."""
    min_loose: int = 1
    """Sentences that must have given a rule with an unaligned word at an edge, 1 to 3."""
    short_loose: int = 0
    """Source symbols up to which one sentence is enough for such a rule."""
    significance: Significance = 0.0
    """Keep rules whose sides meet in more sentences than chance explains: the least -log p of
    Fisher's exact test.  ``alpha-epsilon`` keeps what was seen once with sides that were seen once,
    ``alpha+epsilon`` does not.  0 keeps all."""
    unaligned: bool = False
    """Add the columns Deleted and Inserted: words of the source and of the target side without a
    link."""
    orientations: bool = False
    """Add the columns of lexicalised reordering: log-probabilities that a phrase follows
    monotonely, swaps or does something else, towards the phrases before and after it on the target
    side."""
    sparse: TemplateOptions = NO_TEMPLATES
    """Sparse features that rules get."""
    rules: Literal["table", "lazy"] = "table"
    """``table`` extracts all rules before anything is translated; ``lazy`` keeps the aligned text
    and makes the rules for the sentences at hand."""
    sample: int = 100
    """Of lazy rules: places of a sequence of words that are looked at; all places of rarer ones."""

    def __post_init__(self) -> None:
        check_counts(self, "max_phrase", "max_symbols", least=1, most=100)
        check_counts(self, "sample", least=1, most=1_000_000)
        check_rules(self)
        check_counts(self, "max_nonterminals", most=2)
        check_counts(self, "min_hole", least=1)
        check_counts(self, "max_targets", "short_loose")
        check_counts(self, "min_sentences", "min_loose", least=1, most=3)
        if isinstance(self.significance, str):
            if self.significance not in ("alpha+epsilon", "alpha-epsilon"):
                raise ArgumentError(
                    f"significance is {self.significance!r}",
                    remedy="a number, alpha+epsilon or alpha-epsilon",
                )
        elif not 0 <= self.significance < math.inf:
            raise ArgumentError("significance must be a number that is not negative")

    @classmethod
    def phrases(
        cls,
        max_phrase: int = 7,
        *,
        tight: bool = False,
        deletions: bool = False,
        max_targets: int = 30,
        min_loose: int = 1,
        short_loose: int = 0,
        significance: Significance = 0.0,
        unaligned: bool = False,
        orientations: bool = False,
        sparse: TemplateOptions = NO_TEMPLATES,
        rules: Literal["table", "lazy"] = "table",
        sample: int = 100,
    ) -> HieroExtraction:
        """Plain phrases, as phrase-based systems take them."""
        return cls(
            max_phrase=max_phrase,
            max_symbols=max_phrase,
            max_nonterminals=0,
            tight=tight,
            deletions=deletions,
            max_targets=max_targets,
            min_loose=min_loose,
            short_loose=short_loose,
            significance=significance,
            unaligned=unaligned,
            orientations=orientations,
            sparse=sparse,
            rules=rules,
            sample=sample,
        )

    def core(self) -> _core.HieroOptions:
        """The same for the core."""
        options = _core.HieroOptions()
        for name, value in asdict(self).items():
            if name not in _WHEN_COUNTED:
                setattr(options, name, value)
        return options

    def least_evidence(self, sentences: int) -> float:
        """The least -log p in a corpus of so many sentence pairs; 0 asks for no test."""
        if not isinstance(self.significance, str):
            return self.significance
        alpha = math.log(max(1, sentences))  # of what was seen once, with sides seen once
        return alpha + (_EPSILON if self.significance == "alpha+epsilon" else -_EPSILON)


@dataclass(frozen=True, kw_only=True)
class PhraseExtraction:
    """Which phrase pairs there are."""

    max_phrase: int = 7
    """Words of a phrase, each side."""
    tight: bool = False
    """Keep unaligned words from the edges of phrases."""
    deletions: bool = False
    """Source words without a link give phrases with an empty target side, which delete them."""
    max_targets: int = 30
    """The most frequent translations of each source phrase are kept; 0 keeps all."""
    min_loose: int = 1
    """Sentences that must have given a phrase pair with an unaligned word at an edge, 1 to 3."""
    short_loose: int = 0
    """Source words up to which one sentence is enough for such a phrase pair."""
    significance: Significance = 0.0
    """Keep phrase pairs whose sides meet in more sentences than chance explains: the least -log p
    of Fisher's exact test.  ``alpha-epsilon`` keeps what was seen once with sides that were seen
    once, ``alpha+epsilon`` does not.  0 keeps all."""
    unaligned: bool = False
    """Add the columns Deleted and Inserted: source and target words without a link."""
    reordering: bool = True
    """Learn for each phrase pair how it follows its neighbours (lexicalised reordering)."""
    table: Path | None = None
    """A phrase table made by another system, such as Moses (text, ``.gz``), or a binary table of
    Demotic's (``.bin``): used as it is, instead of extracting one."""
    sparse: TemplateOptions = NO_TEMPLATES
    """Sparse features that phrase pairs get, those of another system's table too."""
    rules: Literal["table", "lazy"] = "table"
    """``table`` extracts all phrase pairs before anything is translated; ``lazy`` keeps the aligned
    text and makes those for the sentences at hand."""
    sample: int = 100
    """Of lazy rules: places of a sequence of words that are looked at; all places of rarer ones."""

    def __post_init__(self) -> None:
        self.as_rules()  # complains if need be
        if self.rules == "lazy" and self.table is not None:
            raise ArgumentError(
                "lazy rules come from the text, not from a table of another system",
                remedy="leave out extract.table, or set extract.rules to table",
            )

    def as_rules(self) -> HieroExtraction:
        """The same for :func:`extract_hiero`: phrases are rules without nonterminals."""
        return HieroExtraction.phrases(
            self.max_phrase,
            tight=self.tight,
            deletions=self.deletions,
            max_targets=self.max_targets,
            min_loose=self.min_loose,
            short_loose=self.short_loose,
            significance=self.significance,
            unaligned=self.unaligned,
            orientations=self.reordering,
            sparse=self.sparse,
            rules=self.rules,
            sample=self.sample,
        )


def check_rules(options: HieroExtraction) -> None:
    """Raise where rules on demand cannot have what is asked for."""
    if options.rules not in ("table", "lazy"):
        raise ArgumentError(f"rules is {options.rules!r}", remedy="table or lazy")
    if options.rules == "table":
        return
    for name, asked in (
        ("significance", bool(options.significance)),
        ("sparse", bool(options.sparse.templates)),
    ):
        if asked:
            raise ArgumentError(
                f"extract.{name} needs a table of all rules",
                remedy="leave it out, or set extract.rules to table",
            )
    if options.max_symbols > _LONGEST_LAZY:
        raise ArgumentError(f"lazy rules have at most {_LONGEST_LAZY} source symbols")


@dataclass(frozen=True)
class ExtractRules:
    """The extractor of rules; ``sentences`` asks for the columns that count them."""

    options: HieroExtraction
    sentences: bool

    def open(self, rows: int, parts: int, threads: int) -> _core.RuleExtraction:
        """One that holds about so many rows."""
        return _core.RuleExtraction(
            self.options.core(), rows=rows, parts=parts, threads=threads, sentences=self.sentences
        )

    def counts(self, extraction: Extraction) -> NDArray[np.uint64]:
        """Occurrences, and how many of these have each orientation."""
        assert isinstance(extraction, _core.RuleExtraction)
        return np.array([extraction.occurrences, *extraction.orientations], np.uint64)


def extract_hiero(
    source: Text,
    target: Text,
    links: Links,
    *,
    out: str | Path,
    lexical: LexicalTable | None = None,
    options: HieroExtraction | None = None,
    engine: Engine | None = None,
    threads: int | None = None,
    progress: Progress = SILENT,
) -> RuleTable:
    """Extract rules from aligned text, score them, and write the table to ``out``.

    Without ``lexical``, word translation probabilities are estimated from the same links; without
    ``engine``, the work runs here, on ``threads`` threads or all cores.
    """
    from demotic.engine import LocalEngine

    options = options or HieroExtraction()
    if engine is None:
        engine = LocalEngine() if threads is None else LocalEngine(threads=threads)
    check_parallel(source, target)
    links.check(source.lines, target.lines)
    lexical = lexical or LexicalTable.estimate(source, target, links, progress=progress)
    evidence = options.least_evidence(len(links))
    tested = evidence > 0
    schema, query = (COUNTED_SCHEMA, _COUNTED_QUERY) if tested else (SCHEMA, COUNTED_BY_TARGET)
    rows = RuleRows(
        source,
        target,
        links,
        ExtractRules(options, tested),
        engine,
        schema=schema,
        title="extracting rules",
        step=_PAIRS * engine.threads,
        progress=progress,
    )
    with files.atomic_path(out) as temporary, _scored(temporary, options, progress) as scored:
        scorer = _core.RuleScorer(
            str(scored),
            source.vocab,
            target.vocab,
            lexical.core,
            max_targets=options.max_targets,
            min_sentences=options.min_sentences,
            min_loose=options.min_loose,
            short_loose=options.short_loose,
            significance=evidence,
            sentences=len(links),
            unaligned=options.unaligned,
            orientations=options.orientations,
            index_memory=engine.memory // _INDEX,
        )
        kernel = summing(options.min_sentences)
        with engine.aggregate(rows, schema, query, progress, kernel) as runs:
            occurrences, *orientations = rows.counts.tolist()
            progress.say(f"{occurrences:,} occurrences of rules")
            score_rules(scorer, runs, orientations if options.orientations else None, progress)
    return RuleTable.load(out)


@contextlib.contextmanager
def _scored(out: Path, options: HieroExtraction, progress: Progress) -> Iterator[Path]:
    """A path for the scored table; sparse features, if any are asked for, are added behind it."""
    if not options.sparse.templates:
        yield out
        return
    with tempfile.TemporaryDirectory(prefix="demotic-", dir=out.parent) as folder:
        scored = Path(folder) / "rules.bin"
        yield scored
        add_templates(RuleTable.load(scored), options.sparse, out=out, progress=progress)


def summing(min_sentences: int) -> Kernel:
    """What the queries ask of some parts, in the core; rules with nonterminals that fewer sentences
    gave, which no table has, are left out."""

    def summed(rows: pa.Table) -> pa.RecordBatch:
        sums = _core.RuleSums(min_sentences)
        sums.reserve(len(rows), rows.nbytes)
        for batch in rows.to_batches():
            sums.add(*_arrays(batch))
        schema = _SUMMED_COUNTED_SCHEMA if len(rows.schema) > len(SCHEMA) else _SUMMED_SCHEMA
        return batch_of((0, *sums.finish()), schema)[1]

    return summed


def score_rules(
    scorer: _core.RuleScorer,
    runs: list[Iterator[pa.RecordBatch]],
    orientations: list[int] | None,
    progress: Progress,
) -> None:
    """Merge sorted runs, score and write."""
    scorer.begin(len(runs), orientations)
    with progress.step("scoring rules", unit="rules") as advance:
        scored = 0
        while (run := scorer.next()) is not None:
            batch = next(runs[run], None)
            if batch is None:
                scorer.end(run)
            else:
                scorer.add(run, *_arrays(batch))
            advance(len(scorer) - scored)
            scored = len(scorer)
        scorer.finish()
        advance(len(scorer) - scored)


def _arrays(batch: pa.RecordBatch) -> Iterator[NDArray[Any]]:
    """The buffers of a batch: borders and bytes of a binary column, or numbers."""
    for column in batch.columns:
        if pa.types.is_binary(column.type):
            _, ends, content = column.buffers()
            borders = np.frombuffer(ends, np.int32)
            yield borders[column.offset : column.offset + len(column) + 1]
            yield np.frombuffer(content, np.uint8) if content else np.zeros(0, np.uint8)
        else:
            yield column.to_numpy(zero_copy_only=False)
