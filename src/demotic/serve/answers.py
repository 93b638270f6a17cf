"""Answers as HTTP sends them."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from demotic.serve.refusal import Refusal

JSON_TYPE = b"application/json"
PAGE_POLICY = (
    b"default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    b"img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""Of the page: nothing from elsewhere, and no script but its own files."""
_STILL_POLICY = b"default-src 'none'; style-src 'unsafe-inline'; sandbox"
"""Of pages that we write: no script at all."""
_SAFE = (b"x-content-type-options", b"nosniff")
_FRESH = (b"cache-control", b"no-store")
_NAME = re.compile(r"[A-Za-z_$][\w$.]{0,99}", re.ASCII)
Headers = list[tuple[bytes, bytes]]


@dataclass(frozen=True)
class Answer:
    """Status, body and headers."""

    status: int
    body: bytes
    headers: Headers

    @classmethod
    def json(cls, record: Any, status: int = 200) -> Answer:
        """Of a record."""
        return cls.typed(json.dumps(record, ensure_ascii=False).encode(), JSON_TYPE, status)

    @classmethod
    def typed(cls, body: bytes, kind: bytes, status: int = 200) -> Answer:
        """Of bytes that are of a kind."""
        length = (b"content-length", b"%d" % len(body))
        return cls(status, body, [(b"content-type", kind), length, _SAFE, _FRESH])

    @classmethod
    def text(cls, text: str, kind: str) -> Answer:
        """Of text."""
        return cls.typed(text.encode(), kind.encode())

    @classmethod
    def page(cls, body: bytes) -> Answer:
        """A page without scripts."""
        made = cls.typed(body, b"text/html; charset=utf-8")
        made.headers.append((b"content-security-policy", _STILL_POLICY))
        return made

    @classmethod
    def file(cls, body: bytes, name: str) -> Answer:
        """A file to be saved, whatever is in it."""
        made = cls.typed(body, b"application/octet-stream")
        plain = "".join(each if each.isascii() else "_" for each in name)
        value = f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name)}"
        made.headers.append((b"content-disposition", value.encode()))
        return made

    @classmethod
    def script(cls, callback: str, record: bytes) -> Answer:
        """A record as a call of a function that a page has."""
        if not _NAME.fullmatch(callback):
            raise Refusal(400, "Invalid request: jsoncallback parameter is no name")
        body = b"/**/%s(%s)" % (callback.encode(), record)
        return cls.typed(body, b"text/javascript; charset=utf-8")

    @classmethod
    def refused(cls, refusal: Refusal) -> Answer:
        """Why a request is not answered."""
        message = refusal.message.encode("utf-8", "replace").decode()
        made = cls.json({"error": message}, refusal.status)
        if refusal.retry_after is not None:
            made.headers.append((b"retry-after", b"%d" % refusal.retry_after))
        if refusal.allow:
            made.headers.append((b"allow", ", ".join(refusal.allow).encode()))
        if refusal.close:
            made.headers.append((b"connection", b"close"))
        return made
