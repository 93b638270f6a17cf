"""A request that is not answered as it was asked: the status, and why."""

from __future__ import annotations

from collections.abc import Sequence


class Refusal(Exception):
    """Becomes ``{"error": message}`` with a status of HTTP."""

    def __init__(
        self,
        status: int,
        message: str,
        *,
        retry_after: int | None = None,
        close: bool = False,
        allow: Sequence[str] = (),
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.retry_after = retry_after
        """Seconds until it makes sense to ask again."""
        self.close = close
        """Is the connection of no more use?"""
        self.allow = allow
        """Methods, where another one was used."""


def missing(name: str) -> Refusal:
    """A field that has to be there."""
    return Refusal(400, f"Invalid request: missing {name} parameter")


def too_long(size: int, limit: int) -> Refusal:
    """As LibreTranslate says it."""
    return Refusal(400, f"Invalid request: request ({size}) exceeds text limit ({limit})")


def busy(why: str = "the server has too much to do") -> Refusal:
    """Overload: nothing was done."""
    return Refusal(503, f"Slowdown: {why}", retry_after=1)
