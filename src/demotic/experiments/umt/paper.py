"""The figures of Gesmundo and Henderson (EACL 2014): NIST Chinese-English, 919 test sentences."""

from __future__ import annotations

DECODING = {"umt": 135.2, "b1": 232.0, "b30": 312.8}
"""Milliseconds a sentence."""
RESCORING = {"umt": 38.9, "b1": 141.3, "b30": 226.9}
TRAINING = {"umt": 267.4, "b1": 765.2, "b30": 1153.5}
BLEU = {"umt": 30.14, "b1": 30.87, "b30": 32.18}
RELATIVE_LOSS = {"umt": 6.33, "b1": 4.07}
"""Per cent of b30's BLEU."""
SIGN_TEST = {"umt": 0.18, "b1": 0.21}
"""One-tailed, against b30."""


def ratio(figures: dict[str, float], system: str) -> float:
    """By how much UMT is faster than a system."""
    return figures[system] / figures["umt"]
