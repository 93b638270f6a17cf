"""What a request says, whatever its form: JSON, a form, a form with files, a query string.

    fields = read_fields("application/json", body, b"")         # {"q": "Hallo", ...}
    fields["file"]                                              # an Upload, of multipart bodies

What is not clear is refused: a name given twice, text that is no Unicode, types that do not fit.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote_to_bytes

from demotic.serve.refusal import Refusal, missing

_MOST_FIELDS = 100
Fields = dict[str, Any]


@dataclass(frozen=True)
class Upload:
    """A file that was sent."""

    name: str
    data: bytes


def read_fields(content_type: str, body: bytes, query: bytes) -> Fields:
    """The fields of a body and of the query string."""
    fields = _form(query) if query else {}
    if not body:
        return fields
    kind = content_type.partition(";")[0].strip().lower()
    if kind == "application/json" or (kind.startswith("application/") and kind.endswith("+json")):
        found = read_json(body)
    elif kind in ("application/x-www-form-urlencoded", ""):
        found = _form(body)
    elif kind == "multipart/form-data":
        found = _multipart(content_type, body)
    else:
        raise Refusal(415, f"Invalid request: {kind[:100]!r} is no content type of a request")
    for name in fields.keys() & found.keys():
        raise _twice(name)
    return fields | found


def read_json(body: bytes) -> Fields:
    """The fields of a JSON object."""
    try:
        found = json.loads(body.decode("utf-8-sig"), object_pairs_hook=_object)
    except UnicodeDecodeError as error:
        raise Refusal(400, f"Invalid request: not UTF-8 at byte {error.start}") from None
    except (ValueError, RecursionError) as error:
        raise Refusal(400, f"Invalid request: invalid JSON: {str(error)[:200]}") from None
    if not isinstance(found, dict):
        raise Refusal(400, "Invalid request: the body is no JSON object")
    return found


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise _twice(next(name for name in names if names.count(name) > 1))
    return found


def _twice(name: str) -> Refusal:
    return Refusal(400, f"Invalid request: parameter {name[:100]!r} is given twice")


def _form(body: bytes) -> Fields:
    found: Fields = {}
    pairs = [each for each in body.split(b"&") if each]
    if len(pairs) > _MOST_FIELDS:
        raise Refusal(400, f"Invalid request: more than {_MOST_FIELDS} parameters")
    for pair in pairs:
        name, _, value = (
            _text(unquote_to_bytes(part.replace(b"+", b" "))) for part in pair.partition(b"=")
        )
        _put(found, name, value)
    return found


def _put(found: Fields, name: str, value: Any) -> None:
    if name in found:
        raise _twice(name)
    found[name] = value


def _text(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Refusal(400, f"Invalid request: not UTF-8 at byte {error.start}") from None


def _multipart(content_type: str, body: bytes) -> Fields:
    from python_multipart.exceptions import FormParserError
    from python_multipart.multipart import parse_options_header

    _, options = parse_options_header(content_type)
    boundary = options.get(b"boundary", b"")
    if not boundary:
        raise Refusal(400, "Invalid request: a multipart body without boundary")
    reader = _Parts()
    try:
        reader.read(boundary, body)
    except FormParserError as error:
        raise Refusal(400, f"Invalid request: not multipart: {error}") from None
    found: Fields = {}
    for headers, data in reader.parts:
        disposition, names = parse_options_header(headers.get(b"content-disposition", b""))
        if disposition != b"form-data" or b"name" not in names:
            raise Refusal(400, "Invalid request: a part without name")
        name = _text(names[b"name"])
        if b"filename" in names:
            _put(found, name, Upload(_text(names[b"filename"]), data))
        else:
            _put(found, name, _text(data))
    return found


class _Parts:
    """Collects the parts of a multipart body."""

    def __init__(self) -> None:
        self.parts: list[tuple[dict[bytes, bytes], bytes]] = []
        self._headers: dict[bytes, bytes] = {}
        self._name = self._value = b""
        self._data: list[bytes] = []
        self._complete = False

    def read(self, boundary: bytes, body: bytes) -> None:
        """Take a whole body apart."""
        from python_multipart.multipart import MultipartParser

        callbacks = {
            "on_part_begin": self._begin,
            "on_part_data": self._more,
            "on_part_end": self._end,
            "on_header_field": self._header_name,
            "on_header_value": self._header_value,
            "on_header_end": self._header_end,
            "on_end": self._finish,
        }
        parser = MultipartParser(boundary, callbacks)  # type: ignore[arg-type]
        parser.write(body)
        parser.finalize()
        if not self._complete:
            raise Refusal(400, "Invalid request: a multipart body that breaks off")

    def _begin(self) -> None:
        if len(self.parts) >= _MOST_FIELDS:
            raise Refusal(400, f"Invalid request: more than {_MOST_FIELDS} parameters")
        self._headers, self._data = {}, []

    def _more(self, data: bytes, start: int, end: int) -> None:
        self._data.append(data[start:end])

    def _end(self) -> None:
        self.parts.append((self._headers, b"".join(self._data)))

    def _header_name(self, data: bytes, start: int, end: int) -> None:
        self._name += data[start:end]

    def _header_value(self, data: bytes, start: int, end: int) -> None:
        self._value += data[start:end]

    def _header_end(self) -> None:
        self._headers[self._name.lower()] = self._value
        self._name = self._value = b""

    def _finish(self) -> None:
        self._complete = True


# -- one field --------------------------------------------------------------------------------


def text_field(fields: Fields, name: str) -> str:
    """A text that has to be there, and not be empty."""
    value = optional_text(fields, name)
    if not value:
        raise missing(name)
    return value


def optional_text(fields: Fields, name: str) -> str:
    """A text, or nothing."""
    value = fields.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise Refusal(400, f"Invalid request: {name} parameter is not a text")
    return sound(value, name)


def texts_field(fields: Fields, name: str) -> str | list[str]:
    """A text or a list of texts, that has to be there."""
    value = fields.get(name)
    if not isinstance(value, list):
        return text_field(fields, name)
    if not value:
        raise missing(name)
    if not all(isinstance(each, str) for each in value):
        raise Refusal(400, f"Invalid request: {name} parameter is not a list of texts")
    return [sound(each, name) for each in value]


def sound(text: str, name: str) -> str:
    """The text, unless it has halves of characters, which JSON can spell and nothing can write."""
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise Refusal(
                400, f"Invalid request: {name} parameter has a lone surrogate at {error.start}"
            ) from None
    return text


def count_field(fields: Fields, name: str, *, most: int, default: int = 0) -> int:
    """A number from 0 on."""
    value = fields.get(name, default)
    if value in ("", None):
        return default
    if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) < 10:
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise Refusal(400, f"Invalid request: {name} parameter is not a number")
    if value > most:
        raise Refusal(400, f"Invalid request: {name} parameter must be <= {most}")
    return max(value, 0)


def flag_field(fields: Fields, name: str, *, default: bool) -> bool:
    """Yes or no."""
    value = fields.get(name, default)
    if isinstance(value, str) and value.lower() in ("true", "1", "false", "0", ""):
        return value.lower() in ("true", "1")
    if not isinstance(value, bool):
        raise Refusal(400, f"Invalid request: {name} parameter is not true or false")
    return value
