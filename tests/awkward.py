"""Text that was found to be slow, or might be: patterns to be repeated until they are large."""

from __future__ import annotations

PATTERNS = {
    "one word": "a",
    "capitals": "A",
    "known word": "noun1 ",
    "unknown words": "ab cd ",
    "letters": "x ",
    "spaces": " ",
    "tags": "<",
    "open tags": "<b>",
    "tags with attributes": '<a b="',
    "ends of tags": ">",
    "closed tags": "</b>",
    "entities": "&",
    "entity names": "&amp",
    "braces": "{",
    "closing braces": "}",
    "plurals": "{0,plural,",
    "plural branches": "{0,plural,one{",
    "templates": "${",
    "percents": "%",
    "formats": "%(a",
    "brackets": "[",
    "round brackets": "(",
    "pairs of brackets": "()",
    "double quotes": '"',
    "quotes": "'",
    "quoted words": "'a ",
    "typographic quotes": "«“‘",
    "dots": ".",
    "commas": ",",
    "digits": "1",
    "grouped digits": "1,",
    "addresses": "a.",
    "mail": "a@",
    "links": "http://",
    "paths": "/a",
    "backslashes": "\\",
    "hyphens": "a-",
    "dashes": "-",
    "underscores": "_",
    "stars": "*",
    "hashes": "#",
    "han": "漢",
    "kana": "カ",
    "combining marks": "\u0301",
    "letters with marks": "e\u0301",
    "joiners": "\u200d",
    "emoji": "👩\u200d",
    "right to left": "ש",
    "bidi controls": "\u202e",
    "tabs": "\t",
    "line separators": "\u2028",
    "controls": "\x1b[",
    "placeholders": "⟦x⟧",
    "clitics": "l'",
    "plurals one after the other": "{0,plural,one{a}other{b}} ",
}
NESTED = {
    "brackets in brackets": ("(", ")"),
    "tags in tags": ("<b>", "</b>"),
    "quotes in quotes": ("«", "»"),
    "plurals in plurals": ("{0,plural,other{", "}}"),
}
NAMES = (*PATTERNS, *NESTED)


def text(name: str, size: int) -> str:
    """``size`` characters of a pattern."""
    if name in NESTED:
        before, after = NESTED[name]
        times = size // len(before + after)
        return f"{before * times}a{after * times}"
    pattern = PATTERNS[name]
    return (pattern * (size // len(pattern) + 1))[:size]
