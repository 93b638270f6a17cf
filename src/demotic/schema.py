"""Models of earlier versions: their settings under the names of today.

Schema 1 called the sections of extraction and of search differently from system to system.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

SCHEMA = 2
"""Of the models that this version writes; it reads those before."""

RENAMED = {
    "grammar": "extract",
    "phrases": "extract",
    "blocks": "extract",
    "decode": "search",
    "tuned": "choice",
    "extract.extraction": "extract.method",
    "search.search": "search.method",
}
"""Settings by their old names; what stands in a section is renamed after the section."""


def upgraded(config: Mapping[str, Any], schema: int) -> dict[str, Any]:
    """The configuration of a model of an earlier schema, as this version would have saved it."""
    return dict(config) if schema >= SCHEMA else _renamed(config, "")


def _renamed(section: Mapping[str, Any], where: str) -> dict[str, Any]:
    found = {}
    for name, value in section.items():
        place = RENAMED.get(f"{where}{name}", f"{where}{name}")
        inside = _renamed(value, f"{place}.") if isinstance(value, Mapping) else value
        found[place.removeprefix(where)] = inside
    return found
