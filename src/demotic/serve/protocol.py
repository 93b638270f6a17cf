"""Connections that are too slow, too long or too many: uvicorn's, with limits that it lacks.

A client has to send the head of its request within ``read_timeout``, and go on sending the body at
some speed; it has to take the answer as well.  Heads are bounded in size, connections in number.
What does not keep to that is closed, and holds up nobody meanwhile.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

if TYPE_CHECKING:
    from demotic.serve.metrics import Metrics
    from demotic.serve.options import ServeOptions

_HEAD = 32 << 10
"""Bytes of a request's line and headers; a text in a query string has to fit, too."""
_LINGER = 2.0
"""Seconds for a client that is refused to read why."""
_UNREAD = 32 << 10
"""Bytes on end that add nothing to a body: beside its chunks, or behind the last one."""
_SLOWEST = 1 << 10
"""Bytes per second of a body."""


class BoundedProtocol(HttpToolsProtocol):
    """One connection."""

    options: ServeOptions
    metrics: Metrics

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._timer: asyncio.TimerHandle | None = None
        self._writing: asyncio.TimerHandle | None = None
        self._refused = False
        self._in_head = True
        """Is a head being read, or the next one awaited?"""
        self._in_message = False
        self._head_bytes = 0
        self._body_bytes = 0
        self._idle_bytes = 0
        self._events = 0
        """Beginnings and ends of requests so far."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if len(self.connections) > self.options.connections:
            self._refuse(b"503 Service Unavailable", b"too many connections")
            return
        self._arm()

    def connection_lost(self, exc: Exception | None) -> None:
        self._disarm()
        self.resume_writing()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._refused:
            return
        begun, events = self._in_head, self._events
        if begun:
            self._head_bytes += len(data)
        else:
            self._idle_bytes += len(data)
        super().data_received(data)
        if self._in_head and begun and self._head_bytes > _HEAD:
            self._refuse(b"431 Request Header Fields Too Large", b"the head is too long")
        elif not (self._in_head or begun) and self._idle_bytes > _UNREAD:
            self._refuse(b"431 Request Header Fields Too Large", b"the body says too little")
        elif self._in_message or (self._events == events and self._answered()):
            # Empty lines between requests are no request, and put nothing off.
            if self._timer is None:
                self._arm()
        else:
            self._disarm()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._in_message = self._in_head = True
        self._events += 1

    def on_headers_complete(self) -> None:
        self._in_head = False
        self._head_bytes = self._body_bytes = self._idle_bytes = 0
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._body_bytes += len(body)
        self._idle_bytes = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._in_message, self._in_head = False, True
        self._events += 1
        super().on_message_complete()

    # -- clients that take their time -----------------------------------------------------------

    def _arm(self) -> None:
        self._timer = self.loop.call_later(self.options.read_timeout, self._check)

    def _disarm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _check(self) -> None:
        """Time is up: was anything sent meanwhile that makes it worth to wait on?"""
        self._timer = None
        reading = self.flow is not None and self.flow.read_paused
        enough = self._body_bytes >= _SLOWEST * self.options.read_timeout
        if not self._in_head and (enough or reading):
            self._body_bytes = 0
            self._arm()
            return
        self.metrics.timeouts += 1
        if self._in_head and not self._head_bytes:
            self.transport.close()  # nothing was asked
            return
        self._refuse(b"408 Request Timeout", b"the request takes too long to arrive")

    def pause_writing(self) -> None:
        self.flow.pause_writing()
        if self._writing is None:
            self._writing = self.loop.call_later(self.options.timeout, self._give_up)

    def resume_writing(self) -> None:
        if self._writing is not None:
            self._writing.cancel()
            self._writing = None
        if self.flow is not None:
            self.flow.resume_writing()

    def _give_up(self) -> None:
        self._writing = None
        self.metrics.timeouts += 1
        self.transport.abort()

    def _answered(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def _refuse(self, status: bytes, why: bytes) -> None:
        """Say why, unless an answer is on its way, and close."""
        self._disarm()
        cycle = self.cycle
        if self._answered() or (cycle.more_body and not cycle.response_started):
            content = b'{"error": "%s"}' % why
            self._refused = True
            self.transport.write(
                b"HTTP/1.1 %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n"
                b"Retry-After: 1\r\nConnection: close\r\n\r\n%s" % (status, len(content), content)
            )
            # To close while something unread has come in would take the answer away from the
            # client, too: leave it some time to read.
            self.transport.write_eof()
            self._timer = self.loop.call_later(_LINGER, self.transport.abort)
        else:
            self.transport.close()
