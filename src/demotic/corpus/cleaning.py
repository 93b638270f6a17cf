"""Cleaning: drop the pairs that would teach nothing or nonsense, and say which and why.

    bitext, report = clean(bitext, Cleaning(max_words=80))
    print(report)                     # a table
    report.to_json()

One streaming pass; duplicates are found by 64-bit hashes, 8 bytes for each pair kept.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from demotic.corpus.bitext import Bitext
from demotic.corpus.ids import Occurrences, as_integers, pair_digests
from demotic.corpus.language import UNKNOWN, normalise
from demotic.corpus.storage import BitextWriter
from demotic.errors import ArgumentError
from demotic.progress import SILENT, Progress

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from demotic.engine import Engine
    from demotic.engine.arrays import Arrays

_EXAMPLES = 3
_GOOD = -1

# White space that is layout: control characters, line and paragraph separators, a stray byte-order
# mark.  No-break spaces stay: French typography needs them.
_LAYOUT = r"\x00-\x1f\x7f\x{85}\x{2028}\x{2029}\x{feff}"
_UNTIDY = rf"[{_LAYOUT}]|  |^ | $"
# What is left when a text was decoded with the wrong charset: U+FFFD and C1 control characters.
_GARBLED = r"[\x{80}-\x{84}\x{86}-\x{9f}\x{fffd}]"
_UNSPACED = frozenset({"zh", "yue", "ja", "th", "lo", "km", "my", UNKNOWN})
_UNSPACED_LETTER = r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]"
_TAG = r"<[^<>]*>"


@dataclass(frozen=True, kw_only=True)
class Cleaning:
    """The rules, applied in this order; a pair is counted under the first that drops it.

    Words are what white space separates; in scripts without spaces each character is one.
    """

    tidy_whitespace: bool = True
    """Control characters and runs of spaces become one space; none at the ends."""
    drop_empty: bool = True
    """A side without any text."""
    drop_garbled: bool = True
    """Text decoded with a wrong charset: U+FFFD or C1 control characters."""
    max_words: int | None = 100
    """Words of the longer side."""
    max_characters: int | None = 2000
    """Characters of the longer side."""
    max_ratio: float | None = 9.0
    """Words of the longer side for each word of the shorter."""
    drop_identical: bool = False
    """Source and target are the same text."""
    drop_without_letters: bool = False
    """A side without any letter outside markup tags: numbers, punctuation, tags only."""
    drop_duplicates: bool = True
    """Exact duplicates of a pair; the first stays."""

    def __post_init__(self) -> None:
        for name in ("max_words", "max_characters", "max_ratio"):
            value = getattr(self, name)
            if value is not None and not value >= 1:
                raise ArgumentError(f"{name} is {value}", remedy="it must be 1 or more, or None")


@dataclass
class Dropped:
    """How many pairs a rule dropped, and the first few."""

    count: int = 0
    examples: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class CleaningReport:
    """What was dropped and why; prints as a table."""

    read: int
    kept: int
    dropped: dict[str, Dropped]

    def to_json(self) -> str:
        """The same as a JSON object."""
        dropped = {
            reason: {"count": drop.count, "examples": drop.examples}
            for reason, drop in self.dropped.items()
        }
        return json.dumps({"read": self.read, "kept": self.kept, "dropped": dropped})

    def __str__(self) -> str:
        rows = [("", "pairs", "of all", "for example")]
        rows.append(("read", f"{self.read:,}", "", ""))
        for reason, drop in self.dropped.items():
            rows.append(
                (reason, f"{drop.count:,}", self._share(drop.count), ", ".join(drop.examples))
            )
        rows.append(("kept", f"{self.kept:,}", self._share(self.kept), ""))
        widths = [max(len(row[column]) for row in rows) for column in range(3)]
        return "\n".join(
            f"{name:<{widths[0]}}  {count:>{widths[1]}}  {share:>{widths[2]}}  {examples}".rstrip()
            for name, count, share, examples in rows
        )

    def _share(self, count: int) -> str:
        return f"{count / self.read:.2%}" if self.read else ""


def clean(
    bitext: Bitext,
    rules: Cleaning | None = None,
    *,
    engine: Engine | None = None,
    progress: Progress = SILENT,
) -> tuple[Bitext, CleaningReport]:
    """The pairs that follow the rules, and a report on the others.

    Pairs keep the ids that they had before their white space was tidied.  An ``engine`` that
    spreads work judges the pairs elsewhere; that a pair came before is found here.
    """
    import pyarrow as pa

    judge = JudgePairs(rules or Cleaning(), bitext.source_language, bitext.target_language)
    rules = judge.rules
    writer = BitextWriter([])
    seen = Occurrences()
    dropped: dict[str, Dropped] = {}
    kept = 0
    with progress.step("cleaning", total=len(bitext), unit="pairs") as advance:
        for batch, objections in _judged(bitext, judge, engine):
            for number, reason in enumerate(judge.reasons):
                _note(dropped, reason, batch, objections == number)
            advance(batch.num_rows)
            batch = batch.filter(pa.array(objections == _GOOD))
            if rules.drop_duplicates:
                repeated = _repeated(batch, seen)
                _note(dropped, "duplicate", batch, repeated)
                batch = batch.filter(pa.array(~repeated))
            if batch.num_rows:
                writer.append(batch)
                kept += batch.num_rows
    return bitext.like(writer.finish()), CleaningReport(len(bitext), kept, dropped)


def _judged(
    bitext: Bitext, judge: JudgePairs, engine: Engine | None
) -> Iterator[tuple[pa.RecordBatch, NDArray[np.int8]]]:
    """All pairs, tidied, with the number of the reason against each."""
    if engine is None or not engine.spread:
        yield from map(judge.judged, bitext.batches())
        return
    pieces = ({"pairs": _packed(batch)} for batch in bitext.batches())
    for result in engine.map(judge, pieces, "judging pairs"):
        yield _unpacked(result["pairs"]), result["objections"]


@dataclass(frozen=True)
class JudgePairs:
    """Which pairs break a rule; for a whole batch of them, here or elsewhere."""

    rules: Cleaning
    source_language: str
    target_language: str

    @property
    def reasons(self) -> list[str]:
        """What a pair can be dropped for, but for duplicates."""
        rules = self.rules
        long = rules.max_words is not None or rules.max_characters is not None
        asked = {
            "empty": rules.drop_empty,
            "garbled": rules.drop_garbled,
            "too long": long,
            "length ratio": rules.max_ratio is not None,
            "identical": rules.drop_identical,
            "no letters": rules.drop_without_letters,
        }
        return [reason for reason, wanted in asked.items() if wanted]

    def judged(self, batch: pa.RecordBatch) -> tuple[pa.RecordBatch, NDArray[np.int8]]:
        """The pairs, tidied, and the number of the first reason against each."""
        import numpy as np

        batch = _tidied(batch) if self.rules.tidy_whitespace else batch
        objections = np.full(batch.num_rows, _GOOD, np.int8)
        for number, bad in enumerate(self._objections(batch)):
            objections[bad & (objections == _GOOD)] = number
        return batch, objections

    def __call__(self, piece: Arrays) -> Arrays:
        """The same of a piece of a text."""
        batch, objections = self.judged(_unpacked(piece["pairs"]))
        return {"pairs": _packed(batch), "objections": objections}

    def _objections(self, batch: pa.RecordBatch) -> Iterator[NDArray[np.bool_]]:
        """The rows that break a rule, in the order of ``reasons``."""
        import numpy as np
        import pyarrow.compute as pc

        source, target = batch.column("source"), batch.column("target")

        def either(test: Any) -> NDArray[np.bool_]:
            result: NDArray[np.bool_] = _array(test(source)) | _array(test(target))
            return result

        if self.rules.drop_empty:
            yield either(lambda text: pc.equal(pc.utf8_trim_whitespace(text), ""))
        if self.rules.drop_garbled:
            yield either(lambda text: pc.match_substring_regex(text, _GARBLED))
        words = _words(source, self.source_language), _words(target, self.target_language)
        too_long = np.zeros(batch.num_rows, dtype=bool)
        if self.rules.max_words is not None:
            too_long |= np.maximum(*words) > self.rules.max_words
        if self.rules.max_characters is not None:
            limit = self.rules.max_characters
            too_long |= either(lambda text: pc.greater(pc.utf8_length(text), limit))
        if self.rules.max_words is not None or self.rules.max_characters is not None:
            yield too_long
        if self.rules.max_ratio is not None:
            yield np.maximum(*words) > self.rules.max_ratio * np.maximum(np.minimum(*words), 1)
        if self.rules.drop_identical:
            yield _array(pc.equal(source, target))
        if self.rules.drop_without_letters:
            yield either(_without_letters)


def _note(
    dropped: dict[str, Dropped], reason: str, batch: pa.RecordBatch, bad: NDArray[np.bool_]
) -> None:
    drop = dropped.setdefault(reason, Dropped())
    rows = bad.nonzero()[0]
    drop.count += rows.size
    for row in rows[: _EXAMPLES - len(drop.examples)].tolist():
        drop.examples.append(f"{batch.column('file')[row]}:{batch.column('unit')[row]}")


def _packed(batch: pa.RecordBatch) -> NDArray[np.uint8]:
    """Pairs as bytes."""
    import numpy as np
    import pyarrow as pa

    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as stream:
        stream.write_batch(batch)
    return np.frombuffer(sink.getvalue(), np.uint8)


def _unpacked(content: NDArray[np.uint8]) -> pa.RecordBatch:
    import pyarrow as pa

    with pa.ipc.open_stream(pa.py_buffer(content)) as stream:
        return stream.read_next_batch()


def _tidied(batch: pa.RecordBatch) -> pa.RecordBatch:
    import pyarrow.compute as pc

    for name in ("source", "target"):
        column = batch.column(name)
        untidy = pc.match_substring_regex(column, _UNTIDY)
        if pc.any(untidy).as_py():
            tidy = pc.replace_substring_regex(column.filter(untidy), f"[ {_LAYOUT}]+", " ")
            column = pc.replace_with_mask(column, untidy, pc.ascii_trim(tidy, " "))
            position = batch.schema.get_field_index(name)
            batch = batch.set_column(position, batch.schema.field(position), column)
    return batch


def _without_letters(column: pa.Array) -> Any:
    import pyarrow.compute as pc

    text = pc.replace_substring_regex(column, _TAG, "")
    return pc.invert(pc.match_substring_regex(text, r"\p{L}"))


def _words(column: pa.Array, language: str) -> NDArray[np.int64]:
    """Words separated by spaces; each letter of a script without spaces is a word."""
    import numpy as np
    import pyarrow.compute as pc

    words = _array(pc.count_substring(column, " ")).astype(np.int64) + 1
    if normalise(language).split("-")[0] in _UNSPACED:
        words += _array(pc.count_substring_regex(column, _UNSPACED_LETTER))
    return words


def _repeated(batch: pa.RecordBatch, seen: Occurrences) -> NDArray[np.bool_]:
    import numpy as np

    sources, targets = batch.column("source").to_pylist(), batch.column("target").to_pylist()
    return np.asarray(seen.add(as_integers(pair_digests(sources, targets))) > 0)


def _array(values: Any) -> NDArray[Any]:
    result: NDArray[Any] = values.to_numpy(zero_copy_only=False)
    return result
