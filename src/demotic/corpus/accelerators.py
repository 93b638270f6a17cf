"""Accelerators: the mark before the letter of a menu's key (``&File``, ``E&xit``, ``_File``).

    >>> without_mark("Save &As…")
    ('Save As…', 5, '&A')
    >>> with_mark(["Speichern", "als", "…"], 1, "&A")
    ['Speichern', '&als', '…']

A word is the same word with it and without.  The translation gets it back before the same letter,
of the word that had it if possible, or else before the first letter that there is.
"""

from __future__ import annotations

from collections.abc import Sequence

from demotic.corpus.pattern import Pattern

MOST_WORDS = 8
"""A longer message is no label of a menu."""

_MARK = Pattern(
    r"""(?xV1)
    (?<! [\p{L}\p{N}&_] ) & (?= \p{L}\p{L}*+ (?! [;\p{N}_=&] ) )  # &File, not &amp;
  | (?<= \p{L} ) & (?= \p{Ll}\p{L}*+ (?! [;\p{N}_=&] ) )  # E&xit, not R&D
  | (?<! [\p{L}\p{N}_.\-/\\$(] ) _ (?= \p{Lu}\p{Ll}*+ (?! [\p{L}\p{N}_.(] ) )  # _File
  | (?<= (?<! [\p{L}\p{N}_] ) \p{Lu} ) _ (?= \p{Ll}++ (?! [\p{L}\p{N}_.(] ) )  # E_xit
    """
)


def without_mark(text: str) -> tuple[str, int, str]:
    """The text without its accelerator, where that stood, and the mark with its letter.

    A text with none, or with more than one, stays as it is: ``(text, -1, "")``.
    """
    if "&" not in text and "_" not in text:
        return text, -1, ""
    if "://" in text or len(text.split()) > MOST_WORDS:
        return text, -1, ""
    found = list(_MARK.finditer(text))
    if len(found) != 1 or text.count(found[0][0]) != 1:
        return text, -1, ""
    at = found[0].start()
    return text[:at] + text[at + 1 :], at, text[at : at + 2]


def with_mark(words: Sequence[str | None], home: int, mark: str) -> list[str | None]:
    """Words (None for spans) with the mark before its letter; ``home`` is the word to try first."""
    result = list(words)
    sign, letter = mark[0], mark[1:].lower()
    order = sorted(range(len(result)), key=lambda at: (at != home, at))
    for wanted in (letter, ""):
        for at in order:
            word = result[at] or ""
            for place, character in enumerate(word):
                if character.lower() == wanted or (not wanted and character.isalpha()):
                    result[at] = word[:place] + sign + word[place:]
                    return result
    return result
