"""Weights of sparse features on disk: the ids that have one, and their values."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from demotic import files
from demotic.errors import CorruptFileError

if TYPE_CHECKING:
    from demotic.forest.weights import Floats


def write_sparse(path: Path, weights: Floats) -> None:
    """Write the weights that are not 0, and how many there could be."""
    import numpy as np

    ids = np.flatnonzero(weights).astype(np.uint32)
    with files.write_bytes(path) as out:
        np.savez(out, size=np.array([len(weights)]), ids=ids, values=weights[ids])


def read_sparse(path: Path) -> Floats:
    """The weights by id; none where there are no sparse features."""
    import numpy as np

    try:
        with path.open("rb") as raw, np.load(raw, allow_pickle=False) as arrays:
            size = int(arrays["size"][0])
            ids, values = arrays["ids"], arrays["values"].astype(np.float64)
        if not 0 <= size <= 1 << 24 or ids.shape != values.shape or ids.ndim != 1:
            raise ValueError("its arrays do not fit together")
        weights = np.zeros(size)
        weights[ids] = values
        if not np.isfinite(weights).all():
            raise ValueError("a weight is not finite")
        return weights
    except Exception as error:  # zipfile and numpy have many ways to dislike a file
        raise CorruptFileError(f"sparse weights that cannot be read: {error}", path=path) from error


def sparse_facts(path: Path, _: bool | None = None) -> dict[str, int]:
    """What ``demotic inspect`` says of them."""
    weights = read_sparse(path)
    return {
        "ids": len(weights),
        "weights that are not 0": sum(weight != 0 for weight in weights.tolist()),
    }
