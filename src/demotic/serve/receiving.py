"""Takes the bodies of requests in: each bounded, and all together.

    room = Room(320 << 20)
    with room.held() as held:
        body = await received(receive, headers, 4 << 20, held)
        fields = await understood("application/json", body, b"")

What clients send while they are waited for is in memory; many that send slowly would fill it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from demotic.serve.bodies import Fields, read_fields
from demotic.serve.refusal import Refusal

Receive = Callable[[], Awaitable[dict[str, Any]]]
_PASSED_BY = 64 << 20
"""Bytes of a body that is too long which are read all the same."""
_LARGE = 64 << 10
"""Bytes of a body that takes longer to understand than others should wait."""


class Disconnected(Exception):
    """The client went away before it had asked."""


class Room:
    """Bytes that the bodies of all requests together may have in memory."""

    def __init__(self, size: int) -> None:
        self.left = size

    @contextmanager
    def held(self) -> Iterator[Held]:
        """What one request has of it, until it is answered."""
        held = Held(self)
        try:
            yield held
        finally:
            held.change(0)


class Held:
    """One request's part of the room."""

    def __init__(self, room: Room) -> None:
        self._room = room
        self._size = 0

    def change(self, size: int) -> None:
        """Have so many bytes, if there are."""
        more = size - self._size
        if more > self._room.left:
            raise Refusal(
                503, "Slowdown: the server is receiving too much", retry_after=1, close=True
            )
        self._room.left -= more
        self._size = size


async def received(
    receive: Receive, headers: Mapping[bytes, bytes], limit: int, held: Held
) -> bytes:
    """The body, if it is not too long; of one that is, the rest is let pass by, so that the client
    hears why, unless that would take too long."""
    length = headers.get(b"content-length", b"0")
    if length.isdigit() and int(length) > limit + _PASSED_BY:
        raise _too_large(limit, close=True)
    chunks: list[bytes] = []
    size = 0
    more = True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Disconnected
        chunk = message.get("body", b"")
        more = message.get("more_body", False)
        size += len(chunk)
        if size <= limit:
            held.change(size)
            chunks.append(chunk)
        elif size > limit + _PASSED_BY:
            raise _too_large(limit, close=True)
        else:
            held.change(0)
            chunks.clear()
    if size > limit:
        raise _too_large(limit, close=False)
    return chunks[0] if len(chunks) == 1 else b"".join(chunks)


async def understood(kind: str, body: bytes, query: bytes) -> Fields:
    """The fields of a body and of the query string; other requests go on meanwhile."""
    if len(body) <= _LARGE:
        return read_fields(kind, body, query)
    return await asyncio.to_thread(read_fields, kind, body, query)


def _too_large(limit: int, *, close: bool) -> Refusal:
    return Refusal(413, f"Invalid request: the body is larger than {limit} bytes", close=close)
