"""Configurations as plain records and back: TOML in, JSON out, every field checked.

@dataclass(frozen=True, kw_only=True)
class Config: ...                          # fields: numbers, texts, tuples, other dataclasses

from_record(Config, {"lm": {"order": 4}})  # ArgumentError names a wrong field: lm.ordre
to_record(config)                          # nested dicts, defaults included
"""

from __future__ import annotations

import contextlib
import dataclasses
import types
import typing
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from demotic import files
from demotic.errors import ArgumentError, FormatError
from demotic.schema import RENAMED

Config = TypeVar("Config")


def read_toml(path: str | Path) -> dict[str, Any]:
    """A TOML file as a record."""
    import tomllib

    content = b"".join(files.read_text(path))
    try:
        return tomllib.loads(content.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise FormatError(f"not TOML: {error}", path=path) from error


def to_record(config: Any) -> dict[str, Any]:
    """A dataclass as nested dicts."""
    record: dict[str, Any] = dataclasses.asdict(config)
    return record


def from_record(cls: type[Config], record: Mapping[str, Any], *, where: str = "") -> Config:
    """The dataclass that a record describes; what it does not mention keeps its default.

    Defaults are those of the preset that the record names, where the class has presets.
    """
    named = {"preset": record["preset"]} if isinstance(record.get("preset"), str) else {}
    has_presets = "preset" in {field.name for field in dataclasses.fields(cls)}  # type: ignore[arg-type]
    return over(cls(**named) if has_presets else cls(), record, where)


def over(base: Config, record: Mapping[str, Any], where: str = "") -> Config:
    """A dataclass with the settings of a record put over it, section by section."""
    hints = typing.get_type_hints(type(base))
    fields = [field.name for field in dataclasses.fields(base)]  # type: ignore[arg-type]
    values: dict[str, Any] = {}
    for name, value in record.items():
        place = f"{where}.{name}" if where else name
        if name not in fields:
            raise _unknown(place, fields)
        default = getattr(base, name)
        if isinstance(value, Mapping) and dataclasses.is_dataclass(default):
            values[name] = over(default, value, place)
        else:
            values[name] = _converted(hints[name], value, place)
    try:
        return dataclasses.replace(base, **values)  # type: ignore[type-var]
    except ArgumentError as error:
        if where:
            error.message = f"{where}: {error.message}"
        raise


def _unknown(place: str, fields: list[str]) -> ArgumentError:
    remedy = f"known are {', '.join(sorted(fields))}"
    if place in RENAMED:
        remedy = f"it is called '{RENAMED[place]}' now"
    return ArgumentError(f"unknown setting '{place}'", remedy=remedy)


def known(cls: type[Any], record: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a record that a dataclass has fields for, section by section."""
    hints = typing.get_type_hints(cls)
    return {
        name: known(hints[name], value)
        if isinstance(value, Mapping) and dataclasses.is_dataclass(hints[name])
        else value
        for name, value in record.items()
        if name in {field.name for field in dataclasses.fields(cls)}
    }


def merged(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """A record with the settings of another put over it, section by section."""
    result = dict(base)
    for name, value in over.items():
        old = result.get(name)
        if isinstance(old, Mapping) and isinstance(value, Mapping):
            result[name] = merged(old, value)
        else:
            result[name] = value
    return result


def _converted(kind: Any, value: Any, place: str) -> Any:
    origin = typing.get_origin(kind)
    if origin in (types.UnionType, typing.Union):
        return _one_of(typing.get_args(kind), value, place)
    if origin is typing.Literal:
        if value in typing.get_args(kind):
            return value
        raise _wrong(place, value, f"one of {', '.join(map(str, typing.get_args(kind)))}")
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        if isinstance(value, Mapping):
            return from_record(kind, value, where=place)
        raise _wrong(place, value, "a section of settings")
    if origin is tuple:
        if not isinstance(value, list | tuple):
            raise _wrong(place, value, "a list")
        return tuple(_converted(typing.get_args(kind)[0], each, place) for each in value)
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if kind is Path and isinstance(value, str):
        return Path(value)
    if isinstance(kind, type) and type(value) is kind:
        return value
    raise _wrong(place, value, _NAMES.get(kind, str(kind)))


def _one_of(kinds: tuple[Any, ...], value: Any, place: str) -> Any:
    if value is None and type(None) in kinds:
        return None
    if value is False and type(None) in kinds:
        return None  # TOML has no null: `max_words = false` lifts a limit
    kinds = tuple(kind for kind in kinds if kind is not type(None))
    for kind in kinds:
        # No error is kept: it would keep all that is being worked on with it.
        with contextlib.suppress(ArgumentError):
            return _converted(kind, value, place)
    return _converted(kinds[0], value, place)  # complains


_NAMES = {int: "a whole number", float: "a number", str: "a text", bool: "true or false"}


def _wrong(place: str, value: object, wanted: str) -> ArgumentError:
    return ArgumentError(f"{place} is {value!r}", remedy=f"it must be {wanted}")
