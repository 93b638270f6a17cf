"""The record of learning from roll-outs: one pass over the examples."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Epoch:
    """One pass over the examples."""

    number: int
    reward: float
    """The mean reward of the policy's own paths, under the weights of each moment; a reward is a
    cost that is saved."""
    samples: int
    updates: int
    """Samples that were learned from."""
    score: float | None
    """Of the averaged weights, by whoever evaluates between epochs."""
    seconds: float
    """CPU time, evaluation not included."""
