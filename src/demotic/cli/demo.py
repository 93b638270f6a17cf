"""``demotic demo``."""

from __future__ import annotations

NAME = "demo"
NEEDS_ARGUMENTS = False


def command() -> None:
    """To be written."""
