"""Apache Spark: pieces of a text go through the core on many machines, rows through Spark's SQL.

    engine = SparkEngine("spark://master:7077", temp=Path("/shared/tmp"))
    for result in engine.map(job, pieces): ...       # in the order of the pieces
    with engine.aggregate(rows, schema, query) as [batches]: ...

Data goes through files in a folder that all machines see, not through this process's Java: a task
reads its piece, calls the same core as the local engine, and leaves its result under the piece's
number.  Rows that a kernel of the core can sum are summed by it, part by part; others by the query.
So results are in order, a task that is tried twice does no harm, and a query that looks at
rows twice does not make them again.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from demotic import errors
from demotic.engine.arrays import Arrays, as_array, read_arrays, write_arrays
from demotic.engine.engine import Job, Kernel, Rows, RowsJob
from demotic.engine.parts import on_disk, read_batches, write_batches
from demotic.engine.session import connect, run
from demotic.errors import ArgumentError, DemoticError
from demotic.files import check_folder
from demotic.progress import SILENT, Advance, Progress

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession

_AT_ONCE = 1 << 16  # rows of a result
_OF_A_PART = 1 << 12  # rows of one of many results
_MOST_PARTS = 1024  # whose results are merged here
_PARTS = "parts"  # of the rows of a piece, in its note
_ERROR = "error"  # the name of a result that is none


@dataclass(frozen=True, kw_only=True)
class SparkEngine:
    """A master of Spark's; ``threads`` and ``memory`` are those of this process, which begins and
    ends the work, and ``temp`` is a folder that all machines see."""

    name: str
    threads: int = field(default_factory=lambda: len(os.sched_getaffinity(0)))
    memory: int = 1 << 30
    temp: Path | None = None
    piece: int = 10_000
    parts: int = field(default=1, init=False)
    spread: bool = field(default=True, init=False)

    def __post_init__(self) -> None:
        if self.threads < 1:
            raise ArgumentError("an engine needs at least one thread")
        if self.temp is not None:
            check_folder(self.temp)

    def check(self) -> None:
        """Connect, or raise with what is missing."""
        _ = self._session

    @cached_property
    def _session(self) -> SparkSession:
        return connect(self.name, self.temp)

    def map(
        self,
        job: Job,
        pieces: Iterable[Arrays],
        title: str = "",
        progress: Progress = SILENT,
    ) -> Iterator[Arrays]:
        """What a job makes of each piece, in the order of the pieces."""
        with self._folder() as folder:
            number = _write(pieces, folder)
            self._run(_Task(str(folder), job), number, folder, title, progress)
            for each in range(number):
                yield _result(folder, each)
                _path(folder, "result", each).unlink()

    @contextlib.contextmanager
    def aggregate(
        self,
        rows: Rows,
        schema: pa.Schema,
        query: str,
        progress: Progress = SILENT,
        kernel: Kernel | None = None,
    ) -> Iterator[list[Iterator[pa.RecordBatch]]]:
        """The result of a query over all rows, as one run; of a kernel, a run for each part."""
        with self._folder() as folder:
            number = _write(rows.pieces(), folder)
            for name in ("rows", "sums"):
                _open_to_executors(folder / name)
            parts = max(1, min(number, _MOST_PARTS))
            make = _RowsTask if kernel is None else _PartsTask
            task = make(str(folder), rows.job(1 if kernel is None else parts), schema)
            self._run(task, number, folder, "making rows", progress)
            for each in range(number):
                rows.add_note(_result(folder, each))
            if not any((folder / "rows").iterdir()):
                yield []
                return
            with progress.step("aggregating", 1, "query") as advance:
                if kernel is None:
                    run(self._session, lambda: self._query(folder, query))
                else:
                    sums = _SumTask(str(folder), kernel, schema, number)
                    spread = self._session.sparkContext.parallelize(range(parts), parts)
                    run(self._session, lambda: spread.foreach(sums))
                advance(1)
            if kernel is None:
                yield [_stored(folder / "answer")]
            else:
                yield [read_batches(path) for path in sorted((folder / "sums").glob("*.sums"))]

    def _query(self, folder: Path, query: str) -> None:
        session = self._session.newSession()  # whose tables nobody else has
        session.read.parquet(f"file://{folder / 'rows'}").createOrReplaceTempView("rows")
        answer = session.sql(query)
        answer.write.parquet(f"file://{folder / 'answer'}", compression="zstd")

    @contextlib.contextmanager
    def _folder(self) -> Iterator[Path]:
        self.check()
        with on_disk(), tempfile.TemporaryDirectory(prefix="demotic-", dir=self.temp) as name:
            folder = Path(name).absolute()
            _open_to_executors(folder)
            yield folder

    def _run(
        self,
        task: _Task | _RowsTask | _PartsTask,
        number: int,
        folder: Path,
        title: str,
        progress: Progress,
    ) -> None:
        """A task for each piece; raises what went wrong in the first piece where anything did."""
        context = self._session.sparkContext
        if number == 0:
            return
        with progress.step(title, number, "pieces") as advance:
            counted = _Counted(folder, number, advance)
            run(
                self._session,
                lambda: context.parallelize(range(number), number).foreach(task),
                look=counted,
            )


class _Counted:
    """Tells how many pieces are done."""

    def __init__(self, folder: Path, number: int, advance: Advance) -> None:
        self._left = [_path(folder, "result", each) for each in range(number)]
        self._advance = advance

    def __call__(self) -> None:
        left = [path for path in self._left if not path.exists()]
        self._advance(len(self._left) - len(left))
        self._left = left


@dataclass(frozen=True)
class _Task:
    """Work on one piece, by its number."""

    folder: str
    job: Job

    def __call__(self, number: int) -> None:
        folder = Path(self.folder)
        try:
            result = self.job(read_arrays(_path(folder, "piece", number)))
        except DemoticError as error:  # trying again would not help
            result = _told(error)
        write_arrays(_path(folder, "result", number), result)


@dataclass(frozen=True)
class _RowsTask:
    """Rows of one piece, by its number."""

    folder: str
    job: RowsJob
    schema: pa.Schema

    def __call__(self, number: int) -> None:
        import pyarrow.parquet as parquet

        folder = Path(self.folder)
        # What begins with a dot is no table to Spark until it is complete.
        temporary = folder / "rows" / f".{number}.{os.getpid()}"
        try:
            with (
                on_disk(),
                parquet.ParquetWriter(
                    temporary, self.schema, compression="zstd", use_dictionary=False
                ) as sink,
            ):
                piece = read_arrays(_path(folder, "piece", number))
                note = self.job(piece, lambda part, batch: sink.write_batch(batch))
        except DemoticError as error:
            note = _told(error)
            temporary.unlink(missing_ok=True)
        else:
            temporary.replace(folder / "rows" / f"{number}.parquet")
        write_arrays(_path(folder, "result", number), note)


@dataclass(frozen=True)
class _PartsTask:
    """Rows of one piece, part by part, so that each part can be read by itself."""

    folder: str
    job: RowsJob
    schema: pa.Schema

    def __call__(self, number: int) -> None:
        import numpy as np
        import pyarrow as pa

        folder = Path(self.folder)
        made: list[tuple[int, pa.RecordBatch]] = []
        try:
            note = self.job(
                read_arrays(_path(folder, "piece", number)), lambda *batch: made.append(batch)
            )
        except DemoticError as error:
            note = _told(error)
        else:
            note = {**note, _PARTS: np.array([part for part, _ in made], np.int64)}
            temporary = folder / "rows" / f".{number}.{os.getpid()}"
            with on_disk():
                with pa.ipc.new_file(temporary, self.schema) as sink:
                    for _, batch in made:
                        sink.write_batch(batch)
                temporary.replace(_path(folder / "rows", "rows", number))
        write_arrays(_path(folder, "result", number), note)


@dataclass(frozen=True)
class _SumTask:
    """What a kernel makes of the rows that all pieces have of one part."""

    folder: str
    kernel: Kernel
    schema: pa.Schema
    pieces: int

    def __call__(self, part: int) -> None:
        import pyarrow as pa

        folder, found = Path(self.folder), []
        for number in range(self.pieces):
            parts = read_arrays(_path(folder, "result", number))[_PARTS]
            with on_disk(), pa.memory_map(str(_path(folder / "rows", "rows", number))) as file:
                batches = pa.ipc.open_file(file)
                found += [batches.get_batch(int(at)) for at in (parts == part).nonzero()[0]]
        if not found:
            return
        answer = self.kernel(pa.Table.from_batches(found, self.schema))
        out = _path(folder / "sums", "sums", part)
        temporary = out.with_name(f".{part}.{os.getpid()}")
        cuts = range(0, len(answer), _OF_A_PART)
        write_batches(temporary, answer.schema, (answer.slice(at, _OF_A_PART) for at in cuts))
        temporary.replace(out)


def _open_to_executors(folder: Path) -> None:
    """They may be other users, who write there but replace nothing of ours."""
    folder.mkdir(exist_ok=True)
    folder.chmod(0o1777)


def _path(folder: Path, kind: str, number: int) -> Path:
    return folder / f"{number}.{kind}"


def _write(pieces: Iterable[Arrays], folder: Path) -> int:
    """How many there are, once they are written."""
    number = 0
    for number, piece in enumerate(pieces, 1):
        write_arrays(_path(folder, "piece", number - 1), piece)
    return number


def _result(folder: Path, number: int) -> Arrays:
    """Of a piece; raises the error that it is, if so."""
    result = read_arrays(_path(folder, "result", number))
    if _ERROR in result:
        kind, message, path, line, remedy = result[_ERROR].tobytes().decode().split("\0")
        raised: type[DemoticError] = getattr(errors, kind)
        raise raised(message, path=path or None, line=int(line) if line else None, remedy=remedy)
    return result


def _told(error: DemoticError) -> Arrays:
    """An error as a result."""
    line = "" if error.line is None else str(error.line)
    told = (type(error).__name__, error.message, error.path or "", line, error.remedy)
    return {_ERROR: as_array("\0".join(told).encode("utf-8", "replace"))}


def _stored(folder: Path) -> Iterator[pa.RecordBatch]:
    """The rows of Spark's files, whose names are in the order of its partitions."""
    import pyarrow.parquet as parquet

    for path in sorted(folder.glob("part-*.parquet")):
        with on_disk(), parquet.ParquetFile(path) as file:
            yield from file.iter_batches(_AT_ONCE)
