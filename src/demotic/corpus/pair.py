"""A sentence and its translation."""

from __future__ import annotations

from typing import NamedTuple


class Pair(NamedTuple):
    """A sentence and its translation, and where they come from."""

    id: str
    source: str
    target: str
    file: str
    unit: str
