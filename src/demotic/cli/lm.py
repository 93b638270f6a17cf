"""``demotic lm``."""

from __future__ import annotations

NAME = "lm"
NEEDS_ARGUMENTS = True


def command() -> None:
    """To be written."""
