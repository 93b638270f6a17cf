"""What a job may ask of the place where it runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeAlias

from demotic.progress import SILENT, Progress

if TYPE_CHECKING:
    import pyarrow as pa

    from demotic.engine.arrays import Arrays

Job: TypeAlias = "Callable[[Arrays], Arrays]"
"""Work on one piece of a text, the same wherever it is done.  It is pickled to get there, so it is
a function of a module or an object of a class of one, with little in it."""
RowsJob: TypeAlias = "Callable[[Arrays, Callable[[int, pa.RecordBatch], None]], Arrays]"
"""The same where it makes rows, which it hands to its second argument with the number of their
part, and a note beside them."""


class Rows(Protocol):
    """Rows for a query, which are made here, or of pieces somewhere else."""

    def __iter__(self) -> Iterator[tuple[int, pa.RecordBatch]]:
        """Rows made here, each batch for one of several parts."""

    def pieces(self) -> Iterator[Arrays]:
        """What the rows are made of, cut so that a task can hold a piece."""

    def job(self, parts: int) -> RowsJob:
        """What makes rows of a piece, for so many parts where it can."""

    def add_note(self, note: Arrays) -> None:
        """What the job noted beside the rows of a piece; pieces come in their order."""


Kernel: TypeAlias = "Callable[[pa.Table], pa.RecordBatch]"
"""The rows of some parts as a query would answer them: its quick way, in the core."""


class Engine(Protocol):
    """Runs jobs that are too large for the memory, or for one machine.

    Whoever calls an engine asks ``spread`` whether the work goes elsewhere in pieces.  Results
    never depend on it: what comes back is added up in whole numbers or put together in the order
    of the pieces.
    """

    @property
    def spread(self) -> bool:
        """Is work done elsewhere, and worth being cut into pieces?"""

    @property
    def threads(self) -> int:
        """How many threads a job may use here."""

    @property
    def memory(self) -> int:
        """Bytes that a job should take here, all in all; more goes to disk."""

    @property
    def temp(self) -> Path | None:
        """The folder for what does not fit; by default that of TMPDIR."""

    @property
    def parts(self) -> int:
        """How many parts rows made here should have; they are numbered from 0."""

    @property
    def piece(self) -> int:
        """Lines of a piece: some seconds of work, some megabytes."""

    def map(
        self,
        job: Job,
        pieces: Iterable[Arrays],
        title: str = "",
        progress: Progress = SILENT,
    ) -> Iterator[Arrays]:
        """What a job makes of each piece, in the order of the pieces."""

    def aggregate(
        self,
        rows: Rows,
        schema: pa.Schema,
        query: str,
        progress: Progress = SILENT,
        kernel: Kernel | None = None,
    ) -> AbstractContextManager[list[Iterator[pa.RecordBatch]]]:
        """The results of a query in standard SQL over the table ``rows``.

        Here, rows that a query must see together are in the same part; the query is run on some
        parts at a time, as many as fit, and whoever asked merges the results.  They must say the
        same however parts were joined and rows were cut, so that any engine gives the same.  An
        engine may run ``kernel`` instead, where there is one: what is made of the results is the
        same.
        """
