"""The local engine: results, limits, complaints."""

from __future__ import annotations

import contextlib
import resource
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from demotic.engine import LocalEngine, local
from demotic.errors import ArgumentError, FileAccessError

SCHEMA = pa.schema([("word", pa.binary()), ("count", pa.int64())])
QUERY = "SELECT word, CAST(sum(count) AS BIGINT) AS count FROM rows GROUP BY word ORDER BY word"


def word(number: int) -> bytes:
    return f"{number:0100}".encode()


def batches(words: int, times: int, parts: int = 1) -> Iterator[tuple[int, pa.RecordBatch]]:
    """Each word in the part of its number, with counts 1, 2, ..."""
    columns = [pa.array(map(word, range(part, words, parts)), pa.binary()) for part in range(parts)]
    for number in range(times):
        for part, column in enumerate(columns):
            counts = pa.array(np.full(len(column), number + 1, np.int64))
            yield part, pa.RecordBatch.from_arrays([column, counts], schema=SCHEMA)


def runs(engine: LocalEngine, words: int, times: int) -> list[list[tuple[bytes, int]]]:
    with engine.aggregate(batches(words, times, engine.parts), SCHEMA, QUERY) as results:
        return [
            [
                (bytes(key), count)
                for batch in result
                for key, count in zip(
                    batch["word"].to_pylist(), batch["count"].to_pylist(), strict=True
                )
            ]
            for result in results
        ]


def test_sums_are_those_of_the_rows_in_order() -> None:
    wanted = [(word(number), 1 + 2 + 3) for number in range(50_000)]
    assert runs(LocalEngine(threads=2, parts=3), 50_000, 3) == [wanted]


def test_no_rows_give_no_result() -> None:
    assert runs(LocalEngine(threads=1), 10, 0) == []


def test_temporary_files_go_away(tmp_path: Path) -> None:
    engine = LocalEngine(threads=1, temp=tmp_path)
    assert runs(engine, 1000, 2)
    with (
        contextlib.suppress(KeyboardInterrupt),
        engine.aggregate(batches(1000, 2), SCHEMA, QUERY) as results,
    ):
        assert next(results[0])
        assert list(tmp_path.iterdir())
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []


def test_more_rows_than_memory_are_aggregated_some_parts_at_a_time(tmp_path: Path) -> None:
    words, times = 100_000, 20  # 200 MB, of which 16 MiB are looked at together
    engine = LocalEngine(threads=1, memory=256 << 20, temp=tmp_path, parts=40)
    found = runs(engine, words, times)
    assert len(found) > 10
    assert all(run == sorted(run) for run in found)
    wanted = [(word(number), times * (times + 1) // 2) for number in range(words)]
    assert sorted(row for run in found for row in run) == wanted


def test_a_part_larger_than_its_share_is_aggregated_by_itself(tmp_path: Path) -> None:
    words, times = 100_000, 20  # 200 MB, where the database may take 128 MiB
    engine = LocalEngine(threads=1, memory=256 << 20, temp=tmp_path, parts=1)
    wanted = [(word(number), times * (times + 1) // 2) for number in range(words)]
    assert runs(engine, words, times) == [wanted]


def test_a_full_disk_is_told(tmp_path: Path) -> None:
    engine = LocalEngine(threads=1, temp=tmp_path)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, limits[1]))
    try:
        with pytest.raises(FileAccessError, match="temporary files") as caught:
            runs(engine, 10_000, 2)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert "disk space" in caught.value.remedy
    assert list(tmp_path.iterdir()) == []


def test_settings_that_cannot_work_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match="thread"):
        LocalEngine(threads=0)
    with pytest.raises(ArgumentError, match="part"):
        LocalEngine(parts=0)
    with pytest.raises(ArgumentError, match="256 MiB"):
        LocalEngine(memory=1 << 20)
    with pytest.raises(FileAccessError, match="no such folder"):
        LocalEngine(temp=tmp_path / "nowhere")


def test_a_query_that_is_interrupted_ends_as_an_interruption(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def interrupted(*_: object) -> None:
        raise RuntimeError("Query interrupted")  # as the database says it

    monkeypatch.setattr(local, "write_batches", interrupted)
    rows = pa.record_batch({"number": [1]})
    with (
        pytest.raises(KeyboardInterrupt),
        LocalEngine(threads=1).aggregate([(0, rows)], rows.schema, "FROM rows"),
    ):
        pass
