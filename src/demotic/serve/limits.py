"""Who may ask, and how often.

gate = Gate(options)
gate.admit("127.0.0.1", "secret key", cost=1)      # raises Refusal
"""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from demotic.errors import FormatError
from demotic.files import naming
from demotic.serve.options import UNLIMITED
from demotic.serve.refusal import Refusal

if TYPE_CHECKING:
    from demotic.serve.options import ServeOptions

_MINUTE = 60.0
_CLIENTS = 100_000
"""Whose use is remembered; then the one that was quiet for longest is forgotten."""


def read_keys(path: Path) -> dict[str, int | None]:
    """Keys with their limits, None for that of everybody; one a line, # begins a comment."""
    keys: dict[str, int | None] = {}
    with naming(path):
        lines = path.read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines, 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        limit = words[1] if len(words) == 2 else None
        if len(words) > 2 or (limit is not None and not (limit == "-1" or limit.isdecimal())):
            raise FormatError(
                "neither a key nor a key and its requests per minute", path=path, line=number
            )
        keys[words[0]] = None if limit is None else int(limit)
    if not keys:
        raise FormatError("no key", path=path, remedy="write one key on each line")
    return keys


class Gate:
    """Keys and limits."""

    def __init__(self, options: ServeOptions, clock: Callable[[], float] = time.monotonic) -> None:
        self._limit = options.req_limit
        self.keys = None if options.api_keys is None else read_keys(options.api_keys)
        self._clock = clock
        self._used: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self.open = self.keys is None and self._limit == UNLIMITED
        """Is nobody ever refused?"""

    def admit(self, client: str, key: str) -> None:
        """Let a request in, or say why not."""
        limit: int | None = self._limit
        if self.keys is not None:
            if not key:
                raise Refusal(400, "Please contact the server operator to get an API key")
            if key not in self.keys:
                raise Refusal(403, "Invalid API key")
            client = f"key {key}"
            limit = self.keys[key]
            if limit is None:
                limit = self._limit
        if limit != UNLIMITED and limit is not None:
            self._count(client, limit)

    def _count(self, client: str, limit: int) -> None:
        """A bucket that fills in a minute: what was not used is not kept for longer."""
        now = self._clock()
        left, since = self._used.pop(client, (float(limit), now))
        left = min(float(limit), left + (now - since) * limit / _MINUTE)
        if left < 1:
            self._used[client] = (left, now)
            wait = math.ceil((1 - left) * _MINUTE / limit) if limit else 60
            raise Refusal(429, f"Slowdown: {limit} per 1 minute", retry_after=wait)
        self._used[client] = (left - 1, now)
        if len(self._used) > _CLIENTS:
            self._used.popitem(last=False)
