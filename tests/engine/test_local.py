"""The local engine: results, limits, complaints."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from demotic.engine import LocalEngine
from demotic.errors import ArgumentError, FileAccessError

SCHEMA = pa.schema([("word", pa.binary()), ("count", pa.int64())])
QUERY = "SELECT word, CAST(sum(count) AS BIGINT) AS count FROM rows GROUP BY word ORDER BY word"


def word(number: int) -> bytes:
    return f"{number:0100}".encode()


def batches(words: int, times: int) -> Iterator[pa.RecordBatch]:
    column = pa.array(map(word, range(words)), pa.binary())
    for number in range(times):
        counts = pa.array(np.full(words, number + 1, np.int64))
        yield pa.RecordBatch.from_arrays([column, counts], schema=SCHEMA)


def totals(engine: LocalEngine, words: int, times: int) -> list[tuple[bytes, int]]:
    found: list[tuple[bytes, int]] = []
    for batch in engine.aggregate(batches(words, times), SCHEMA, QUERY):
        found += zip(batch["word"].to_pylist(), batch["count"].to_pylist(), strict=True)
    return found


def test_sums_are_those_of_the_rows_in_order() -> None:
    wanted = [(word(number), 1 + 2 + 3) for number in range(50_000)]
    assert totals(LocalEngine(threads=2), 50_000, 3) == wanted


def test_no_rows_give_no_result() -> None:
    assert totals(LocalEngine(threads=1), 10, 0) == []


def test_temporary_files_go_away(tmp_path: Path) -> None:
    engine = LocalEngine(threads=1, temp=tmp_path)
    assert totals(engine, 1000, 2)
    stopped = engine.aggregate(batches(1000, 2), SCHEMA, QUERY)
    next(stopped)
    stopped.close()
    assert list(tmp_path.iterdir()) == []


def test_more_rows_than_memory_are_sorted_on_disk(tmp_path: Path) -> None:
    words, times = 100_000, 20  # 200 MB, where the database may take 128 MiB
    engine = LocalEngine(threads=1, memory=256 << 20, temp=tmp_path)
    wanted = [(word(number), times * (times + 1) // 2) for number in range(words)]
    assert totals(engine, words, times) == wanted


def test_tables_made_on_the_way_are_seen_by_those_after_them() -> None:
    tables = {
        "totals": "SELECT word, CAST(sum(count) AS BIGINT) AS total FROM rows GROUP BY word",
        "shares": "SELECT rows.*, total FROM rows JOIN totals ON rows.word = totals.word",
    }
    query = "SELECT count, total FROM shares ORDER BY word, count"
    found = LocalEngine(threads=2).aggregate(batches(2, 3), SCHEMA, query, tables=tables)
    assert [tuple(row.values()) for batch in found for row in batch.to_pylist()] == [
        (count, 6) for _ in range(2) for count in (1, 2, 3)
    ]


def test_settings_that_cannot_work_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match="thread"):
        LocalEngine(threads=0)
    with pytest.raises(ArgumentError, match="256 MiB"):
        LocalEngine(memory=1 << 20)
    with pytest.raises(FileAccessError, match="no such folder"):
        totals(LocalEngine(temp=tmp_path / "nowhere"), 1, 1)
