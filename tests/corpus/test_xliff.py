"""XLIFF 1.2 and 2.0: units, segments, states, inline codes, and broken files."""

from __future__ import annotations

from pathlib import Path

import pytest

from demotic.corpus import Bitext, read_bitext
from demotic.errors import FormatError


def xliff1(body: str, source: str = "en", target: str = "fr") -> str:
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">
<file original="a.txt" source-language="{source}" target-language="{target}" datatype="plaintext">
<header><note>a note</note></header><body>{body}</body></file></xliff>"""


def xliff2(body: str) -> str:
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<xliff version="2.0" srcLang="en" trgLang="fr" xmlns="urn:oasis:names:tc:xliff:document:2.0"
 xmlns:mtc="urn:oasis:names:tc:xliff:matches:2.0"><file id="f1">
<group id="g">{body}</group></file></xliff>"""


def read(tmp_path: Path, text: str, source: str | None = None, target: str | None = None) -> Bitext:
    path = tmp_path / "a.xlf"
    path.write_text(text)
    return read_bitext(path, source=source, target=target)


def rows(bitext: Bitext) -> list[tuple[str, str, str]]:
    return [(pair.source, pair.target, pair.unit) for pair in bitext]


def test_trans_units_are_read(tmp_path: Path) -> None:
    body = """<group>
<trans-unit id="u1"><source>one</source><target>un</target></trans-unit></group>
<trans-unit id=""><source>two</source><target state="final">deux</target></trans-unit>"""
    bitext = read(tmp_path, xliff1(body))
    assert rows(bitext) == [("one", "un", "u1"), ("two", "deux", "line 6")]
    assert (bitext.source_language, bitext.target_language) == ("en", "fr")


def test_suggestions_are_not_read(tmp_path: Path) -> None:
    body = """<trans-unit id="u1"><source>one</source><target>un</target>
<alt-trans><source>bad</source><target>mauvais</target></alt-trans></trans-unit>"""
    assert rows(read(tmp_path, xliff1(body))) == [("one", "un", "u1")]
    body = """<unit id="u"><mtc:matches><mtc:match ref="#1"><source>bad</source>
<target>mauvais</target></mtc:match></mtc:matches>
<segment id="1"><source>one</source><target>un</target></segment></unit>"""
    assert rows(read(tmp_path, xliff2(body))) == [("one", "un", "u#1")]


def test_marked_segments_are_pairs(tmp_path: Path) -> None:
    body = """<trans-unit id="u"><source>One. Two. Three.</source>
<seg-source><mrk mtype="seg" mid="1">One <g id="7">1</g>.</mrk> <mrk mtype="seg" mid="2">Two.</mrk>
<g id="9"><mrk mtype="seg" mid="3">Three.</mrk></g></seg-source>
<target><mrk mtype="seg" mid="2">Deux.</mrk> <mrk mtype="seg" mid="1">Un <g id="7">1</g>.</mrk>
<mrk mtype="seg" mid="3"></mrk></target></trans-unit>"""
    bitext = read(tmp_path, xliff1(body))
    assert rows(bitext) == [
        ('One <g id="7">1</g>.', 'Un <g id="7">1</g>.', "u#1"),
        ("Two.", "Deux.", "u#2"),
    ]
    assert bitext.skipped == {"untranslated": 1}


@pytest.mark.parametrize(
    ("unit", "target", "reason"),
    [
        ("", "", None),
        ("", 'state="translated"', None),
        ('approved="yes"', "", None),
        ('approved="no"', 'state="final"', None),
        ("", 'state="x-reviewed-by-us"', None),
        ('approved="no"', "", "not finished"),
        ("", 'state="needs-review-translation"', "not finished"),
        ("", 'state="new"', "not finished"),
        ('translate="no"', "", "not to be translated"),
    ],
)
def test_states_of_version_1(tmp_path: Path, unit: str, target: str, reason: str | None) -> None:
    body = f"""<trans-unit id="0"><source>a</source><target>b</target></trans-unit>
<trans-unit id="1" {unit}><source>c</source><target {target}>d</target></trans-unit>"""
    bitext = read(tmp_path, xliff1(body))
    assert len(bitext) == (2 if reason is None else 1)
    assert bitext.skipped == ({} if reason is None else {reason: 1})


@pytest.mark.parametrize(
    ("state", "kept"),
    [("", True), ("translated", True), ("reviewed", True), ("final", True), ("initial", False)],
)
def test_states_of_version_2(tmp_path: Path, state: str, kept: bool) -> None:
    attribute = f'state="{state}"' if state else ""
    body = f"""<unit id="u"><segment><source>a</source><target>b</target></segment>
<ignorable><source> </source><target> </target></ignorable>
<segment id="s" {attribute}><source>c</source><target>d</target></segment></unit>"""
    expected = [("a", "b", "u"), ("c", "d", "u#s")] if kept else [("a", "b", "u")]
    assert rows(read(tmp_path, xliff2(body))) == expected


def test_missing_or_empty_target_is_counted(tmp_path: Path) -> None:
    body = """<trans-unit id="0"><source>a</source><target>b</target></trans-unit>
<trans-unit id="1"><source>a</source></trans-unit>
<trans-unit id="2"><source>a</source><target/></trans-unit>"""
    bitext = read(tmp_path, xliff1(body))
    assert (len(bitext), bitext.skipped) == (1, {"untranslated": 2})


def test_files_of_other_languages_are_passed_over_and_swapped_ones_turned(tmp_path: Path) -> None:
    unit = '<trans-unit id="1"><source>{}</source><target>{}</target></trans-unit>'
    file = '<file source-language="{}" target-language="{}"><body>{}</body></file>'
    files = [
        file.format("en-US", "fr-FR", unit.format("one", "un")),
        file.format("en-US", "de-DE", unit.format("one", "eins")),
        file.format("fr", "en", unit.format("deux", "two")),
    ]
    text = f'<xliff version="1.2">{"".join(files)}</xliff>'
    bitext = read(tmp_path, text, "en", "fr")
    assert rows(bitext) == [("one", "un", "1"), ("two", "deux", "1")]
    assert bitext.skipped == {"in other languages": 1}
    with pytest.raises(FormatError, match="the languages in the file are en-US, fr-FR, de-DE"):
        read(tmp_path, text, "en", "sv")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('a <g id="1">b <x id="2"/></g>', 'a <g id="1">b <x id="2"/></g>'),
        ('<bx id="1"/>a<ex id="1"/>', '<g id="1">a</g>'),
        ('<ph id="1">%s</ph> <x id="2" equiv-text="{{name}}"/>', "%s {{name}}"),
        ('<mrk mtype="term">term</mrk><!-- no --><![CDATA[ <b>]]>', "term <b>"),
        ('<ph id="1">&lt;a title="<sub>inside</sub>"&gt;</ph>', '<a title="inside">'),
        ('<g id="1"/>', '<g id="1"></g>'),
    ],
)
def test_inline_codes_of_version_1(tmp_path: Path, text: str, expected: str) -> None:
    body = f'<trans-unit id="1"><source>{text}</source><target>t</target></trans-unit>'
    assert next(iter(read(tmp_path, xliff1(body)))).source == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('a <pc id="1">b</pc> <ph id="2"/>', 'a <g id="1">b</g> <x id="2"/>'),
        ('a <pc id="1" dataRefStart="d1" dataRefEnd="d2">b</pc>', "a <b>b</b>"),
        ('<sc id="1" dataRef="d1"/>b<ec startRef="1" dataRef="d2"/>', "<b>b</b>"),
        ('<sc id="1"/>b<ec startRef="1"/>', '<g id="1">b</g>'),
        ('<ph id="1" equiv="%s"/><mrk id="m">x</mrk><sm id="1"/><em startRef="1"/>', "%sx"),
        ('x<cp hex="0007"/>y<cp hex="0041"/><cp hex="zz"/>', "xyA"),
    ],
)
def test_inline_codes_of_version_2(tmp_path: Path, text: str, expected: str) -> None:
    body = f"""<unit id="1"><originalData><data id="d1">&lt;b&gt;</data>
<data id="d2">&lt;/b&gt;</data></originalData>
<segment><source>{text}</source><target>t</target></segment></unit>"""
    assert next(iter(read(tmp_path, xliff2(body)))).source == expected


def test_suffix_and_content_tell_the_format(tmp_path: Path) -> None:
    text = xliff1('<trans-unit id="1"><source>a</source><target>b</target></trans-unit>')
    for name, encoding in (("a.xliff", "utf-8"), ("a.sdlxliff", "utf-8"), ("a", "utf-16")):
        path = tmp_path / name
        path.write_bytes(text.replace("UTF-8", encoding).encode(encoding))
        assert len(read_bitext(path)) == 1


def test_broken_and_hostile_files_are_refused(tmp_path: Path) -> None:
    good = xliff1('<trans-unit id="1"><source>a</source><target>b</target></trans-unit>')
    bomb = "<!DOCTYPE x [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;&a;'>]>\n<xliff"
    for text, message in [
        (good.replace("</source>", ""), "a.xlf:4: broken XML: mismatched tag"),
        (good.replace("<xliff", bomb), "a.xlf:2: refused XML"),
        ("<tmx/>", "not an XLIFF file: its root is <tmx>"),
        (xliff1(""), "no sentence pairs in any language and another|no sentence pairs"),
    ]:
        with pytest.raises(FormatError, match=message):
            read(tmp_path, text)
