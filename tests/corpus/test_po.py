"""Gettext catalogues: what is skipped, plural forms, charsets; gettext itself as the oracle."""

from __future__ import annotations

import gettext
import gzip
import io
import struct
from pathlib import Path

import polib
import pytest
from hypothesis import given
from hypothesis import strategies as st

from demotic.corpus import read_bitext
from demotic.errors import EncodingError, FormatError

HEADER = """msgid ""
msgstr ""
"Content-Type: text/plain; charset={charset}\\n"
"Language: fr\\n"
"Plural-Forms: nplurals=2; plural=(n > 1);\\n"

"""


def write(path: Path, body: str, *, charset: str = "UTF-8", encoding: str | None = None) -> Path:
    data = (HEADER.format(charset=charset) + body).encode(encoding or charset)
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


BODY = """#. a comment
#: menu.c:12
msgctxt "menu"
msgid "Open"
msgstr "Ouvrir"

#, c-format
msgid "%d file"
msgid_plural "%d files"
msgstr[0] "%d fichier"
msgstr[1] "%d fichiers"

#, fuzzy, c-format
msgid "Close"
msgstr "Clore"

msgid "Untranslated"
msgstr ""

msgid ""
"One line\\n"
"and another\\t\\"quoted\\" \\\\"
msgstr "Une ligne\\net une autre"

#~ msgid "Old"
#~ msgstr "Vieux"
"""


@pytest.mark.parametrize("name", ["a.po", "a.po.gz", "catalogue"])
def test_messages_forms_contexts_and_what_is_skipped(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    bitext = read_bitext(write(path, BODY))
    assert [(pair.source, pair.target, pair.unit) for pair in bitext] == [
        ("Open", "Ouvrir", "7 menu"),
        ("%d file", "%d fichier", "13[0]"),
        ("%d files", "%d fichiers", "13[1]"),
        ('One line and another "quoted" \\', "Une ligne et une autre", "26"),
    ]
    assert bitext.skipped == {"fuzzy": 1, "untranslated": 1, "obsolete": 1}
    assert (bitext.source_language, bitext.target_language) == ("en", "fr")


def test_single_plural_form_goes_with_the_plural(tmp_path: Path) -> None:
    body = 'msgid "%d file"\nmsgid_plural "%d files"\nmsgstr[0] "%d ge"\n'
    (pair,) = read_bitext(write(tmp_path / "a.po", body))
    assert (pair.source, pair.target) == ("%d files", "%d ge")


def test_catalogue_can_be_read_backwards(tmp_path: Path) -> None:
    path = write(tmp_path / "a.po", 'msgid "Open"\nmsgstr "Ouvrir"\n')
    (pair,) = read_bitext(path, source="fr", target="en")
    assert (pair.source, pair.target) == ("Ouvrir", "Open")
    with pytest.raises(FormatError, match=r"1 in other languages.*languages in the file are fr"):
        read_bitext(path, source="en", target="de")


def test_language_is_that_of_the_path_where_the_header_is_silent(tmp_path: Path) -> None:
    (tmp_path / "de" / "LC_MESSAGES").mkdir(parents=True)
    for name, language in (("de/LC_MESSAGES/app.po", "de"), ("pt_BR.po", "pt_BR")):
        (tmp_path / name).write_text('msgid "a"\nmsgstr "b"\n')
        assert read_bitext(tmp_path / name).target_language == language
        with pytest.raises(FormatError, match="other languages"):
            read_bitext(tmp_path / name, source="en", target="fr")
    (tmp_path / "app.po").write_text('msgid "a"\nmsgstr "b"\n')
    assert len(read_bitext(tmp_path / "app.po", source="en", target="fr")) == 1


def test_all_skipped_says_why(tmp_path: Path) -> None:
    body = '#, fuzzy\nmsgid "Close"\nmsgstr "Clore"\n'
    with pytest.raises(FormatError, match=r"no sentence pairs \(1 fuzzy\)"):
        read_bitext(write(tmp_path / "a.po", body))


def test_charset_of_the_header_is_used(tmp_path: Path) -> None:
    body = 'msgid "Summer"\nmsgstr "Été"\n'
    for charset in ("ISO-8859-1", "UTF-8", "UTF-16"):
        path = write(tmp_path / "a.po", body, charset=charset, encoding=charset)
        if charset == "UTF-16":  # not a charset that gettext knows
            with pytest.raises(EncodingError, match="NUL"):
                read_bitext(path)
        else:
            assert next(iter(read_bitext(path))).target == "Été"


def test_line_separators_inside_messages_do_not_break_lines(tmp_path: Path) -> None:
    body = 'msgid "a"\nmsgstr "b\u2028c\x85d\x0ce"\n'
    assert next(iter(read_bitext(write(tmp_path / "a.po", body)))).target == "b\u2028c\x85d\x0ce"


@pytest.mark.parametrize(
    ("charset", "encoding", "message"),
    [
        ("UTF-8", "ISO-8859-1", "a.po:8: the charset is UTF-8, but byte 0xc9"),
        ("ISO-8859-1", "UTF-8", "says charset ISO-8859-1, but the text is UTF-8"),
        ("ASCII", "UTF-8", "a.po:8: the charset is ASCII"),
        ("KLINGON", "UTF-8", "a.po:3: the header names an unknown charset: KLINGON"),
        ("rot13", "UTF-8", "a.po:3: the header names an unknown charset: rot13"),
    ],
)
def test_wrong_charset_is_an_error(
    tmp_path: Path, charset: str, encoding: str, message: str
) -> None:
    body = 'msgid "Summer"\nmsgstr "Été"\n'
    path = write(tmp_path / "a.po", body, charset=charset, encoding=encoding)
    with pytest.raises(EncodingError, match=message):
        read_bitext(path)


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ('msgid "a"\nmsgstr "b"\nnonsense\n', 9),
        ('msgid "a "b" c"\nmsgstr "x"\n', 7),
        ('msgstr "b"\nmsgid_plural "c"\n', 7),
    ],
)
def test_broken_file_is_named_with_its_line(tmp_path: Path, body: str, line: int) -> None:
    with pytest.raises(FormatError, match=f"a.po:{line}: broken PO file"):
        read_bitext(write(tmp_path / "a.po", body))


def test_content_that_names_a_file_does_not_open_it(tmp_path: Path) -> None:
    secret = write(tmp_path / "secret.po", 'msgid "a"\nmsgstr "b"\n')
    path = tmp_path / "a.po"
    path.write_text(str(secret))
    with pytest.raises(FormatError):
        read_bitext(path)


MESSAGES = st.text(
    st.characters(codec="utf-8", blacklist_categories=("Cc", "Cs"), blacklist_characters="\x04"),
    min_size=1,
)


@given(st.dictionaries(st.tuples(st.none() | MESSAGES, MESSAGES), st.lists(MESSAGES, max_size=2)))
def test_compiled_catalogue_equals_gettext(
    tmp_path_factory: pytest.TempPathFactory,
    messages: dict[tuple[str | None, str], list[str]],
) -> None:
    path = tmp_path_factory.mktemp("mo") / "a.mo"
    catalogue = polib.POFile(encoding="UTF-8")
    catalogue.metadata = {
        "Content-Type": "text/plain; charset=UTF-8",
        "Plural-Forms": "nplurals=2; plural=(n != 1);",
    }
    for (context, message), forms in messages.items():
        entry = polib.POEntry(msgctxt=context, msgid=message, msgstr="".join(forms))
        if len(forms) == 2:
            entry = polib.POEntry(
                msgctxt=context,
                msgid=message,
                msgid_plural=f"{message}s",
                msgstr_plural={0: forms[0], 1: forms[1]},
            )
        catalogue.append(entry)
    path.write_bytes(catalogue.to_binary())

    oracle = gettext.GNUTranslations(io.BytesIO(path.read_bytes()))
    expected = []
    for (context, message), forms in messages.items():
        if len(forms) == 2:
            for number, original in ((1, message), (2, f"{message}s")):
                arguments = (message, f"{message}s", number)
                translation = (
                    oracle.ngettext(*arguments)
                    if context is None
                    else oracle.npgettext(context, *arguments)
                )
                expected.append((original, translation))
        elif forms:
            translation = (
                oracle.gettext(message) if context is None else oracle.pgettext(context, message)
            )
            expected.append((message, translation))
    if expected:
        found = [(pair.source, pair.target) for pair in read_bitext(path)]
        assert sorted(found) == sorted(expected)


def compiled() -> bytes:
    catalogue = polib.POFile()
    catalogue.metadata = {"Content-Type": "text/plain; charset=UTF-8", "Language": "fr"}
    for number in range(20):
        catalogue.append(polib.POEntry(msgid=f"message {number}", msgstr=f"é {number}"))
    return bytes(catalogue.to_binary())


def test_damaged_compiled_catalogue_is_an_error(tmp_path: Path) -> None:
    path, good = tmp_path / "a.mo", compiled()
    path.write_bytes(good)
    assert len(read_bitext(path)) == 20
    for length in range(0, len(good) - 1, 11):
        path.write_bytes(good[:length])
        with pytest.raises(FormatError):
            read_bitext(path)


def test_compiled_catalogue_that_multiplies_itself_is_refused(tmp_path: Path) -> None:
    """Ten thousand entries that each claim the whole file would fill the memory."""
    count = 10_000
    table = struct.pack("<II", 20 + 8 * count, 0) * count
    path = tmp_path / "a.mo"
    path.write_bytes(struct.pack("<IIIII", 0x950412DE, 0, count, 20, 20) + table)
    with pytest.raises(FormatError, match="damaged MO file"):
        read_bitext(path)


def test_compiled_catalogue_in_a_wrong_charset_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "a.mo"
    path.write_bytes(compiled().replace("é".encode(), b"\xe9x"))
    with pytest.raises(EncodingError, match="says charset UTF-8"):
        read_bitext(path)
