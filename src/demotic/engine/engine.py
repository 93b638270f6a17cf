"""What a job may ask of the place where it runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from typing import Protocol

import pyarrow as pa

from demotic.progress import SILENT, Progress

# The rows of some parts as a query would answer them: its quick way, in the core.
Kernel = Callable[[pa.Table], pa.RecordBatch]


class Engine(Protocol):
    """Runs jobs that are too large for the memory.

    A job makes rows in batches, each for one of several parts; the rows that a query must see
    together are in the same part.  The query is run on some parts at a time, as many as fit, and
    the job merges the results.  They must say the same however parts were joined and rows were cut,
    so that any engine gives the same.
    """

    @property
    def threads(self) -> int:
        """How many threads a job may use while it makes rows."""

    @property
    def memory(self) -> int:
        """Bytes that a job should take, all in all; more goes to disk."""

    @property
    def parts(self) -> int:
        """How many parts a job should have; they are numbered from 0."""

    def aggregate(
        self,
        rows: Iterable[tuple[int, pa.RecordBatch]],
        schema: pa.Schema,
        query: str,
        progress: Progress = SILENT,
        kernel: Kernel | None = None,
    ) -> AbstractContextManager[list[Iterator[pa.RecordBatch]]]:
        """The results of a query in standard SQL over the table ``rows``: some parts at a time.

        An engine may run ``kernel`` instead, where there is one: what the job makes of the results
        is the same.
        """
