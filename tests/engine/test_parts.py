"""Rows in files, by part."""

from __future__ import annotations

import resource
from itertools import pairwise
from pathlib import Path

import pyarrow as pa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from demotic.engine import LocalEngine
from demotic.engine.parts import PartFiles, read_batches, write_batches

SCHEMA = pa.schema([("number", pa.int64())])


def batch(numbers: list[int]) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays([pa.array(numbers, pa.int64())], schema=SCHEMA)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
@given(
    given_rows=st.lists(st.tuples(st.integers(0, 9), st.lists(st.integers(0, 99), min_size=1))),
    most=st.integers(1, 400),
)
def test_shelves_hold_whole_parts_once_and_more_than_one_only_where_they_fit(
    given_rows: list[tuple[int, list[int]]], most: int, tmp_path: Path
) -> None:
    parts = PartFiles(tmp_path, SCHEMA)
    wanted: dict[int, list[int]] = {}
    for part, numbers in given_rows:
        parts.add(part, batch(numbers))
        wanted.setdefault(part, []).extend(numbers)
    shelves = parts.shelves(most)
    assert [part for shelf in shelves for part in shelf] == sorted(wanted)
    for shelf in shelves:
        found = parts.take(shelf)["number"].to_pylist()
        assert found == [number for part in shelf for number in wanted[part]]
        assert len(shelf) == 1 or 8 * len(found) <= most
    for shelf, following in pairwise(shelves):
        assert 8 * sum(len(wanted[part]) for part in [*shelf, following[0]]) > most
    assert list(tmp_path.iterdir()) == []


def test_results_are_read_as_they_were_written(tmp_path: Path) -> None:
    wanted = [batch([1, 2]), batch([3])]
    write_batches(tmp_path / "result", SCHEMA, wanted)
    assert list(read_batches(tmp_path / "result")) == wanted


def test_parts_are_no_more_than_half_of_the_files_that_may_be_open() -> None:
    allowed, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (100, most))
        assert LocalEngine().parts == 50
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, most))
    assert LocalEngine().parts > 50
