"""What an operator of the server can set."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from demotic.errors import ArgumentError

UNLIMITED = -1


@dataclass(frozen=True, kw_only=True)
class ServeOptions:
    """Where it listens, what it takes, and how much of it."""

    host: str = "127.0.0.1"
    port: int = 5000
    threads: int = 1
    """Of the decoders."""
    char_limit: int = 50_000
    """Characters of a request, all its texts together; -1 for any number."""
    batch_limit: int = 1_000
    """Texts of a request; -1 for any number."""
    body_limit: int = 4 << 20
    """Bytes of a request that is no file."""
    file_limit: int = 20 << 20
    """Bytes of a file to fill in."""
    alternatives_limit: int = 20
    queue_limit: int = 2_000
    """Sentences that may wait for one model."""
    timeout: float = 30.0
    """Seconds until a request is given up."""
    file_timeout: float = 600.0
    """The same for a file."""
    read_timeout: float = 10.0
    """Seconds in which a client has to send a request's head, or some more of its body."""
    connections: int = 1_000
    req_limit: int = UNLIMITED
    """Requests per minute of each client; -1 for any number."""
    api_keys: Path | None = None
    """A file of keys, one a line, each with a limit of its own if one stands behind it."""
    suggestions: Path | None = None
    """One file for all pairs of languages, instead of one beside each pair's first model."""
    disable_suggestions: bool = False
    disable_files: bool = False
    cors: str = ""
    """Whose pages may ask from other addresses: an origin, or * for all."""
    behind_proxy: bool = False
    """Clients are told apart by the last address of X-Forwarded-For."""
    json_log: bool = False
    log_text: bool = False
    quiet: bool = False

    def __post_init__(self) -> None:
        if not 0 <= self.port <= 65_535:
            raise ArgumentError(f"port is {self.port}", remedy="give a number from 0 to 65535")
        for name in ("char_limit", "batch_limit", "req_limit"):
            value = getattr(self, name)
            if value != UNLIMITED and value < 1:
                raise ArgumentError(f"{name} is {value}", remedy="give 1 or more, or -1")
        for name in (
            "threads", "body_limit", "file_limit", "queue_limit", "connections", "timeout",
            "file_timeout", "read_timeout",
        ):  # fmt: skip
            value = getattr(self, name)
            if not value > 0:
                raise ArgumentError(f"{name} is {value}", remedy="give a number above 0")
        if self.alternatives_limit < 0:
            raise ArgumentError(
                f"alternatives_limit is {self.alternatives_limit}", remedy="give 0 or more"
            )
