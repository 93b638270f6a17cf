"""Reading JSON that others wrote: every value is checked, and errors say where it stands.

data = load(text)                             # FormatError, with its line, if it is no JSON
score = number(data["score"], "score")        # "score: not a finite number"
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

from demotic.errors import ArgumentError, FormatError

Pairs = list[tuple[str, Any]]


def load(text: str | bytes, *, objects: Callable[[Pairs], Any] | None = None) -> Any:
    """The value of a JSON text; ``objects`` makes something else than dicts of its objects."""
    try:
        return json.loads(text, parse_constant=_no_constant, object_pairs_hook=objects)
    except json.JSONDecodeError as error:
        raise FormatError(f"not JSON: {error.msg}", line=error.lineno) from None
    except UnicodeDecodeError:
        raise FormatError("not UTF-8 text") from None
    except (RecursionError, ValueError) as error:  # nested too deeply, a number too long
        raise FormatError(f"not JSON: {error}") from None


@contextmanager
def placed(place: str) -> Iterator[None]:
    """The core's complaints about a whole, as errors of the text."""
    try:
        yield
    except ArgumentError as error:
        raise FormatError(f"{place}: {error.message}", remedy=error.remedy) from None


def fields(item: Any, count: int, place: str) -> list[Any]:
    """A list of so many values."""
    if not isinstance(item, list) or len(item) != count:
        raise FormatError(f"{place}: expected a list of {count} values")
    return item


def word(value: Any, place: str) -> str:
    """A string, and one that can be written as UTF-8."""
    if not isinstance(value, str):
        raise FormatError(f"{place}: expected a string")
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        raise FormatError(f"{place}: half of a surrogate pair") from None
    return value


def whole(value: Any, place: str, limit: int) -> int:
    """A whole number from 0 to below ``limit``."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise FormatError(f"{place}: expected a whole number")
    if not 0 <= value < limit:
        raise FormatError(f"{place}: {value} is out of range (0 to {limit - 1})")
    return value


def number(value: Any, place: str) -> float:
    """A finite number."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise FormatError(f"{place}: expected a number")
    try:
        found = float(value)
    except OverflowError:
        found = math.inf
    if not math.isfinite(found):
        raise FormatError(f"{place}: not a finite number")
    return found


def features(value: Any, place: str) -> dict[str, float]:
    """Numbers by name."""
    if not isinstance(value, dict):
        raise FormatError(f"{place}: expected an object of features")
    return {word(name, place): number(v, f"{place}.{name}") for name, v in value.items()}


def _no_constant(name: str) -> NoReturn:
    raise FormatError(f"{name} is not a finite number")


def listed(value: Any, place: str) -> list[Any]:
    """A list of whatever."""
    if not isinstance(value, list):
        raise FormatError(f"{place}: expected a list")
    return value
