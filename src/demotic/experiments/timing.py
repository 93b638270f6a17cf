"""Times that can be compared: CPU seconds of one thread, the median of several rounds.

Rounds of all systems alternate, so that a change of the machine's speed meets them alike.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping
from typing import Any


def medians(
    systems: Mapping[str, Callable[[], Mapping[str, float]]], *, repeats: int
) -> dict[str, dict[str, float]]:
    """Run every system ``repeats`` times, in turns; the median of each figure it reports."""
    rounds: dict[str, list[Mapping[str, Any]]] = {name: [] for name in systems}
    for _ in range(repeats):
        for name, run in systems.items():
            rounds[name].append(run())
    return {
        name: {key: statistics.median(each[key] for each in found) for key in found[0]}
        for name, found in rounds.items()
    }
