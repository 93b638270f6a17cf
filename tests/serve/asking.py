"""Asks the server: the application itself, without a socket, or a process of its own."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from demotic.serve.app import App
from demotic.serve.desk import Desk
from demotic.serve.loaded import Loaded
from demotic.serve.metrics import Metrics
from demotic.serve.options import ServeOptions

LINE = "The adj1 noun2 verb3 %d noun4."


@dataclass
class Reply:
    """What came back."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def record(self) -> Any:
        return json.loads(self.body)

    @property
    def error(self) -> str:
        """Of an answer in the shape that all refusals have."""
        assert self.headers["content-type"] == "application/json"
        assert list(self.record) == ["error"]
        return str(self.record["error"])


class Asker:
    """An application to ask."""

    def __init__(self, models: Sequence[Path], **options: Any) -> None:
        self.options = ServeOptions(**{"quiet": True, **options})
        self.loaded = Loaded.open(models, self.options)
        self.desk = Desk(self.loaded, self.options)
        self.metrics = Metrics()
        self.app = App(self.desk, self.options, self.metrics)

    def close(self) -> None:
        self.app.close()
        self.desk.close()

    def ask(
        self,
        method: str,
        path: str,
        body: bytes = b"",
        kind: str = "",
        *,
        chunks: Sequence[bytes] | None = None,
        client: str = "127.0.0.1",
        **headers: str,
    ) -> Reply:
        return asyncio.run(
            self.asked(method, path, body, kind, chunks=chunks, client=client, **headers)
        )

    async def asked(
        self,
        method: str,
        path: str,
        body: bytes = b"",
        kind: str = "",
        *,
        chunks: Sequence[bytes] | None = None,
        client: str = "127.0.0.1",
        **headers: str,
    ) -> Reply:
        """The same within a loop."""
        from urllib.parse import unquote

        raw, _, query = path.partition("?")
        given = {"host": "localhost", **headers}
        if kind:
            given["content-type"] = kind
        scope = {
            "type": "http", "method": method, "path": unquote(raw), "raw_path": raw.encode(),
            "query_string": query.encode(), "client": (client, 1),
            "headers": [(k.replace("_", "-").encode(), v.encode()) for k, v in given.items()],
        }  # fmt: skip
        messages = iter(chunks if chunks is not None else [body])
        rest = list(messages)

        async def receive() -> dict[str, Any]:
            if not rest:
                return {"type": "http.disconnect"}
            return {"type": "http.request", "body": rest.pop(0), "more_body": bool(rest)}

        sent: list[dict[str, Any]] = []

        async def send(message: dict[str, Any]) -> None:
            sent.append(message)

        await self.app(scope, receive, send)
        found = {k.decode(): v.decode() for k, v in sent[0]["headers"]}
        assert found.get("content-length", "0") == str(len(sent[1]["body"]))
        return Reply(sent[0]["status"], found, sent[1]["body"])

    def post(self, path: str, **fields: Any) -> Reply:
        """JSON."""
        return self.ask("POST", path, json.dumps(fields).encode(), "application/json")

    def form(self, path: str, **fields: str) -> Reply:
        return self.ask(
            "POST", path, urlencode(fields).encode(), "application/x-www-form-urlencoded"
        )

    def get(self, path: str, **headers: str) -> Reply:
        return self.ask("GET", path, **headers)

    def translated(self, q: Any, **fields: Any) -> Any:
        """Of a request that has to be answered."""
        reply = self.post("/translate", **{"q": q, "source": "en", "target": "fr", **fields})
        assert reply.status == 200, reply.body
        return reply.record["translatedText"]


@contextmanager
def asking(*models: Path, **options: Any) -> Iterator[Asker]:
    asker = Asker(models, **options)
    try:
        yield asker
    finally:
        asker.close()


def multipart(fields: dict[str, str], files: dict[str, tuple[str, bytes]]) -> tuple[bytes, str]:
    """A body and its content type."""
    edge = b"edge-of-a-part"
    parts = []
    for name, value in fields.items():
        parts.append(f'form-data; name="{name}"\r\n\r\n'.encode() + value.encode())
    for name, (file, data) in files.items():
        head = f'form-data; name="{name}"; filename="{file}"\r\nContent-Type: text/plain\r\n\r\n'
        parts.append(head.encode() + data)
    lines = [b"--" + edge + b"\r\nContent-Disposition: " + each + b"\r\n" for each in parts]
    return b"".join(
        [*lines, b"--" + edge + b"--\r\n"]
    ), f"multipart/form-data; boundary={edge.decode()}"


# -- a process --------------------------------------------------------------------------------


@dataclass
class Process:
    """A server that runs."""

    process: subprocess.Popen[str]
    port: int

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def request(self, path: str, data: bytes | None = None, **headers: str) -> Reply:
        asked = urllib.request.Request(self.url + path, data, headers)
        try:
            with urllib.request.urlopen(asked, timeout=60) as answer:
                return Reply(answer.status, _lower(answer.headers), answer.read())
        except urllib.error.HTTPError as error:
            with error:
                return Reply(error.code, _lower(error.headers), error.read())

    def post(self, path: str, **fields: Any) -> Reply:
        data = json.dumps(fields).encode()
        return self.request(path, data, **{"Content-Type": "application/json"})

    def stop(self) -> str:
        """Its exit status is 0; what it had said."""
        self.process.terminate()
        _, said = self.process.communicate(timeout=60)
        assert self.process.returncode == 0, said
        return said


def _lower(headers: Any) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}


@contextmanager
def serving(*arguments: str | Path) -> Iterator[Process]:
    """``demotic serve`` on a free port."""
    process = subprocess.Popen(
        [sys.executable, "-m", "demotic", "serve", *map(str, arguments), "--port", "0"],
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    try:
        said = ""
        while "listening on" not in said:
            said = process.stderr.readline()
            assert said, "the server did not start"
        yield Process(process, int(said.rpartition(":")[2]))
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()
