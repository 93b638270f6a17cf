"""Models of earlier versions: their settings under the names of today.

Schema 1 called the sections of extraction and of search differently from system to system.  Until
schema 2 a preset of umt said which features there are, and ``paper`` was what ``lookahead`` is now,
with P(f|e).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

SCHEMA = 3
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


PRESETS = {
    "paper": ("lookahead", "printed"), "literal": ("literal", "printed"),
    "full": ("full", "all"), "tuned": ("tuned", "all"),
}  # fmt: skip
"""Presets of umt until schema 2: their names now, and the features that they stood for."""


def upgraded(config: Mapping[str, Any], schema: int, system: str) -> dict[str, Any]:
    """The configuration of a model of an earlier schema, as this version would have saved it."""
    found = _renamed(config, "") if schema < 2 else dict(config)
    if schema < 3 and system == "umt" and found.get("preset") in PRESETS:
        found["preset"], found["features"] = PRESETS[found["preset"]]
    return found


def _renamed(section: Mapping[str, Any], where: str) -> dict[str, Any]:
    found = {}
    for name, value in section.items():
        place = RENAMED.get(f"{where}{name}", f"{where}{name}")
        inside = _renamed(value, f"{place}.") if isinstance(value, Mapping) else value
        found[place.removeprefix(where)] = inside
    return found
