"""Runs the server until it is told to stop.

    serve([Path("de-en.demotic")], ServeOptions(port=5000), told=print)

SIGTERM and Ctrl-C let what was begun be finished, then end it.
"""

from __future__ import annotations

import contextlib
import logging
import signal
import socket
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from demotic.errors import FileAccessError, MissingDependencyError
from demotic.serve.loaded import Loaded

if TYPE_CHECKING:
    from demotic.serve.options import ServeOptions

_GRACE = 10
"""Seconds for what was begun."""
_KEEP_ALIVE = 30
_WAITING = 1024
"""Connections that were not accepted yet."""
_SWITCH = 0.001
"""Seconds until a thread lets the one that answers requests go on."""


def serve(paths: Sequence[Path], options: ServeOptions, *, told: Callable[[str], None]) -> None:
    """Load the models and answer requests; ``told`` hears where, and that it ended."""
    try:
        import uvicorn

        from demotic.serve.app import App
        from demotic.serve.desk import Desk
        from demotic.serve.metrics import Metrics
        from demotic.serve.protocol import BoundedProtocol
    except ImportError as error:
        raise MissingDependencyError(
            f"the server needs a package that is not installed: {error.name}",
            remedy="pip install 'demotic[serve]'",
        ) from error
    logging.getLogger("python_multipart").setLevel(logging.ERROR)
    listener = _listening(options)
    sys.setswitchinterval(_SWITCH)
    loaded = Loaded.open(paths, options)
    metrics = Metrics()
    desk = Desk(loaded, options)
    app = App(desk, options, metrics)

    class Protocol(BoundedProtocol):
        pass

    Protocol.options, Protocol.metrics = options, metrics
    config = uvicorn.Config(
        app,
        loop="uvloop",
        http=Protocol,
        ws="none",
        lifespan="off",
        interface="asgi3",
        log_config=None,
        log_level="error",  # what clients do wrong, they are told
        access_log=False,
        server_header=False,
        date_header=False,
        proxy_headers=False,
        timeout_keep_alive=_KEEP_ALIVE,
        timeout_graceful_shutdown=_GRACE,
        backlog=_WAITING,
    )
    server = _server(config)
    host, port = listener.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    for each in loaded.all:
        told(f"{each.name}: {each.source}-{each.target}, {each.model.SYSTEM}")
    told(f"listening on http://{shown}:{port}")
    try:
        server.run(sockets=[listener])
    finally:
        app.close()
        desk.close()
    told("stopped")


def _server(config: Any) -> Any:
    import uvicorn

    class Server(uvicorn.Server):
        """Ends when it is told to, and says to its starter that all is well."""

        @contextlib.contextmanager
        def capture_signals(self) -> Iterator[None]:
            numbers = (signal.SIGINT, signal.SIGTERM)
            before = {each: signal.signal(each, self.handle_exit) for each in numbers}
            try:
                yield
            finally:
                for number, handler in before.items():
                    signal.signal(number, handler)

    return Server(config)


def _listening(options: ServeOptions) -> socket.socket:
    """The socket, before models are loaded: what fails, fails at once."""
    try:
        found = socket.getaddrinfo(options.host, options.port, type=socket.SOCK_STREAM)
        family, kind, protocol, _, address = found[0]
        listener = socket.socket(family, kind, protocol)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(_WAITING)
        listener.setblocking(False)
    except OSError as error:
        raise FileAccessError(
            f"cannot listen on {options.host}:{options.port}: {error.strerror or error}",
            remedy="choose another --port or --host",
        ) from None
    return listener


def serve_stdio(paths: Sequence[Path], options: ServeOptions) -> None:
    """The same models for a script at the other end of standard input and output."""
    import asyncio

    from demotic.serve.desk import Desk
    from demotic.serve.stdio import talk

    desk = Desk(Loaded.open(paths, options), options)
    try:
        asyncio.run(talk(desk, sys.stdin.fileno(), sys.stdout.buffer))
    finally:
        desk.close()
