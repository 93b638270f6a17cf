"""``demotic align``."""

from __future__ import annotations

NAME = "align"
NEEDS_ARGUMENTS = True


def command() -> None:
    """To be written."""
