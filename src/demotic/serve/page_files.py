"""The files of the page, read once: ``index.html`` and what it names."""

from __future__ import annotations

import hashlib
from pathlib import Path

from demotic.serve.answers import PAGE_POLICY, Answer

_KINDS = {
    ".html": b"text/html; charset=utf-8",
    ".js": b"text/javascript; charset=utf-8",
    ".css": b"text/css; charset=utf-8",
    ".svg": b"image/svg+xml",
    ".png": b"image/png",
    ".ico": b"image/x-icon",
    ".json": b"application/json",
    ".webmanifest": b"application/manifest+json",
    ".woff2": b"font/woff2",
}


def page_files(folder: Path | None = None) -> dict[str, Answer]:
    """An answer for each file, by its name."""
    folder = folder or Path(__file__).parent / "page"
    found = {}
    for path in sorted(folder.iterdir()) if folder.is_dir() else []:
        kind = _KINDS.get(path.suffix)
        if kind is None or not path.is_file():
            continue
        body = path.read_bytes()
        tag = hashlib.sha256(body).hexdigest()[:16].encode()
        headers = [
            (b"content-type", kind),
            (b"content-length", b"%d" % len(body)),
            (b"content-security-policy", PAGE_POLICY),
            (b"x-content-type-options", b"nosniff"),
            (b"referrer-policy", b"no-referrer"),
            (b"cache-control", b"no-cache"),
            (b"etag", b'"%s"' % tag),
        ]
        found[path.name] = Answer(200, body, headers)
    return found
