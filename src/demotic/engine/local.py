"""One process: threads, and DuckDB under a memory limit with a folder to spill into.

engine = LocalEngine(threads=2, memory=2 << 30)
for batch in engine.aggregate(rows, schema, "SELECT word, sum(n) FROM rows GROUP BY word"):
    ...
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from demotic.errors import ArgumentError, DemoticError, FileAccessError

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

LEAST_MEMORY = 256 << 20
_DATABASE_THREAD = 128 << 20  # what the database wants for each thread while it sorts and joins
_ROWS = 1 << 16  # of a result at a time
_TYPES = {"binary": "BLOB", "int64": "BIGINT", "int32": "INTEGER", "string": "VARCHAR"}


@dataclass(frozen=True, kw_only=True)
class LocalEngine:
    """Threads, memory in bytes, and the folder for what does not fit (by default TMPDIR)."""

    threads: int = field(default_factory=lambda: len(os.sched_getaffinity(0)))
    memory: int = 1 << 30
    temp: Path | None = None

    def __post_init__(self) -> None:
        if self.threads < 1:
            raise ArgumentError("an engine needs at least one thread")
        if self.memory < LEAST_MEMORY:
            raise ArgumentError(
                f"{self.memory >> 20} MiB of memory are too few",
                remedy=f"give at least {LEAST_MEMORY >> 20} MiB",
            )

    def aggregate(
        self,
        rows: Iterable[pa.RecordBatch],
        schema: pa.Schema,
        query: str,
        *,
        tables: Mapping[str, str] | None = None,
    ) -> Iterator[pa.RecordBatch]:
        """The result of a query over the table ``rows`` and ``tables`` made from it, in batches."""
        with _explained(), self._database() as database:
            columns = ", ".join(f'"{column.name}" {_TYPES[str(column.type)]}' for column in schema)
            database.execute(f"CREATE TABLE rows ({columns})")
            for batch in rows:
                database.register("batch", batch)
                database.execute("INSERT INTO rows SELECT * FROM batch")
                database.unregister("batch")
            for name, made in (tables or {}).items():
                database.execute(f"CREATE TABLE {name} AS {made}")
            yield from database.sql(query).to_arrow_reader(_ROWS)

    @contextlib.contextmanager
    def _database(self) -> Iterator[duckdb.DuckDBPyConnection]:
        import duckdb

        if self.temp is not None and not self.temp.is_dir():
            raise FileAccessError("no such folder", path=self.temp, remedy="create it first")
        with tempfile.TemporaryDirectory(prefix="demotic-", dir=self.temp) as folder:
            memory = self.memory // 2  # the job's own rows and the allocator's slack take the rest
            settings: dict[str, str | bool | int | float | list[str]] = {
                "threads": max(1, min(self.threads, memory // _DATABASE_THREAD)),
                "memory_limit": f"{memory >> 20}MiB",
                "temp_directory": folder,
                "preserve_insertion_order": False,  # keeping it would take memory
            }
            # A file, so that rows which no longer fit need not be kept in memory.
            database = duckdb.connect(str(Path(folder) / "rows.db"), config=settings)
            try:
                yield database
            finally:
                database.close()


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


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]
