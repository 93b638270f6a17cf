"""The figures of Zhang, Sun and Li: Europarl, WMT 2006 shared task, into English."""

from __future__ import annotations

SETS = ("FE in", "FE out", "GE in", "GE out", "SE in", "SE out")
"""French, German, Spanish; in and out of the domain."""
BLEU = {
    "Amasis": (27.44, 18.41, 23.02, 15.97, 27.51, 23.35),
    "Pharaoh 1": (20.54, 14.07, 17.53, 12.13, 23.23, 20.24),
    "Pharaoh 2": (27.71, 19.41, 23.36, 15.77, 28.88, 25.28),
    "Pharaoh 3": (30.01, 20.77, 24.40, 16.58, 30.58, 26.51),
}
TABLE_SHARE = {"fr": 9.68, "de": 13.54, "es": 8.12}
"""Per cent of Pharaoh's table, whose limit is not stated."""
LABELS = (16, 688_031)
"""So many labels on so many French-English pairs."""


def gap(system: str, pair: int = 0) -> float:
    """What Amasis gains over a system on one of the sets."""
    return BLEU["Amasis"][pair] - BLEU[system][pair]
