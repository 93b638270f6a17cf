"""Explanations as one HTML file, which needs nothing beside it.

    page([view(model, "Delete the file?")])

It is drawn by the scripts and styles of the server's page, put into the file. Texts are data: they
stand in a script element that is no script, where ``<`` cannot end it, and become text nodes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

import demotic

FOLDER = Path(demotic.__file__).parent / "serve" / "page"
STYLES = ("look.css", "view.css", "file.css")
SCRIPTS = ("dom.js", "differences.js", "drawing.js", "step.js", "replay.js", "view.js", "file.js")
"""In an order in which each stands behind those that it imports from."""
_POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'"
_IMPORT = re.compile(r"^import .*;\n", re.MULTILINE)
_EXPORT = re.compile(r"^export ", re.MULTILINE)


def page(views: Sequence[Mapping[str, Any]]) -> str:
    """The whole file."""
    title = views[0]["text"][:120] if views else "Nothing to explain"
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<title>{escape(title)}</title>
<style>
{_joined(STYLES)}</style>
</head>
<body>
<main id="views">
{"".join(_plain(views))}</main>
<script type="application/json" id="data">{_data(views)}</script>
<script type="module">
{_script()}</script>
</body>
</html>
"""


def _plain(views: Iterable[Mapping[str, Any]]) -> Iterable[str]:
    """What is there without scripts: the texts."""
    for each in views:
        for text in (each["source"], each["text"]):
            yield f'<p dir="auto">{escape(text)}</p>\n'


def _data(views: Sequence[Mapping[str, Any]]) -> str:
    """JSON in which nothing can end the element that it stands in."""
    text = json.dumps(views, ensure_ascii=False, allow_nan=False)
    text = text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    return text.encode("utf-8", "backslashreplace").decode()


def _joined(names: Iterable[str]) -> str:
    return "".join((FOLDER / name).read_text(encoding="utf-8") for name in names)


@cache
def _script() -> str:
    """The modules as one: names are unique among them, so that imports can go."""
    return _EXPORT.sub("", _IMPORT.sub("", _joined(SCRIPTS)))
