"""What people read, told from what only programs do: for formats that do not say it themselves."""

from __future__ import annotations

import re

_LETTER = re.compile(r"[^\W\d_]")
_CODE = re.compile(
    r"[\w$@#.:/\\-]*[_./\\:@#$\d][\w$@#.:/\\-]*|[a-z]+[A-Z]\w*|(?:https?|mailto):\S*"
)


def is_prose(text: str) -> bool:
    """Whether a string holds words: not empty, no address, path, colour or identifier.

    >>> [is_prose(text) for text in ("Save", "save_as", "https://example.org", "#ff0000", "3 %")]
    [True, False, False, False, False]
    """
    text = text.strip()
    return bool(_LETTER.search(text)) and _CODE.fullmatch(text.rstrip(".!?:…")) is None
