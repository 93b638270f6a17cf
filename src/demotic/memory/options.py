"""How a model uses its memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from demotic.errors import ArgumentError


@dataclass(frozen=True, kw_only=True)
class MemoryOptions:
    """Whether a model keeps what it was trained on as a memory, and how it uses it."""

    use: bool = True
    """Messages that were translated before are answered with that translation; without it the model
    keeps no memory."""
    offer: float = 0.7
    """Similarity from which other messages are offered beside a translation: the share of words
    that need not be changed."""

    repair: float | Literal["auto"] = "auto"
    """Similarity from which such a message is the translation, repaired where its words differ; 0:
    never.  ``auto`` is the best one on the development set when a model is trained, and 0 else."""

    def __post_init__(self) -> None:
        if not 0 < self.offer <= 1:
            raise ArgumentError(
                f"offer is {self.offer}", remedy="give a similarity above 0, up to 1"
            )
        if self.repair != "auto" and not 0 <= self.repair <= 1:
            raise ArgumentError(
                f"repair is {self.repair}", remedy="give a similarity, 0 for never, or auto"
            )

    @property
    def repairs_from(self) -> float:
        """The similarity as a number; above 1 where nothing is repaired."""
        return 2.0 if self.repair in ("auto", 0) else float(self.repair)


OFF = MemoryOptions(use=False)
"""For decoders that are compared with each other."""
