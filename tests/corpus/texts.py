"""Texts for the tests of this folder: generated ones, and slices of real corpora."""

from __future__ import annotations

import gettext
from itertools import islice
from pathlib import Path

from hypothesis import strategies as st

from demotic.files import read_lines

# Real files, by language: spaced and unspaced, Latin and not.
CORPORA = {
    "en": "multi30k/train.en.gz",
    "de": "europarl-de-en/train.de.gz",
    "fr": "europarl-fr-en/train.fr.gz",
    "ar": "tatoeba-ar-en/train.ar.gz",
    "zh": "tatoeba-zh-en/train.zh.gz",
    "cs": "decoder-tests/moses/tests/misc.tokenizer/cs.txt",
    "es": "decoder-tests/moses/tests/misc.tokenizer/es.txt",
    "ru": "decoder-tests/moses/tests/misc.tokenizer/ru.txt",
}


def slice_of(data: Path, name: str, lines: int) -> list[str]:
    """The first lines of a corpus."""
    return list(islice(read_lines(data / name), lines))


def catalogue(language: str, lines: int) -> list[str]:
    """Interface messages of the programs on this machine, where it has any."""
    folder = Path("/usr/share/locale") / language / "LC_MESSAGES"
    messages: list[str] = []
    for path in sorted(folder.glob("*.mo")):
        with path.open("rb") as file:
            try:
                found = gettext.GNUTranslations(file)._catalog  # type: ignore[attr-defined]
            except (OSError, UnicodeError, ValueError):
                continue
        messages += [text for text in found.values() if text]
        if len(messages) > lines:
            break
    return messages[:lines]


SPANS = [
    "https://example.org/a_(b)?c=d&e=%20f",
    "www.example.com/x",
    "jane.doe+tag@mail.example.org",
    "<b>",
    "</b>",
    '<a href="x y.html" class=z>',
    "<br/>",
    "%s",
    "%(name)s",
    "%1$s",
    "%-5.2f",
    "%d",
    "{name}",
    "{0}",
    "{0:.2f}",
    "{{ user.name }}",
    "${HOME}",
    "$1",
    "&amp;",
    "&#x2014;",
    "/usr/share/doc",
    "C:\\Temp\\a.txt",
    "1,234.56",
    "10:30",
    "-7",
    "12\u202f000",
    "2020-01-05",
]

_PIECES = [
    *SPANS,
    *"￭▁⟦⟧⁀|<>[]&;'’\"«»“”.,-_*#%$@/\\{}()",
    "<s>",
    "</s>",
    "<unk>",
    "|||",
    "[X]",
    "[X,1]",
    "⟦num1⟧",
    "&#124;",
    "&amp;amp;",
    "￭-￭",
    "don't",
    "l'eau",
    "L’Été",
    "U.S.",
    "z.B.",
    "Mr.",
    "...",
    "e\u0301",
    "क्षि",
    "ไทย",
    "漢字",
    "カタカナ",
    "5月",
    "👩‍👩‍👧",
    "🇫🇷",
    "العربيةُ",
    "Schifffahrt",
    "ß",
    "İ",
    "ǅ",
    " ",
    " ",
    " ",
    "\u00a0",
    "\u3000",
    "\t",
    "\u200d",
]

# Text that is likely to confuse: marks, reserved names, scripts and spans, with and without spaces.
tricky_text = st.one_of(
    st.text(max_size=30),
    st.lists(st.sampled_from(_PIECES), max_size=12).map("".join),
    st.lists(st.one_of(st.sampled_from(_PIECES), st.text(max_size=4)), max_size=10).map("".join),
)
