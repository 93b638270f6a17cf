"""What every text goes through first: composed characters, no invisible ones, one kind of space.

This is the only loss that encoding accepts; everything else comes back as it was.
"""

from __future__ import annotations

import re
import unicodedata

from demotic.corpus.pattern import Pattern

# Control characters separate; soft hyphens, zero-width spaces and byte-order marks only hide
# inside words and keep equal words apart.
_INVISIBLE = re.compile("[\x00-\x1f\x7f-\x9f\u00ad\u200b\u2060\ufeff]")
_SILENT = re.compile("[\u00ad\u200b\u2060\ufeff]+")
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]+")

# Scripts written without spaces between words, with the punctuation that goes with them.
UNSPACED = (
    r"\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tibetan}"
    r"\u3001-\u303f\u30a0-\u30ff\uff00-\uff65\uffe0-\uffe6"
)
_UNSPACED = Pattern(f"[{UNSPACED}]")
# Cheaper than the sets of scripts, and enough for most lines.
_PERHAPS_UNSPACED = Pattern("[\u0e00-\u1fff\u2e80-\U0010ffff]")


def normalise(text: str) -> str:
    """NFC, control characters as spaces, soft hyphens and other invisible characters dropped.

    >>> normalise("Schiff\\u00adfahrt\\tim A\\u0308rmelkanal")
    'Schifffahrt im Ärmelkanal'
    """
    if text.isascii() and text.isprintable():
        return text
    if _INVISIBLE.search(text):
        text = _CONTROL.sub(" ", _SILENT.sub("", text))
    return unicodedata.normalize("NFC", text)


def plain_spaces(text: str) -> str:
    """The text as a round trip gives it back: normalised, every run of white space one space."""
    return " ".join(normalise(text).split())


def has_unspaced(text: str) -> bool:
    """Does the text hold a character of a script that is written without spaces?"""
    if text.isascii() or _PERHAPS_UNSPACED.search(text) is None:
        return False
    return _UNSPACED.search(text) is not None


def joins_by_itself(left: str, right: str) -> bool:
    """Do two neighbours stand together unless a mark says otherwise (漢字 or 5月, not ``a b``)?"""
    if not left or not right or (left[-1] < "\u0e00" and right[0] < "\u0e00"):
        return False
    return bool(_UNSPACED.match(left[-1]) or _UNSPACED.match(right[0]))
