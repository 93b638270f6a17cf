"""``demotic evaluate``."""

from __future__ import annotations

NAME = "evaluate"
NEEDS_ARGUMENTS = True


def command() -> None:
    """To be written."""
