"""Named arrays in files: what goes to other processes and comes back.

write_arrays(path, {"ids": ids, "ends": ends})
read_arrays(path)["ids"]                       # mapped, read-only

One row of an Arrow file, a column for each array, whose type stands in the column's metadata.
Nothing is pickled: who can write these files cannot make others run code.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from demotic.engine.parts import on_disk
from demotic.errors import CorruptFileError

Arrays: TypeAlias = Mapping[str, NDArray[Any]]
"""Flat arrays of numbers by name; text is an array of bytes."""
_TYPE = b"numpy"


def as_array(text: bytes) -> NDArray[np.uint8]:
    """Bytes among arrays."""
    return np.frombuffer(text, np.uint8)


def write_arrays(path: Path, arrays: Arrays) -> None:
    """A file that read_arrays reads; it is there when it is complete."""
    fields = [
        pa.field(name, pa.large_binary(), metadata={_TYPE: array.dtype.str})
        for name, array in arrays.items()
    ]
    columns = [
        pa.Array.from_buffers(
            pa.large_binary(),
            1,
            [
                None,
                pa.py_buffer(np.array([0, array.nbytes], np.int64)),
                pa.py_buffer(np.ascontiguousarray(array)),
            ],
        )
        for array in arrays.values()
    ]
    schema = pa.schema(fields)
    temporary = path.with_name(f"{path.name}.{os.getpid()}")  # two may try the same
    with on_disk():
        with pa.ipc.new_file(temporary, schema) as sink:
            sink.write_batch(pa.RecordBatch.from_arrays(columns, schema=schema))
        temporary.replace(path)


def read_arrays(path: Path) -> dict[str, NDArray[Any]]:
    """What write_arrays wrote."""
    try:
        with on_disk(), pa.memory_map(str(path)) as file:
            batch = pa.ipc.open_file(file).get_batch(0)
    except (ValueError, pa.ArrowException) as error:
        raise CorruptFileError(
            f"a damaged file of arrays: {error}", path=path, remedy="run the command again"
        ) from error
    found: dict[str, NDArray[Any]] = {}
    for field, column in zip(batch.schema, batch.columns, strict=True):
        kind = np.dtype((field.metadata or {}).get(_TYPE, b"|u1").decode())
        _, _, content = column.buffers()
        some = content is not None and content.size
        found[field.name] = np.frombuffer(content, kind) if some else np.zeros(0, kind)
    return found
