"""The interface as an OpenAPI document: ``GET /spec``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from demotic.serve.options import ServeOptions

Schema = dict[str, Any]
_TEXT: Schema = {"type": "string"}
_FLAG: Schema = {"type": "boolean"}
_TEXTS: Schema = {"oneOf": [_TEXT, {"type": "array", "items": _TEXT}]}
_CODE = {"type": "string", "example": "de"}
_SOURCE = {"type": "string", "example": "de", "description": "Language of q; auto: found out."}
_MODEL = {"type": "string", "description": "A name out of /models, to choose between several."}
_KEY = {"type": "string", "description": "Where the server asks for keys."}
_ERROR: Schema = {"type": "object", "properties": {"error": _TEXT}}
_REFUSALS = {
    "400": "The request cannot be understood or is too long; the message says why.",
    "403": "The API key is unknown, or this is switched off.",
    "413": "The body is too large.",
    "429": "Too many requests per minute; Retry-After says when to come again.",
    "503": "Too much to do, or the request took too long; Retry-After as above.",
}


def _list(of: Schema) -> Schema:
    return {"type": "array", "items": of}


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


def specification(options: ServeOptions) -> dict[str, Any]:
    """The document, with the limits of this server."""
    from demotic import __version__

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
        "paths": {**_translating(), **_files(), **_remembering(), **_about()},
    }


def _translating() -> dict[str, Any]:
    fields = _object(
        q=_TEXTS, source=_SOURCE, target=_CODE,
        format={"enum": ["text", "html"], "default": "text"},
        alternatives={"type": "integer", "default": 0},
        model=_MODEL, details=_FLAG, api_key=_KEY,
    )  # fmt: skip
    answer = _object(
        translatedText=_TEXTS, detectedLanguage=_DETECTED, alternatives=_list(_TEXT),
        model=_TEXT, segments=_list(_SEGMENT),
    )  # fmt: skip
    explained = _object(model=_TEXT, source=_CODE, target=_CODE, view={"type": "object"})
    asked = _object(q=_TEXT, source=_SOURCE, target=_CODE, model=_MODEL, memory=_FLAG, api_key=_KEY)
    return {
        "/translate": {
            "post": _posted("Translate a text, or a list of them", fields, answer, "q", "source",
                            "target")
        },
        "/detect": {
            "post": _posted("Tell the language of a text", _object(q=_TEXT, api_key=_KEY),
                            _list(_DETECTED), "q")
        },
        "/explain": {
            "post": _posted("Say where each word of a sentence's translation comes from", asked,
                            explained, "q")
        },
    }  # fmt: skip


def _files() -> dict[str, Any]:
    fields = _object(
        file={"type": "string", "format": "binary"}, source=_SOURCE, target=_CODE, model=_MODEL,
        api_key=_KEY,
    )  # fmt: skip
    answer = _object(translatedFileUrl=_TEXT, reportUrl=_TEXT, report={"type": "object"})
    posted = _posted("Fill in a document", fields, answer, "file", "source", "target")
    content = posted["requestBody"]["content"]
    posted["requestBody"]["content"] = {
        "multipart/form-data": content["application/x-www-form-urlencoded"]
    }
    download = _got("Download a document that was filled in", {"type": "string"}, "name")
    return {"/translate_file": {"post": posted}, "/download_file/{name}": {"get": download}}


def _remembering() -> dict[str, Any]:
    suggested = _object(q=_TEXT, s=_TEXT, source=_CODE, target=_CODE, api_key=_KEY)
    known = _object(answers=_list(_MATCH), similar=_list(_MATCH))
    asked = _object(
        q=_TEXT, source=_SOURCE, target=_CODE, model=_MODEL, most={"type": "integer"}, api_key=_KEY
    )
    candidate = _object(
        source=_TEXT, target=_TEXT, quality={"type": "number"}, rank={"type": "number"}
    )
    return {
        "/suggest": {
            "post": _posted("Correct a translation", suggested, _object(success=_FLAG), "q", "s",
                            "source", "target")
        },
        "/memory": {"post": _posted("What was translated before", asked, known, "q")},
        "/tmserver/{source}/{target}/unit/{text}": {
            "get": _got("Matches and a translation, for Virtaal, Pootle and Weblate",
                        _list(candidate), "source", "target", "text")
        },
    }  # fmt: skip


def _about() -> dict[str, Any]:
    languages = _list(_object(code=_CODE, name=_TEXT, targets=_list(_CODE)))
    model = _object(
        name=_TEXT, system=_TEXT, source=_LANGUAGE, target=_LANGUAGE, dev={"type": "object"},
        pairs={"type": "integer"}, memory=_FLAG, glossary=_FLAG, features=_list(_TEXT),
    )  # fmt: skip
    models = _object(version=_TEXT, models=_list(model))
    return {
        "/languages": {"get": _got("Languages, and what they can be translated to", languages)},
        "/models": {"get": _got("The loaded models", models)},
        "/frontend/settings": {"get": _got("Limits, for pages", {"type": "object"})},
        "/health": {"get": _got("Is the server up?", _object(status=_TEXT))},
        "/metrics": {"get": _got("Figures, for Prometheus", _TEXT)},
    }


def _posted(summary: str, fields: Schema, answer: Schema, *required: str) -> dict[str, Any]:
    schema = fields | {"required": list(required)}
    kinds = ("application/json", "application/x-www-form-urlencoded", "multipart/form-data")
    return {
        "summary": summary,
        "requestBody": {"required": True, "content": {kind: {"schema": schema} for kind in kinds}},
        "responses": _responses(answer),
    }


def _got(summary: str, answer: Schema, *path: str) -> dict[str, Any]:
    places = [{"name": name, "in": "path", "required": True, "schema": _TEXT} for name in path]
    return {"summary": summary, "parameters": places, "responses": _responses(answer)}


def _responses(answer: Schema) -> dict[str, Any]:
    refused = {"application/json": {"schema": _ERROR}}
    return {
        "200": {"description": "Done.", "content": {"application/json": {"schema": answer}}},
        **{code: {"description": why, "content": refused} for code, why in _REFUSALS.items()},
    }
