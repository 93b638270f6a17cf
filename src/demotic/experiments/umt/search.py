"""E6: in which directions trees grow, and how far the search stays behind under shared weights.

The model's score does not count the bounds of branches, so that both searches look for the maximum
of the same function; the paper's systems had weights of their own and could not be compared so.
"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from demotic.decode.undirected import UndirectedSearch
from demotic.experiments.umt.bench import HIERO, Bench
from demotic.systems.umt.config import AHEAD, GREEDY
from demotic.systems.umt.start import CFF

WAYS = {
    "paper": GREEDY,
    "paper, kappa 0": replace(GREEDY, kappa=0.0),
    "paper, by margin": replace(GREEDY, turn="margin"),
    "paper, oldest first": replace(GREEDY, turn="age"),
    "paper, CFF off": replace(GREEDY, cff="off"),
    "paper, CFF delta": replace(GREEDY, cff="delta"),
    "paper, bounds of a chart": replace(GREEDY, bounds="chart"),
    "literal": UndirectedSearch(),
    "literal, CFF off": UndirectedSearch(cff="off"),
    "lookahead": AHEAD,
    "lookahead, by margin": replace(AHEAD, turn="margin"),
    "lookahead, oldest first": replace(AHEAD, turn="age"),
    "lookahead, 4 restarts": replace(AHEAD, restarts=4),
    "lookahead, beam 4": replace(AHEAD, beam=4),
    "lookahead, 1 repair": replace(AHEAD, repairs=1),
    "lookahead, 1 repair, width 3": replace(AHEAD, repairs=1, repair_width=3),
}
"""Searches under the weights of b30: those of presets, and what is not as in them."""


def directions(
    bench: Bench, search: UndirectedSearch, weights: Mapping[str, float]
) -> dict[str, float]:
    """Shares of start, down and up among the actions of the test set."""
    found = bench.umt(search, weights).decode_lines(bench.test.source)
    count = Counter(action.kind for derivation in found for action in derivation.actions)
    total = max(1, count.total())
    return {kind: count[kind] / total for kind in ("start", "down", "up")}


def gaps(bench: Bench, mert: Mapping[str, float]) -> dict[str, Any]:
    """Model scores under the weights of b30: b1 and several ways of UMT against b30."""
    shared = {**mert, **dict.fromkeys(CFF, 1.0)}
    lines = bench.test.source
    wanted = [d.score for d in bench.hiero(HIERO["b30"], mert).decode_lines(lines)]
    found = {"b1": [d.score for d in bench.hiero(HIERO["b1"], mert).decode_lines(lines)]}
    for name, search in WAYS.items():
        found[name] = [d.score for d in bench.umt(search, shared).decode_lines(lines)]
    return {name: _compared(scores, wanted) for name, scores in found.items()}


def _compared(scores: list[float], wanted: list[float]) -> dict[str, float]:
    gaps = [one - other for one, other in zip(scores, wanted, strict=True)]
    return {
        "mean": statistics.fmean(gaps),
        "median": statistics.median(gaps),
        "worse": sum(gap < -1e-6 for gap in gaps) / len(gaps),
        "better": sum(gap > 1e-6 for gap in gaps) / len(gaps),
    }
