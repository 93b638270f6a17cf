"""One process: threads, and DuckDB under a memory limit with a folder to spill into.

engine = LocalEngine(threads=2, memory=2 << 30)
query = "SELECT word, sum(n) AS n FROM rows GROUP BY word"
with engine.aggregate(rows, schema, query) as results:  # rows of a word are in one part
    for batches in results:
        ...
"""

from __future__ import annotations

import contextlib
import os
import resource
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from demotic.engine.engine import Job
from demotic.engine.parts import PartFiles, read_batches, write_batches
from demotic.errors import ArgumentError, DemoticError, FileAccessError
from demotic.files import check_folder
from demotic.progress import SILENT, Progress

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

    from demotic.engine.arrays import Arrays
    from demotic.engine.engine import Kernel

LEAST_MEMORY = 256 << 20
_DATABASE_THREAD = 128 << 20  # what the database wants for each thread while it sorts and joins
_SHARE = 16  # of the memory, for rows of one query: the database takes several times as much
_ROW = 100  # bytes of a result, about
_LEAST, _MOST = 1 << 9, 1 << 16  # rows of a result at a time


def _parts() -> int:
    """As many as large corpora need, or half of the files that the process may open."""
    allowed, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return 256 if allowed < 0 else max(1, min(256, allowed // 2))


@dataclass(frozen=True, kw_only=True)
class LocalEngine:
    """Threads, memory in bytes, and the folder for what does not fit (by default TMPDIR).

    ``parts`` bounds the corpus: each should fit into a sixteenth of the memory.
    """

    threads: int = field(default_factory=lambda: len(os.sched_getaffinity(0)))
    memory: int = 1 << 30
    temp: Path | None = None
    parts: int = field(default_factory=_parts)
    piece: int = 10_000
    spread: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        if self.threads < 1:
            raise ArgumentError("an engine needs at least one thread")
        if self.parts < 1:
            raise ArgumentError("an engine needs at least one part")
        if self.memory < LEAST_MEMORY:
            raise ArgumentError(
                f"{self.memory >> 20} MiB of memory are too few",
                remedy=f"give at least {LEAST_MEMORY >> 20} MiB",
            )
        if self.temp is not None:
            check_folder(self.temp)

    def map(
        self,
        job: Job,
        pieces: Iterable[Arrays],
        title: str = "",
        progress: Progress = SILENT,
    ) -> Iterator[Arrays]:
        """What a job makes of each piece, one after the other."""
        with progress.step(title, unit="pieces") as advance:
            for piece in pieces:
                yield job(piece)
                advance(1)

    @contextlib.contextmanager
    def aggregate(
        self,
        rows: Iterable[tuple[int, pa.RecordBatch]],
        schema: pa.Schema,
        query: str,
        progress: Progress = SILENT,
        kernel: Kernel | None = None,
    ) -> Iterator[list[Iterator[pa.RecordBatch]]]:
        """The results of a query over the table ``rows``, for as many parts at a time as fit."""
        with tempfile.TemporaryDirectory(prefix="demotic-", dir=self.temp) as name:
            folder = Path(name)
            parts = PartFiles(folder, schema)
            try:
                for part, batch in rows:
                    parts.add(part, batch)
            except BaseException:
                parts.close()  # or the folder could not be removed where files may be few
                raise
            shelves = parts.shelves(self.memory // _SHARE)
            results = [folder / f"{number}.result" for number in range(len(shelves))]
            # A batch of each result will be in memory at once.
            rows_at_once = self.memory // _SHARE // _ROW // max(1, len(shelves))
            rows_at_once = max(_LEAST, min(rows_at_once, _MOST))
            with progress.step("aggregating", len(shelves), "runs") as advance:
                for shelf, result in zip(shelves, results, strict=True):
                    if kernel is not None:
                        batch = kernel(parts.take(shelf))
                        write_batches(result, batch.schema, _cut(batch, rows_at_once))
                    else:
                        with _explained(), self._database(folder) as database:
                            database.register("rows", parts.take(shelf))
                            batches = database.sql(query).to_arrow_reader(rows_at_once)
                            write_batches(result, batches.schema, batches)
                    advance(1)
            yield [read_batches(result) for result in results]

    @contextlib.contextmanager
    def _database(self, folder: Path) -> Iterator[duckdb.DuckDBPyConnection]:
        import duckdb

        memory = self.memory // 2  # the job's own rows and the allocator's slack take the rest
        settings: dict[str, str | bool | int | float | list[str]] = {
            "threads": max(1, min(self.threads, memory // _DATABASE_THREAD)),
            "memory_limit": f"{memory >> 20}MiB",
            "temp_directory": str(folder / "database"),
            "preserve_insertion_order": False,  # keeping it would take memory
        }
        database = duckdb.connect(config=settings)
        try:
            yield database
        finally:
            database.close()


def _cut(batch: pa.RecordBatch, rows: int) -> Iterator[pa.RecordBatch]:
    for begin in range(0, len(batch), rows):
        yield batch.slice(begin, rows)


@contextlib.contextmanager
def _explained() -> Iterator[None]:
    """The database's complaints as ours."""
    import duckdb

    try:
        yield
    except duckdb.OutOfMemoryException as error:
        raise DemoticError(
            f"the database ran out of memory: {_first_line(error)}",
            remedy="give more memory, fewer threads, or more room for temporary files",
        ) from error
    # The last two where it finds while it commits, or afterwards, that a file cannot be written.
    except (duckdb.IOException, duckdb.TransactionException, duckdb.FatalException) as error:
        raise FileAccessError(
            f"temporary files: {_first_line(error)}",
            remedy="free some disk space or name another folder for temporary files",
        ) from error
    except RuntimeError as error:
        if "interrupted" in str(error):  # it swallows what a signal's handler raised
            raise KeyboardInterrupt from None
        raise


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]
