"""The interface as an OpenAPI document: ``GET /spec``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from demotic.serve.loaded import Loaded
    from demotic.serve.options import ServeOptions

Schema = dict[str, Any]
_TEXT: Schema = {"type": "string"}
_FLAG: Schema = {"type": "boolean"}
_TEXTS: Schema = {"oneOf": [_TEXT, {"type": "array", "items": _TEXT}]}
_SAID: Schema = {"type": "string", "minLength": 1}
_SAID_ALL: Schema = {"oneOf": [_SAID, {"type": "array", "items": _TEXT, "minItems": 1}]}
_CODE = {"type": "string", "example": "de"}
_KEY = {"type": "string", "description": "Where the server asks for keys."}
_ERROR: Schema = {"type": "object", "properties": {"error": _TEXT}}
_REFUSALS = {
    "400": "The request cannot be understood or is too long; the message says why.",
    "403": "The API key is unknown, or this is switched off.",
    "404": "There is no such path, or file.",
    "405": "The path has other methods, which Allow names.",
    "413": "The body is too large.",
    "415": "The body is none of these kinds.",
    "429": "Too many requests per minute; Retry-After says when to come again.",
    "503": "Too much to do, or the request took too long; Retry-After as above.",
}


def _list(of: Schema) -> Schema:
    return {"type": "array", "items": of}


def _one_or_list(of: Schema) -> Schema:
    """One for a text, a list of them for a list of texts."""
    return {"anyOf": [of, _list(of)]}


def _object(**properties: Schema) -> Schema:
    return {"type": "object", "properties": properties}


_DETECTED = _object(confidence={"type": "number"}, language=_CODE)
_LANGUAGE = _object(code=_CODE, name=_TEXT, rtl=_FLAG)
_SEGMENT = _object(
    text=_TEXT, source=_TEXT, start={"type": "integer"}, end={"type": "integer"},
    origin={"enum": ["decoded", "memory", "suggested"]}, sure={"type": ["number", "null"]},
    unknown={"type": "integer"},
)  # fmt: skip
_MATCH = _object(
    kind={"enum": ["exact", "substituted", "mended", "similar", "repaired"]},
    text=_TEXT, source=_TEXT, target=_TEXT, similarity={"type": "number"},
    count={"type": "integer"}, file=_TEXT, unit=_TEXT, suggested=_FLAG,
    difference=_list(_object(stored=_list(_TEXT), given=_list(_TEXT), same=_FLAG)),
)  # fmt: skip


class _Asked:
    """Fields of requests, with the languages and models that there are."""

    def __init__(self, loaded: Loaded) -> None:
        first = loaded.all[0]
        self.source: Schema = {
            "type": "string", "enum": [*loaded.sources, "auto"], "example": first.source,
            "description": "Language of q; auto: found out.",
        }  # fmt: skip
        self.own_source = self.source | {"enum": loaded.sources, "description": "Language of q."}
        targets = list(dict.fromkeys(each.target for each in loaded.all))
        self.target: Schema = {"type": "string", "enum": targets, "example": first.target}
        self.model: Schema = {
            "type": "string", "enum": [each.name for each in loaded.all],
            "description": "Which of several.",
        }  # fmt: skip


def specification(options: ServeOptions, loaded: Loaded) -> dict[str, Any]:
    """The document, with the limits of this server, its languages and models."""
    from demotic import __version__

    asked = _Asked(loaded)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Demotic",
            "version": __version__,
            "description": "Translation by models of one's own; compatible with LibreTranslate. "
            f"A request may have {options.char_limit} characters, {options.batch_limit} texts "
            "(-1: any number), and is given up after "
            f"{options.timeout:g} seconds.",
        },
        "paths": {
            **_translating(asked, options),
            **_files(asked),
            **_remembering(asked),
            **_about(),
        },
    }


def _translating(known: _Asked, options: ServeOptions) -> dict[str, Any]:
    most = options.alternatives_limit
    fields = _object(
        q=_SAID_ALL, source=known.source, target=known.target,
        format={"enum": ["text", "html"], "default": "text"},
        alternatives={"type": "integer", "default": 0, "minimum": 0, "maximum": most},
        model=known.model, details=_FLAG, api_key=_KEY,
    )  # fmt: skip
    answer = _object(
        translatedText=_TEXTS, detectedLanguage=_one_or_list(_DETECTED),
        alternatives=_one_or_list(_list(_TEXT)), model={"type": ["string", "null"]},
        segments=_one_or_list(_list(_SEGMENT)),
    )  # fmt: skip
    explained = _object(model=_TEXT, source=_CODE, target=_CODE, view={"type": "object"})
    asked = _object(
        q=_SAID, source=known.source, target=known.target, model=known.model, memory=_FLAG,
        api_key=_KEY,
    )  # fmt: skip
    return {
        "/translate": {
            "post": _posted("Translate a text, or a list of them", fields, answer, "q", "source",
                            "target")
        },
        "/detect": {
            "post": _posted("Tell the language of a text", _object(q=_SAID_ALL, api_key=_KEY),
                            _list(_DETECTED), "q")
        },
        "/explain": {
            "post": _posted("Say where each word of a sentence's translation comes from", asked,
                            explained, "q", "source", "target")
        },
    }  # fmt: skip


def _files(known: _Asked) -> dict[str, Any]:
    fields = _object(
        file={"type": "string", "format": "binary"}, source=known.source, target=known.target,
        model=known.model, api_key=_KEY,
    )  # fmt: skip
    answer = _object(translatedFileUrl=_TEXT, reportUrl=_TEXT, report={"type": "object"})
    posted = _posted("Fill in a document", fields, answer, "file", "source", "target")
    content = posted["requestBody"]["content"]
    posted["requestBody"]["content"] = {
        "multipart/form-data": content["application/x-www-form-urlencoded"]
    }
    download = _got("Download a document that was filled in", _TEXT, name=_TEXT)
    _typed(download, "application/octet-stream")
    return {"/translate_file": {"post": posted}, "/download_file/{name}": {"get": download}}


def _remembering(known: _Asked) -> dict[str, Any]:
    suggested = _object(
        q=_SAID, s=_SAID, source=known.own_source, target=known.target, api_key=_KEY
    )
    found = _object(answers=_list(_MATCH), similar=_list(_MATCH))
    asked = _object(
        q=_SAID, source=known.source, target=known.target, model=known.model,
        most={"type": "integer", "default": 5, "minimum": 0, "maximum": 50}, api_key=_KEY,
    )  # fmt: skip
    candidate = _object(
        source=_TEXT, target=_TEXT, quality={"type": "number"}, rank={"type": "number"}
    )
    return {
        "/suggest": {
            "post": _posted("Correct a translation", suggested, _object(success=_FLAG), "q", "s",
                            "source", "target")
        },
        "/memory": {"post": _posted("What was translated before", asked, found, "q", "source",
                                    "target")},
        "/tmserver/{source}/{target}/unit/{text}": {
            "get": _got("Matches and a translation, for Virtaal, Pootle and Weblate",
                        _list(candidate), source=known.own_source, target=known.target, text=_SAID)
        },
    }  # fmt: skip


def _about() -> dict[str, Any]:
    languages = _list(_object(code=_CODE, name=_TEXT, targets=_list(_CODE)))
    model = _object(
        name=_TEXT, system=_TEXT, source=_LANGUAGE, target=_LANGUAGE,
        dev={"type": ["object", "null"]}, pairs={"type": "integer"}, memory=_FLAG, glossary=_FLAG,
        features=_list(_TEXT),
    )  # fmt: skip
    models = _object(version=_TEXT, models=_list(model))
    figures = _got("Figures, for Prometheus", _TEXT)
    _typed(figures, "text/plain")
    return {
        "/languages": {"get": _got("Languages, and what they can be translated to", languages)},
        "/models": {"get": _got("The loaded models", models)},
        "/frontend/settings": {"get": _got("Limits, for pages", {"type": "object"})},
        "/health": {"get": _got("Is the server up?", _object(status=_TEXT))},
        "/metrics": {"get": figures},
    }


def _posted(summary: str, fields: Schema, answer: Schema, *required: str) -> dict[str, Any]:
    schema = fields | {"required": list(required)}
    kinds = ("application/json", "application/x-www-form-urlencoded", "multipart/form-data")
    return {
        "summary": summary,
        "requestBody": {"required": True, "content": {kind: {"schema": schema} for kind in kinds}},
        "responses": _responses(answer),
    }


def _got(summary: str, answer: Schema, **path: Schema) -> dict[str, Any]:
    places = [
        {"name": name, "in": "path", "required": True, "schema": of} for name, of in path.items()
    ]
    return {"summary": summary, "parameters": places, "responses": _responses(answer)}


def _responses(answer: Schema) -> dict[str, Any]:
    refused = {"application/json": {"schema": _ERROR}}
    return {
        "200": {"description": "Done.", "content": {"application/json": {"schema": answer}}},
        **{code: {"description": why, "content": refused} for code, why in _REFUSALS.items()},
    }


def _typed(operation: dict[str, Any], kind: str) -> None:
    """Make the answer one of another kind than JSON."""
    content = operation["responses"]["200"]["content"]
    content[kind] = content.pop("application/json")
