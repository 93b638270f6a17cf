"""The few characters that mean something inside tokens, and how text that holds them is escaped.

===========  ====================================================================
``￭``        joiner, at a token's edge: no space on this side (``don ￭'t``)
``▁``        spacer, at a token's start: a space where the script would have none
``⁀s⁀``      joint between the parts of a split compound, with its linking letters
``⟦num1⟧``   stands for the first protected number of the sentence
===========  ====================================================================

The same characters in the text, and those which separate fields or name symbols in language
models, phrase tables and grammars (``|||``, ``<s>``, ``[X]``), are written as character references
in the manner of Moses (``&#124;``, ``&lt;``), so that no text can be mistaken for a mark.
"""

from __future__ import annotations

import re

JOINER = "￭"
SPACER = "▁"
TIE = "⁀"
_BEFORE = JOINER + SPACER
_LOWEST = min(_BEFORE)

_REFERENCES = {
    "&": "&amp;",
    "|": "&#124;",
    "<": "&lt;",
    ">": "&gt;",
    "[": "&#91;",
    "]": "&#93;",
    "⟦": "&#10214;",
    "⟧": "&#10215;",
    JOINER: "&#65517;",
    SPACER: "&#9601;",
    TIE: "&#8256;",
}
_CHARACTERS = {reference: character for character, reference in _REFERENCES.items()}
_RESERVED = re.compile("[" + re.escape("".join(_REFERENCES)) + "]")
_REFERENCE = re.compile("|".join(_CHARACTERS))
_CLASS = re.compile(r"⟦([a-z]+)(\d+)⟧")


def escape(text: str) -> str:
    """The text of one token with every reserved character written as a reference.

    >>> escape("<s>")
    '&lt;s&gt;'
    """
    if _RESERVED.search(text) is None:
        return text
    return _RESERVED.sub(lambda found: _REFERENCES[found[0]], text)


def unescape(text: str) -> str:
    """What :func:`escape` was given."""
    if "&" not in text:
        return text
    return _REFERENCE.sub(lambda found: _CHARACTERS[found[0]], text)


def bare(token: str) -> str:
    """The token without joiners and spacer.

    >>> bare("￭-￭")
    '-'
    """
    if token[:1] < _LOWEST and token[-1:] < _LOWEST:  # most tokens by far
        return token
    return token.lstrip(_BEFORE).rstrip(JOINER)


def with_bare(token: str, text: str) -> str:
    """The token's marks around another text."""
    core = bare(token)
    start = len(token) - len(token.lstrip(JOINER + SPACER))
    return token[:start] + text + token[start + len(core) :]


def class_token(kind: str, index: int) -> str:
    """The token that stands for a protected span."""
    return f"⟦{kind}{index}⟧"


def protected_class(token: str) -> str | None:
    """The class token inside a token, without its joiners; None for ordinary words.

    Decoders pass such tokens through unchanged.

    >>> protected_class("￭⟦num1⟧")
    '⟦num1⟧'
    """
    if "⟦" not in token:
        return None
    core = bare(token)
    return core if _CLASS.fullmatch(core) else None


def joint(filler: str) -> str:
    """The token between two parts of a compound."""
    return TIE + filler + TIE


def joint_filler(token: str) -> str | None:
    """The linking letters of a joint; None for other tokens."""
    if len(token) < 2 or token[0] != TIE or token[-1] != TIE:
        return None
    return token[1:-1]
