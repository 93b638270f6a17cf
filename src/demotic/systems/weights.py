"""A model's weights on disk: feature names and numbers, in JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path

from demotic import files
from demotic.errors import CorruptFileError


def read_weights(path: Path) -> dict[str, float]:
    """The weights in a file."""
    try:
        record = json.loads(path.read_bytes())
        weights = {str(name): float(value) for name, value in record.items()}
        if not all(map(math.isfinite, weights.values())):
            raise ValueError("one of them is not finite")
        return weights
    except (ValueError, TypeError, AttributeError, RecursionError, OverflowError) as error:
        raise CorruptFileError(f"weights that cannot be read: {error}", path=path) from error


def write_weights(path: Path, weights: Mapping[str, float]) -> None:
    """Write weights that :func:`read_weights` reads."""
    files.write_lines(path, [json.dumps(dict(weights), indent=2)])
