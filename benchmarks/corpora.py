"""Where the benchmarks find real text."""

from __future__ import annotations

import os
from pathlib import Path


def data_folder() -> Path:
    """The folder of real corpora: DEMOTIC_DATA, or shared/data beside the project."""
    given = os.environ.get("DEMOTIC_DATA")
    return Path(given) if given else Path(__file__).parents[2] / "shared" / "data"
