"""Every failure that a user can cause: what was wrong, where, and what to do about it."""

from __future__ import annotations

import functools
import types
import typing
from pathlib import Path


class DemoticError(Exception):
    """Base of all errors; prints as ``file:line: message (remedy)``."""

    def __init__(
        self,
        message: str,
        *,
        path: str | Path | None = None,
        line: int | None = None,
        remedy: str = "",
    ) -> None:
        super().__init__(message)
        self.message = message
        self.path = str(path) if path is not None else None
        self.line = line
        self.remedy = remedy

    def at(self, path: str | Path) -> DemoticError:
        """Name the file, where the code that raised the error did not know it."""
        if self.path is None:
            self.path = str(path)
        return self

    def __str__(self) -> str:
        where = self.path or ""
        if self.line is not None:
            where = f"{where}:{self.line}" if where else f"line {self.line}"
        text = f"{where}: {self.message}" if where else self.message
        return f"{text} ({self.remedy})" if self.remedy else text


class FormatError(DemoticError):
    """Input that does not follow its format."""


class EncodingError(FormatError):
    """Input that is not the text it should be: invalid UTF-8, a binary file, a wrong charset."""


class CorruptFileError(DemoticError):
    """A binary file of ours that was truncated, swapped or changed."""


class FileAccessError(DemoticError):
    """The operating system refused: missing, unreadable, unwritable, disk full."""


class ArgumentError(DemoticError):
    """A call or an option that makes no sense."""


class MissingDependencyError(DemoticError):
    """An optional package is needed and not installed; the remedy names it."""


def check_characters(text: str) -> None:
    """Raise where half of a character (a lone surrogate) stands, which no file could hold."""
    if text.isascii():
        return
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise EncodingError(
            f"half of a character, U+{ord(text[error.start]):04X}, stands at {error.start + 1}",
            remedy="decode the text as what it is",
        ) from None


def check_counts(options: object, *names: str, least: int = 0, most: int = 2**32 - 1) -> None:
    """Raise where one of these options is not in a range, by default that of 32 bits."""
    for name in names:
        value = getattr(options, name)
        if not least <= value <= most:
            limit = "up" if value < least and most >= 2**32 - 1 else f"to {most}"
            raise ArgumentError(f"{name} is {value}", remedy=f"give a number from {least} {limit}")


def check_choices(options: object) -> None:
    """Raise where an option has none of the values that its type, a ``Literal``, lists."""
    for name, choices in _choices(type(options)).items():  # type: ignore[arg-type]
        value = getattr(options, name)
        if value not in choices:
            known = ", ".join(str(choice) for choice in choices if choice is not None)
            raise ArgumentError(f"{name} is {value!r}", remedy=f"choose one of {known}")


@functools.cache
def _choices(kind: type[typing.Any]) -> dict[str, tuple[object, ...]]:
    """For each field that has one of a few values: these."""
    found = {name: literal_values(hint) for name, hint in typing.get_type_hints(kind).items()}
    return {name: choices for name, choices in found.items() if choices}


def literal_values(hint: object) -> tuple[object, ...]:
    """The values of a ``Literal``, which may be optional; nothing for other types."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Literal:
        return arguments
    if origin not in (types.UnionType, typing.Union):
        return ()
    listed = [(None,) if each is type(None) else literal_values(each) for each in arguments]
    return sum(listed, ()) if all(listed) else ()
