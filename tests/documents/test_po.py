"""Catalogues: what is empty is filled and marked, everything else stays."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from demotic.documents import Fill, Inline, State, open_document
from demotic.documents.plurals import PluralRule, rule_of
from demotic.errors import EncodingError, FormatError
from tests.documents.made import PO


def filled(text: str, *, language: str = "de", encoding: str = "utf-8") -> str:
    """Every empty segment filled with its source in capitals."""
    document = open_document("a.po", data=text.encode(encoding), target_language=language)
    fills = {
        number: Fill(Inline(each.source.text.upper().replace("%S", "%s").replace("%D", "%d")))
        for number, each in enumerate(document.segments)
        if each.state is State.empty
    }
    return document.filled(fills).decode(encoding)


def test_empty_entries_are_filled_and_marked_fuzzy() -> None:
    text = filled(PO)
    assert '#, fuzzy, python-format\nmsgid "Delete %s?"\nmsgstr "DELETE %s?"\n' in text
    assert '#, fuzzy\nmsgid "%d file"\n' in text
    assert 'msgstr[0] "%d FILE"\nmsgstr[1] "%d FILES"\n' in text
    assert '"A MESSAGE OF\\n"\n"TWO LINES.\\n"\n' in text


def test_translations_comments_and_obsolete_entries_stay() -> None:
    before, after = PO.split("\n\n"), filled(PO).split("\n\n")
    assert len(before) == len(after)
    for number in (0, 2, 3, 6):  # the header, a translation, a fuzzy one, an obsolete one
        assert after[number] == before[number]


def test_states_and_notes_are_read() -> None:
    segments = open_document("a.po", data=PO.encode()).segments
    assert [each.state for each in segments] == ["empty", "done", "draft", *["empty"] * 3]
    assert segments[0].note == "shown at the top"
    assert segments[1].key == "menu"


def test_forms_that_the_language_has_more_are_added() -> None:
    text = filled(PO.replace("nplurals=2; plural=(n != 1);", ""), language="pl")
    assert '"Plural-Forms: nplurals=3; plural=(n==1 ? 0' in text
    assert 'msgstr[0] "%d FILE"\nmsgstr[1] "%d FILES"\nmsgstr[2] "%d FILES"\n' in text


def test_a_language_with_one_form_gets_the_plural() -> None:
    text = filled(PO.replace("nplurals=2; plural=(n != 1)", "nplurals=1; plural=0"))
    assert 'msgstr[0] "%d FILES"\nmsgstr[1] ""\n' in text


def test_line_ends_and_encodings_stay() -> None:
    text = filled(PO.replace("\n", "\r\n"))
    assert text.count("\n") == text.count("\r\n")
    latin = PO.replace("UTF-8", "ISO-8859-1")
    assert "Öffnen" in filled(latin, encoding="iso-8859-1")


def test_a_character_that_the_charset_lacks_is_an_error_with_a_remedy() -> None:
    data = PO.replace("UTF-8", "ISO-8859-1").encode("iso-8859-1")
    document = open_document("a.po", data=data)
    with pytest.raises(EncodingError, match=r"a\.po: a translation holds 'ł'.*UTF-8"):
        document.filled({0: Fill(Inline("ł"))})


def test_long_translations_are_wrapped_as_gettext_does() -> None:
    document = open_document("a.po", data=PO.encode())
    words = " ".join(["Wort"] * 40)
    text = document.filled({0: Fill(Inline(words))}).decode()
    lines = text[text.index('msgstr ""\n"Wort') :].split("\n\n")[0].split("\n")
    assert max(len(line) for line in lines) <= 80
    assert "".join(line.strip('"') for line in lines[1:]) == words


def test_files_without_wrapping_stay_without() -> None:
    long = PO + '\nmsgid "' + "x " * 100 + '"\nmsgstr "y"\n'
    document = open_document("a.po", data=long.encode())
    words = " ".join(["Wort"] * 40)
    assert f'msgstr "{words}"\n' in document.filled({0: Fill(Inline(words))}).decode()


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ('msgid "a"\nmsgstr "b"\nnonsense\n', 3, "not what a PO file holds"),
        ('msgid "a"\n\nmsgid "b"\nmsgstr ""\n', 1, "without msgstr"),
        ('msgid "a"\nmsgstr ""\nmsgstr ""\n', 3, "twice"),
        ('"lost"\nmsgid "a"\nmsgstr ""\n', 1, "belongs to no message"),
        ('msgid "a\nmsgstr ""\n', 1, "not what a PO file holds"),
        ('msgid "a"\nmsgid_plural "b"\nmsgstr ""\n', 1, "need each other"),
    ],
)
def test_broken_files_are_refused_with_their_line(text: str, line: int, says: str) -> None:
    with pytest.raises(FormatError, match=rf"a\.po:{line}: .*{says}"):
        open_document("a.po", data=text.encode())


def test_gettext_accepts_what_was_filled(tmp_path: Path) -> None:
    if shutil.which("msgfmt") is None:
        pytest.skip("gettext is not installed")
    (tmp_path / "a.po").write_text(filled(PO))
    command = ["msgfmt", "-c", "--use-fuzzy", "-o", tmp_path / "a.mo", tmp_path / "a.po"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("language", "forms", "numbers"),
    [
        ("ja", 1, {0: 0, 1: 0, 5: 0}),
        ("de", 2, {0: 1, 1: 0, 2: 1}),
        ("fr", 2, {0: 0, 1: 0, 2: 1}),
        ("ru", 3, {1: 0, 2: 1, 5: 2, 11: 2, 21: 0, 22: 1}),
        ("pl", 3, {1: 0, 2: 1, 5: 2, 21: 2, 22: 1}),
        ("ar", 6, {0: 0, 1: 1, 2: 2, 3: 3, 11: 4, 100: 5}),
    ],
)
def test_plural_rules(language: str, forms: int, numbers: dict[int, int]) -> None:
    rule = rule_of(language)
    assert rule is not None
    assert rule.forms == forms
    assert {number: rule.form(number) for number in numbers} == numbers


@pytest.mark.parametrize(
    "expression",
    ["", "n +", "__import__('os')", "n ? 1", "(" * 200 + "n" + ")" * 200, "n / 0", "!" * 300 + "n"],
)
def test_rules_that_make_no_sense_are_no_rules(expression: str) -> None:
    assert PluralRule.parse(f"nplurals=2; plural={expression};") is None
