"""Text from files and models, made safe to look at.

    shown("\x1b[2Jhi")        # '\\x1b[2Jhi': what would command the terminal is spelt out
    json_shown(text)          # the same in JSON, which means what it meant

Control characters move the cursor, hide lines or change the terminal's title; overrides of the
direction of writing let text read as something else.  Text that is data, such as translations on
standard output, is never changed.
"""

from __future__ import annotations

import re

_CONTROLS = r"\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff"
_DIRECTIONS = r"\u202a-\u202e\u2066-\u2069"
_UNSAFE = re.compile(f"[{_CONTROLS}{_DIRECTIONS}]")
_UNSAFE_LINE = re.compile(f"[{_CONTROLS}\u202a-\u202e]")
_UNSAFE_JSON = re.compile(f"[\x7f-\x9f\u2028\u2029\ud800-\udfff{_DIRECTIONS}]")


def shown(text: str) -> str:
    r"""Text with controls and marks of direction spelt out.

    >>> shown("a\x1b[31m\u202eb")
    'a\\x1b[31m\\u202eb'
    """
    return text if text.isascii() and text.isprintable() else _UNSAFE.sub(_spelt, text)


def shown_line(text: str) -> str:
    """A line made for the terminal, in which isolates keep words of two directions apart."""
    return text if text.isascii() and text.isprintable() else _UNSAFE_LINE.sub(_spelt, text)


def json_shown(text: str) -> str:
    """JSON in which no control or mark of direction stands as it is; it reads the same."""
    return _UNSAFE_JSON.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _spelt(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
