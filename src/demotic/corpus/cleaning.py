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

_EXAMPLES = 3

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
    bitext: Bitext, rules: Cleaning | None = None, *, progress: Progress = SILENT
) -> tuple[Bitext, CleaningReport]:
    """The pairs that follow the rules, and a report on the others.

    Pairs keep the ids that they had before their white space was tidied.
    """
    import numpy as np
    import pyarrow as pa

    rules = rules or Cleaning()
    writer = BitextWriter([])
    seen = Occurrences()
    dropped: dict[str, Dropped] = {}
    kept = 0
    with progress.step("cleaning", total=len(bitext), unit="pairs") as advance:
        for batch in bitext.batches():
            batch = _tidied(batch) if rules.tidy_whitespace else batch
            keep = np.ones(batch.num_rows, dtype=bool)
            for reason, bad in _objections(batch, rules, bitext):
                _note(dropped, reason, batch, keep & bad)
                keep &= ~bad
            batch = batch.filter(pa.array(keep))
            if rules.drop_duplicates:
                repeated = _repeated(batch, seen)
                _note(dropped, "duplicate", batch, repeated)
                batch = batch.filter(pa.array(~repeated))
            if batch.num_rows:
                writer.append(batch)
                kept += batch.num_rows
            advance(keep.size)
    return bitext.like(writer.finish()), CleaningReport(len(bitext), kept, dropped)


def _note(
    dropped: dict[str, Dropped], reason: str, batch: pa.RecordBatch, bad: NDArray[np.bool_]
) -> None:
    drop = dropped.setdefault(reason, Dropped())
    rows = bad.nonzero()[0]
    drop.count += rows.size
    for row in rows[: _EXAMPLES - len(drop.examples)].tolist():
        drop.examples.append(f"{batch.column('file')[row]}:{batch.column('unit')[row]}")


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


def _objections(
    batch: pa.RecordBatch, rules: Cleaning, bitext: Bitext
) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """Each rule's name and the rows that break it."""
    import numpy as np
    import pyarrow.compute as pc

    source, target = batch.column("source"), batch.column("target")

    def either(test: Any) -> NDArray[np.bool_]:
        result: NDArray[np.bool_] = _array(test(source)) | _array(test(target))
        return result

    if rules.drop_empty:
        yield "empty", either(lambda text: pc.equal(pc.utf8_trim_whitespace(text), ""))
    if rules.drop_garbled:
        yield "garbled", either(lambda text: pc.match_substring_regex(text, _GARBLED))
    words = _words(source, bitext.source_language), _words(target, bitext.target_language)
    too_long = np.zeros(batch.num_rows, dtype=bool)
    if rules.max_words is not None:
        too_long |= np.maximum(*words) > rules.max_words
    if rules.max_characters is not None:
        limit = rules.max_characters
        too_long |= either(lambda text: pc.greater(pc.utf8_length(text), limit))
    if rules.max_words is not None or rules.max_characters is not None:
        yield "too long", too_long
    if rules.max_ratio is not None:
        yield (
            "length ratio",
            np.maximum(*words) > rules.max_ratio * np.maximum(np.minimum(*words), 1),
        )
    if rules.drop_identical:
        yield "identical", _array(pc.equal(source, target))
    if rules.drop_without_letters:
        yield "no letters", either(_without_letters)


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
