"""What every text goes through first: composed characters, no invisible ones, one kind of space.

This is the only loss that encoding accepts; everything else comes back as it was.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

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
UNSPACED_LANGUAGES = frozenset({"bo", "dz", "ja", "km", "lo", "my", "th", "yue", "zh"})
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
    """The text as a round trip gives it back, every run of white space one space."""
    return " ".join(narrow(normalise(text)).split())


def has_unspaced(text: str) -> bool:
    """Does the text hold a character of a script that is written without spaces?"""
    if text.isascii() or _PERHAPS_UNSPACED.search(text) is None:
        return False
    return _UNSPACED.search(text) is not None


def joins_by_itself(left: str, right: str, *, mixed: bool = True) -> bool:
    """Do two neighbours stand together unless a mark says otherwise (漢字 or 5月, not ``a b``)?

    Not 5月 where ``mixed`` is false: in a language with spaces, other scripts are foreign words.
    """
    if not left or not right or (left[-1] < "\u0e00" and right[0] < "\u0e00"):
        return False
    before, after = _UNSPACED.match(left[-1]), _UNSPACED.match(right[0])
    return bool(before or after) if mixed else bool(before and after)


_WIDE = re.compile("[\uff10-\uff19\uff21-\uff3a\uff41-\uff5a]")
_HALF = re.compile("[\uff61-\uff9f]+")


def narrow(text: str, *, kana: bool = True) -> str:
    """Full-width letters and digits, and half-width ``kana``, as ordinary ones.

    >>> narrow("１２月のＡＢＣ ﾍﾟｰｼﾞ")
    '12月のABC ページ'
    """
    if text.isascii():
        return text
    if kana:
        text = _HALF.sub(lambda found: unicodedata.normalize("NFKC", found[0]), text)
    return _WIDE.sub(lambda found: chr(ord(found[0]) - 0xFEE0), text)


_BETWEEN = Pattern(f"(?<=[{UNSPACED}])\\s+(?=[{UNSPACED}])")
_MOST_SPACES = 0.2


def unsegmented(text: str) -> str:
    """The text without spaces between characters of scripts that have none."""
    if not has_unspaced(text):
        return text
    pieces, at = [], 0
    for found in _BETWEEN.finditer(text):
        pieces.append(text[at : found.start()])
        at = found.end()
    return "".join([*pieces, text[at:]])


class SpaceCounts:
    """Counts spaces where a script has none: is a text segmented?"""

    def __init__(self) -> None:
        self._spaces = self._characters = 0

    def add(self, text: str) -> None:
        """One line."""
        if has_unspaced(text):
            self._spaces += sum(1 for _ in _BETWEEN.finditer(text))
            self._characters += sum(1 for _ in _UNSPACED.finditer(text))

    def record(self) -> list[int]:
        """What was counted, for another process."""
        return [self._spaces, self._characters]

    def absorb(self, record: Sequence[int]) -> None:
        """What was counted of other lines."""
        self._spaces += record[0]
        self._characters += record[1]

    @property
    def segmented(self) -> bool:
        """Natural text has a space after some tens of characters, if at all; words have 1 to 4."""
        return self._spaces > _MOST_SPACES * self._characters
