"""An engine that does here, piece by piece, what a cluster does elsewhere."""

from __future__ import annotations

from demotic.engine import LocalEngine


class InPieces(LocalEngine):
    """Whoever asks is told that work is spread."""

    @property
    def spread(self) -> bool:  # type: ignore[override]
        return True
