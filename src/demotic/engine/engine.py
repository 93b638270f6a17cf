"""What a job may ask of the place where it runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Protocol

import pyarrow as pa


class Engine(Protocol):
    """Runs jobs that are too large for the memory.

    A job makes rows in batches, has them aggregated by a query, and takes the result in batches.
    Its rows must say the same however they are cut, so that any engine gives the same result.
    """

    @property
    def threads(self) -> int:
        """How many threads a job may use while it makes rows."""

    @property
    def memory(self) -> int:
        """Bytes that a job should take, all in all; more goes to disk."""

    def aggregate(
        self,
        rows: Iterable[pa.RecordBatch],
        schema: pa.Schema,
        query: str,
        *,
        tables: Mapping[str, str] | None = None,
    ) -> Iterator[pa.RecordBatch]:
        """The result of a query in standard SQL over the table ``rows``.

        ``tables`` are made before it, each by a query over those already there.  A query should
        group, join or sort, not several of these at once: each of them wants the whole memory.
        """
