"""``demotic inspect``."""

from __future__ import annotations

NAME = "inspect"
NEEDS_ARGUMENTS = True


def command() -> None:
    """To be written."""
