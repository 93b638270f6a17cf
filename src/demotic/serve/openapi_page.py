"""The OpenAPI document as a page to read: ``GET /docs``, without scripts or outside parts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from html import escape
from typing import Any

from demotic.page import document, table

_STYLE = """
section { background:var(--card); border:1px solid var(--rule); border-radius:.5rem;
  padding:.5rem 1.25rem 1rem; margin:1rem 0; }
code, pre { font:.9em ui-monospace, monospace; overflow-x:auto; }
.verb { color:var(--mark); text-transform:uppercase; margin-right:.6rem; }
"""


def described(specification: dict[str, Any]) -> str:
    """The whole page."""
    about = specification["info"]
    parts = [f"<p>{escape(about['description'])}</p>"]
    for path, methods in specification["paths"].items():
        for verb, operation in methods.items():
            parts += _operation(path, verb, operation)
    return document(f"{about['title']} {about['version']}", "\n".join(parts), style=_STYLE)


def _operation(path: str, verb: str, operation: dict[str, Any]) -> Iterator[str]:
    name = f'<span class="verb">{escape(verb)}</span><code>{escape(path)}</code>'
    yield f"<section><h2>{name}</h2><p>{escape(operation['summary'])}</p>"
    body = operation.get("requestBody")
    if body is not None:
        kinds, schema = list(body["content"]), next(iter(body["content"].values()))["schema"]
        yield f"<p>As {escape(', '.join(kinds))}:</p>"
        rows = [
            (field, _kind(of), "required" if field in schema["required"] else "",
             of.get("description", ""))
            for field, of in schema["properties"].items()
        ]  # fmt: skip
        yield table(["field", "type", "", ""], rows)
    [(kind, answer)] = operation["responses"]["200"]["content"].items()
    shown = json.dumps(_example(answer["schema"]), indent=1)
    yield f"<p>Answer, {escape(kind)}:</p><pre>{escape(shown)}</pre></section>"


def _kind(schema: dict[str, Any]) -> str:
    if "oneOf" in schema:
        return " or ".join(_kind(each) for each in schema["oneOf"])
    if isinstance(schema.get("type"), list):
        return " or ".join(schema["type"])
    if "enum" in schema:
        return ", ".join(schema["enum"])
    if schema.get("type") == "array":
        return f"list of {_kind(schema['items'])}"
    return str(schema.get("type", ""))


def _example(schema: dict[str, Any]) -> Any:
    """The answer's shape."""
    if schema.get("type") == "object" and "properties" in schema:
        return {name: _example(each) for name, each in schema["properties"].items()}
    if schema.get("type") == "array":
        return [_example(schema["items"])]
    if "anyOf" in schema:
        return _example(schema["anyOf"][0])
    return schema.get("example", _kind(schema))
