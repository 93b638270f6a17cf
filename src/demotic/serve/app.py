"""From requests to answers: an ASGI application around a ``Desk``.

    app = App(Desk(loaded, options), options, Metrics())

Written for ASGI itself: a framework would take longer for a short sentence than all the rest of its
request (docs/serve.md has the figures), and there are few paths.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from time import gmtime, perf_counter, strftime
from typing import TYPE_CHECKING, Any

from demotic.errors import DemoticError
from demotic.serve.answers import JSON_TYPE, Answer
from demotic.serve.bodies import Fields, Upload, optional_text, text_field
from demotic.serve.limits import Gate
from demotic.serve.metrics import CONTENT_TYPE, Metrics
from demotic.serve.origins import ANYBODY, Origins, not_asked
from demotic.serve.page_files import page_files
from demotic.serve.receiving import Disconnected, Held, Receive, Room, received, understood
from demotic.serve.refusal import Refusal, missing
from demotic.serve.tmserver import TmServer
from demotic.serve.uploads import Uploads
from demotic.terminal import shown

if TYPE_CHECKING:
    from demotic.serve.desk import Desk
    from demotic.serve.options import ServeOptions

Scope = Mapping[str, Any]
Send = Callable[[dict[str, Any]], Awaitable[None]]
Handler = Callable[["Request"], Awaitable[Answer]]
_FORM_ROOM = 64 << 10
"""Bytes of a multipart body beside its file."""
_BODIES = 16
"""Of the largest size that may be in memory at a time."""


@dataclass(frozen=True)
class Route:
    """What answers the requests of a path."""

    name: str
    """For metrics."""
    methods: Mapping[str, Handler]
    limited: bool = True
    """Do keys and limits apply?"""
    body_limit: int = 0


@dataclass
class Request:
    """A request, its body read."""

    method: str
    path: str
    raw_path: bytes
    headers: Mapping[bytes, bytes]
    fields: Fields
    client: str
    origin: str
    """Scheme and host, as the client sees them."""


class App:
    """Answers HTTP requests."""

    def __init__(self, desk: Desk, options: ServeOptions, metrics: Metrics) -> None:
        self._desk = desk
        self._options = options
        self._metrics = metrics
        self._gate = Gate(options)
        self._origins = Origins(options)
        self._uploads = Uploads(options)
        self._tm = TmServer(desk)
        self._pages = page_files()
        self._cors = [(b"access-control-allow-origin", options.cors.encode())] * bool(options.cors)
        small, large = options.body_limit, options.file_limit + _FORM_ROOM
        self._room = Room(_BODIES * max(small, large))

        def open_to_all(name: str, handler: Handler) -> Route:
            return Route(name, {"GET": handler}, limited=False)

        self._routes = {
            # By GET, too: so OmegaT's plugin asks.
            "/translate": Route(
                "/translate", {"POST": self._translate, "GET": self._translate}, body_limit=small
            ),
            "/detect": Route("/detect", {"POST": self._detect}, body_limit=small),
            "/suggest": Route("/suggest", {"POST": self._suggest}, body_limit=small),
            "/explain": Route("/explain", {"POST": self._explain}, body_limit=small),
            "/memory": Route(
                "/memory", {"GET": self._memory, "POST": self._memory}, body_limit=small
            ),
            "/translate_file": Route("/translate_file", {"POST": self._file}, body_limit=large),
            "/languages": Route(
                "/languages",
                {"GET": self._languages, "POST": self._languages},
                limited=False,
                body_limit=small,
            ),
            "/models": open_to_all("/models", self._models),
            "/health": open_to_all("/health", self._health),
            "/frontend/settings": open_to_all("/frontend/settings", self._settings),
            "/metrics": open_to_all("/metrics", self._figures),
            "/spec": open_to_all("/spec", self._spec),
            "/docs": open_to_all("/docs", self._docs),
            "/": open_to_all("/", self._page),
        }
        self._below = {
            "/download_file/": Route("/download_file", {"GET": self._download}, limited=False),
            "/page/": open_to_all("/page", self._page),
            "/tmserver/": Route(
                "/tmserver",
                {"GET": self._tmserver, "PUT": self._tmserver, "POST": self._tmserver},
                body_limit=small,
            ),
        }

    def close(self) -> None:
        """Remove what was kept for downloads."""
        self._uploads.close()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http":
            return
        begun = perf_counter()
        self._metrics.running += 1
        route: Route | None = None
        request: Request | None = None
        try:
            route = self._route(scope["path"])
            with self._room.held() as held:
                request = await self._read(scope, receive, route, held)
                handler = self._handler(route, request)
                async with asyncio.timeout(self._seconds(route)):
                    answer = await handler(request)
        except Disconnected:
            return
        except Refusal as refusal:
            answer = Answer.refused(refusal)
        except TimeoutError:
            answer = Answer.refused(
                Refusal(503, "Slowdown: the request takes too long", retry_after=1)
            )
        except DemoticError as error:
            answer = Answer.refused(Refusal(500, f"Cannot translate text: {error.message}"))
        except Exception as error:
            self._log({"event": "error", "error": repr(error)[:500], "path": scope["path"]})
            answer = Answer.refused(Refusal(500, "Cannot translate text: an internal error"))
        finally:
            self._metrics.running -= 1
        headers = [*answer.headers, *self._cors] if self._cors else answer.headers
        await send({"type": "http.response.start", "status": answer.status, "headers": headers})
        await send({"type": "http.response.body", "body": answer.body})
        seconds = perf_counter() - begun
        self._metrics.seen(route.name if route else "other", answer.status, seconds)
        if self._options.json_log:
            self._log_request(scope, request, answer, seconds)

    def _seconds(self, route: Route) -> float:
        more = self._options.file_timeout if route.name == "/translate_file" else 0.0
        return self._options.timeout + more

    def _route(self, path: str) -> Route:
        found = self._routes.get(path)
        if found is not None:
            return found
        for prefix, route in self._below.items():
            if path.startswith(prefix):
                return route
        raise Refusal(404, "Not found")

    def _handler(self, route: Route, request: Request) -> Handler:
        method = "GET" if request.method == "HEAD" else request.method
        if method == "OPTIONS" and self._cors:
            return self._preflight
        handler = route.methods.get(method)
        if handler is None:
            usual = list(route.methods)
            raise Refusal(405, f"Method not allowed: use {' or '.join(usual)}", allow=usual)
        self._origins.check(method, request.headers)
        if route.limited and not self._gate.open:
            key = optional_text(request.fields, "api_key")
            self._gate.admit(request.client, key)
        return handler

    # -- reading ------------------------------------------------------------------------------

    async def _read(self, scope: Scope, receive: Receive, route: Route, held: Held) -> Request:
        headers: dict[bytes, bytes] = dict(scope["headers"])
        body = await received(receive, headers, route.body_limit, held)
        kind = headers.get(b"content-type", b"").decode("latin-1")
        method = scope["method"]
        fields: Fields = {}
        packing = headers.get(b"content-encoding", b"identity")
        if body and packing.lower() != b"identity":
            raise Refusal(415, "Invalid request: a body with Content-Encoding is not understood")
        if route.limited or body:
            fields = await understood(kind, body, scope["query_string"])
        client = scope["client"][0] if scope["client"] else ""
        scheme = "http"
        if self._options.behind_proxy:
            forwarded = headers.get(b"x-forwarded-for", b"").decode("latin-1")
            client = forwarded.rpartition(",")[2].strip() or client
            if headers.get(b"x-forwarded-proto") == b"https":
                scheme = "https"
        host = headers.get(b"host", b"localhost").decode("latin-1")
        return Request(
            method, scope["path"], scope["raw_path"], headers, fields, client, f"{scheme}://{host}"
        )

    # -- LibreTranslate's ---------------------------------------------------------------------

    async def _translate(self, request: Request) -> Answer:
        return Answer.json(await self._desk.translate(request.fields))

    async def _detect(self, request: Request) -> Answer:
        return Answer.json(await self._desk.detect(request.fields))

    async def _suggest(self, request: Request) -> Answer:
        return Answer.json(await self._desk.suggest(request.fields))

    async def _languages(self, request: Request) -> Answer:
        return Answer.json(self._desk.languages())

    async def _health(self, request: Request) -> Answer:
        return Answer.json({"status": "ok"})

    async def _settings(self, request: Request) -> Answer:
        from demotic.serve.settings import frontend_settings

        keys = self._gate.keys is not None
        return Answer.json(frontend_settings(self._desk.loaded, self._options, keys=keys))

    async def _file(self, request: Request) -> Answer:
        if self._options.disable_files:
            raise Refusal(403, "Files translation are disabled on this server.")
        fields = request.fields
        upload = fields.get("file")
        if not isinstance(upload, Upload):
            raise missing("file")
        if not optional_text(fields, "model"):
            text_field(fields, "source"), text_field(fields, "target")
        if len(upload.data) > self._options.file_limit:
            raise Refusal(413, "Invalid request: the file is too large")
        sample = upload.data[:4096].decode("utf-8", "ignore")
        served = await self._desk.asked_model(fields, sample)
        made = await self._uploads.filled(upload, served)
        where = f"{request.origin}/download_file/"
        record = {"translatedFileUrl": f"{where}{made.name}"}
        if made.page is None:
            return Answer.json(record)
        head = json.dumps(record | {"reportUrl": f"{where}{made.page}"}).encode()
        return Answer.typed(b'%s, "report": %s}' % (head[:-1], made.report), JSON_TYPE)

    async def _download(self, request: Request) -> Answer:
        name = request.path.removeprefix("/download_file/")
        kept = self._uploads.kept(name)
        data = await asyncio.to_thread(kept.path.read_bytes)
        return Answer.page(data) if name.endswith("report") else Answer.file(data, kept.download)

    # -- ours ---------------------------------------------------------------------------------

    async def _explain(self, request: Request) -> Answer:
        return Answer.json(await self._desk.explain(request.fields))

    async def _memory(self, request: Request) -> Answer:
        return Answer.json(await self._desk.memory(request.fields))

    async def _models(self, request: Request) -> Answer:
        return Answer.json(await self._desk.helped(self._desk.models))

    async def _tmserver(self, request: Request) -> Answer:
        found = await self._tm.answer(request.method, request.raw_path, request.fields)
        callback = optional_text(request.fields, "jsoncallback")
        if callback and found.headers[0][1] == JSON_TYPE:
            # Pootle's pages get it as a script, which any page could: only where any page may ask.
            if self._options.cors != ANYBODY:
                raise not_asked()
            return Answer.script(callback, found.body)
        return found

    async def _figures(self, request: Request) -> Answer:
        return Answer.text(self._metrics.text(self._desk.loaded), CONTENT_TYPE)

    async def _spec(self, request: Request) -> Answer:
        from demotic.serve.openapi import specification

        return Answer.json(specification(self._options, self._desk.loaded))

    async def _docs(self, request: Request) -> Answer:
        from demotic.serve.openapi import specification
        from demotic.serve.openapi_page import described

        return Answer.page(described(specification(self._options, self._desk.loaded)).encode())

    async def _page(self, request: Request) -> Answer:
        name = request.path.removeprefix("/page/") if request.path != "/" else "index.html"
        found = self._pages.get(name)
        if found is None:
            raise Refusal(404, "Not found")
        return found

    async def _preflight(self, request: Request) -> Answer:
        return Answer(
            204,
            b"",
            [
                (b"access-control-allow-methods", b"GET, POST, PUT"),
                (b"access-control-allow-headers", b"Authorization, Content-Type"),
                (b"access-control-max-age", b"86400"),
            ],
        )

    # -- the log ------------------------------------------------------------------------------

    def _log_request(
        self, scope: Scope, request: Request | None, answer: Answer, seconds: float
    ) -> None:
        record: dict[str, Any] = {
            "event": "request",
            "method": scope["method"],
            "path": scope["path"].partition("/unit/")[0],
            "status": answer.status,
            "seconds": round(seconds, 6),
            "bytes": len(answer.body),
        }
        if request is not None:
            record["client"] = request.client
            q = request.fields.get("q", "")
            texts = q if isinstance(q, list) else [q]
            record["characters"] = sum(len(each) for each in texts if isinstance(each, str))
            if self._options.log_text:
                record["q"] = q
        self._log(record)

    def _log(self, record: dict[str, Any]) -> None:
        if self._options.quiet:
            return
        now = strftime("%Y-%m-%dT%H:%M:%SZ", gmtime())
        if self._options.json_log:
            print(json.dumps({"time": now, **record}), file=sys.stderr, flush=True)
        else:
            said = " ".join([now, *map(str, record.values())])
            print(shown(said), file=sys.stderr, flush=True)
