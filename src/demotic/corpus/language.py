"""Language codes as files spell them: ``en``, ``en-US``, ``pt_BR``, ``de_DE.UTF-8``."""

from __future__ import annotations

import re
from collections.abc import Sequence

UNKNOWN = "und"  # BCP 47: undetermined

_CODE = re.compile(r"[a-z]{2,3}(-[a-z0-9]{2,8})*", re.ASCII)


def normalise(code: str) -> str:
    """The code in one spelling: lower case, hyphens, no charset: ``pt_BR.UTF-8`` is ``pt-br``."""
    return re.split(r"[.@]", code.strip(), maxsplit=1)[0].replace("_", "-").lower()


def looks_like_code(text: str) -> bool:
    """Whether ``text`` could be a language code."""
    return _CODE.fullmatch(normalise(text)) is not None


def matches(wanted: str, found: str) -> bool:
    """Whether a text in language ``found`` serves one who asks for ``wanted``.

    ``en`` takes ``en-US`` and ``en-US`` takes ``en``, but ``en-US`` does not take ``en-GB``.
    """
    return _distance(wanted, found) is not None


def choose(wanted: str, found: Sequence[str]) -> int | None:
    """The position of the code that fits best: equal, then more special, then more general."""
    best: tuple[int, int] | None = None
    for position, code in enumerate(found):
        distance = _distance(wanted, code)
        if distance is not None and (best is None or (distance, position) < best):
            best = (distance, position)
    return best[1] if best else None


def _distance(wanted: str, found: str) -> int | None:
    wanted, found = normalise(wanted), normalise(found)
    if wanted == found:
        return 0
    if found.startswith(wanted + "-"):
        return 1
    if wanted.startswith(found + "-"):
        return 2
    return None
