"""The records of tuning: its rounds, and where it stands between two of them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Round:
    """One decoding of the dev set and the optimisation after it."""

    number: int
    weights: dict[str, float]
    """Those decoded with."""
    bleu: float
    """Of the decoder's best hypotheses under these weights."""
    reached: float
    """Of the best known hypotheses under the weights that the round found."""
    gain: float
    """``reached`` minus the BLEU of the best known hypotheses before."""
    moved: float
    """By how much the weights changed: the sum of differences over the sum of weights."""
    new: int
    """By how many hypotheses the lists grew."""
    truncated: int
    """Sentences whose envelope reached the cap on segments."""


@dataclass(frozen=True)
class State:
    """Between two rounds."""

    weights: dict[str, float]
    """Those to decode with next."""
    rounds: tuple[Round, ...] = ()
    converged: bool = False
    """The last round gained too little for another one."""
    final_bleu: float | None = None
    """Decoded with ``weights``, when all rounds are done."""
