"""TMX: languages, inline elements, encodings, and hostile XML."""

from __future__ import annotations

import gzip
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demotic import files
from demotic.corpus import markup, read_bitext
from demotic.corpus.reading import Reading
from demotic.corpus.tmx import read_tmx
from demotic.errors import EncodingError, FormatError

TMX = """<?xml version="1.0" encoding="{encoding}"?>
{doctype}<tmx version="1.4"><header srclang="{srclang}" datatype="plaintext"/><body>
{body}
</body></tmx>
"""


def tmx(body: str, *, srclang: str = "en", doctype: str = "", encoding: str = "UTF-8") -> str:
    return TMX.format(body=body, srclang=srclang, doctype=doctype, encoding=encoding)


def unit(*variants: tuple[str, str], tuid: str = "") -> str:
    inside = "".join(
        f'<tuv xml:lang="{language}"><prop type="x">note</prop><seg>{text}</seg></tuv>'
        for language, text in variants
    )
    return f"<tu{f' tuid={tuid!r}' if tuid else ''}><note>a <b/> note</note>{inside}</tu>"


def write(tmp_path: Path, text: str, name: str = "a.tmx") -> Path:
    path = tmp_path / name
    data = text.encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


def segment(tmp_path: Path, text: str) -> str:
    path = write(tmp_path, tmx(unit(("en", text), ("fr", "x"))))
    return next(iter(read_bitext(path))).source


@pytest.mark.parametrize("name", ["a.tmx", "a.tmx.gz", "memory.xml", "memory"])
def test_units_are_read(tmp_path: Path, name: str) -> None:
    body = unit(("en", "one"), ("fr", "un"), tuid="t1") + "\n" + unit(("fr", "deux"), ("en", "two"))
    bitext = read_bitext(write(tmp_path, tmx(body), name))
    pairs = [(pair.source, pair.target, pair.unit) for pair in bitext]
    assert pairs == [("one", "un", "t1"), ("two", "deux", "line 4")]
    assert (bitext.source_language, bitext.target_language) == ("en", "fr")


def test_languages_match_with_and_without_region(tmp_path: Path) -> None:
    body = unit(("EN-gb", "colour"), ("en_US", "color"), ("fr-FR", "couleur"))
    path = write(tmp_path, tmx(body))

    def sources(source: str, target: str = "fr") -> list[str]:
        return list(read_bitext(path, source=source, target=target).source_lines())

    assert sources("en") == ["colour"]
    assert sources("en-US") == ["color"]
    assert sources("fr", "en-US") == ["couleur"]
    with pytest.raises(FormatError, match="the languages in the file are EN-gb, en_US, fr-FR"):
        sources("en-AU")


def test_old_lang_attribute_is_understood(tmp_path: Path) -> None:
    body = unit(("en", "a"), ("fr", "b")).replace("xml:lang", "lang")
    assert len(read_bitext(write(tmp_path, tmx(body)))) == 1


def test_units_that_lack_a_language_or_a_text_are_counted(tmp_path: Path) -> None:
    body = (
        unit(("en", "a"), ("fr", "b"))
        + unit(("en", "only"))
        + unit(("en", "a"), ("de", "c"))
        + unit(("en", "a"), ("fr", "  "))
        + '<tu><tuv xml:lang="en"><seg>x</seg></tuv><tuv xml:lang="fr"/></tu>'
    )
    bitext = read_bitext(write(tmp_path, tmx(body)))
    assert len(bitext) == 1
    assert bitext.skipped == {"without both languages": 3, "untranslated": 1}


def test_several_languages_must_be_chosen_from(tmp_path: Path) -> None:
    body = unit(("en", "a"), ("fr", "b"), ("de", "c"))
    path = write(tmp_path, tmx(body))
    with pytest.raises(FormatError, match=r"a.tmx:3: several languages.*de, en, fr.*target"):
        read_bitext(path)
    assert next(iter(read_bitext(path, target="de"))).target == "c"
    bitext = read_bitext(path, source="fr", target="de")
    assert next(iter(bitext)).source == "b"
    everything = write(tmp_path, tmx(unit(("en", "a"), ("fr", "b")), srclang="*all*"), "all.tmx")
    with pytest.raises(FormatError, match="source language"):
        read_bitext(everything)
    assert read_bitext(everything, target="fr").source_language == "en"
    assert read_bitext(path, source="de", target="en").target_language == "en"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('a <bpt i="1">&lt;b&gt;</bpt>b<ept i="1">&lt;/b&gt;</ept>', "a <b>b</b>"),
        ('a <bpt i="1"/>b<ept i="1"/> c', 'a <g id="1">b</g> c'),
        ('a <ph x="2"/>', 'a <x id="2"/>'),
        ("<ph>%s</ph> of <it pos='begin'>{n}</it>", "%s of {n}"),
        ("a <hi>strong <hi type='x'>word</hi></hi>.", "a strong word."),
        ("<ph>&lt;img alt='<sub>a <ph>%d</ph> dog</sub>'&gt;</ph>", "<img alt='a %d dog'>"),
        ("<![CDATA[<b> & co]]> x", "<b> & co x"),
        ("one <!-- hidden --> two <?pi hidden?>", "one  two "),
        ("a&#10;b&#9;c &amp; &#x1F600;", "a b c & 😀"),
        ("<unknown>kept</unknown>", "kept"),
        ("<seg>inner</seg> outer", "inner outer"),
    ],
)
def test_inline_elements(tmp_path: Path, text: str, expected: str) -> None:
    assert segment(tmp_path, text) == expected


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "iso-8859-1", "cp1252", "gb18030"]
)
@pytest.mark.parametrize("name", ["a.tmx", "memory"])
def test_declared_encodings_are_understood(tmp_path: Path, encoding: str, name: str) -> None:
    declared = encoding.removesuffix("-sig").removesuffix("-le")
    path = tmp_path / name
    body = "".join(unit(("en", f"naïve {n}"), ("fr", "été")) for n in range(3))
    path.write_bytes(tmx(body, encoding=declared).encode(encoding))
    assert list(read_bitext(path).source_lines()) == ["naïve 0", "naïve 1", "naïve 2"]


@pytest.mark.parametrize(
    ("declared", "actual", "message"),
    [
        ("utf-8", "iso-8859-1", "a.tmx:3: broken XML"),
        ("utf-16", "utf-8", "a.tmx:1: broken XML: encoding specified"),
        ("klingon", "utf-8", "a.tmx:1: the XML declaration names an unknown encoding: klingon"),
        ("rot13", "utf-8", "unknown encoding: rot13"),
        ("gb18030", "iso-8859-1", "a.tmx:3: the encoding is gb18030, but byte 0xe9"),
    ],
)
def test_wrong_encoding_is_an_error(
    tmp_path: Path, declared: str, actual: str, message: str
) -> None:
    path = tmp_path / "a.tmx"
    path.write_bytes(tmx(unit(("en", "é"), ("fr", "x")), encoding=declared).encode(actual))
    with pytest.raises((FormatError, EncodingError), match=message):
        read_bitext(path)


def test_broken_xml_is_named_with_its_line(tmp_path: Path) -> None:
    good = tmx("\n".join(unit(("en", f"a{n}"), ("fr", "b")) for n in range(5)))
    for text, line in [
        (good.replace("a3</seg>", "a3</sag>"), 6),
        (good[: good.index("a2")], 5),
        (good.replace("a1", "a1 & b"), 4),
        (good.replace("a1", "&unknown;"), 4),
        (good + "<more/>", 9),
    ]:
        with pytest.raises(FormatError, match=f"a.tmx:{line}: broken XML"):
            read_bitext(write(tmp_path, text))


def test_other_xml_and_no_xml_are_refused(tmp_path: Path) -> None:
    for text, message in [
        ("<html><body/></html>", "not a TMX file: its root is <html>"),
        ("", "an empty file"),
        ("plain text", "broken XML"),
        ("\0\0\0", "broken XML"),
        (tmx(""), "no sentence pairs"),
    ]:
        with pytest.raises(FormatError, match=message):
            read_bitext(write(tmp_path, text))


BOMB = "<!DOCTYPE tmx [<!ENTITY a0 'ha'>{}]>".format(
    "".join(f"<!ENTITY a{n} '&a{n - 1};&a{n - 1};&a{n - 1};'>" for n in range(1, 40))
)


@pytest.mark.parametrize(
    "doctype",
    [
        BOMB,
        "<!DOCTYPE tmx [<!ENTITY secret SYSTEM 'file:///etc/passwd'>]>",
        "<!DOCTYPE tmx [<!ENTITY % remote SYSTEM 'http://localhost/x.dtd'> %remote;]>",
        f"<!DOCTYPE tmx [<!ENTITY long '{'x' * 10000}'>]>",
    ],
)
def test_entities_are_refused(tmp_path: Path, doctype: str) -> None:
    body = unit(("en", "&a39;" if "a39" in doctype else "a"), ("fr", "b"))
    with pytest.raises(FormatError, match=r"a.tmx:2: refused XML that declares entities"):
        read_bitext(write(tmp_path, tmx(body, doctype=doctype)))


def test_reference_to_the_dtd_is_harmless(tmp_path: Path) -> None:
    doctype = '<!DOCTYPE tmx SYSTEM "tmx14.dtd">'
    assert (
        len(read_bitext(write(tmp_path, tmx(unit(("en", "a"), ("fr", "b")), doctype=doctype)))) == 1
    )


def test_deep_nesting_is_harmless(tmp_path: Path) -> None:
    depth = 50_000
    assert segment(tmp_path, "<hi>" * depth + "deep" + "</hi>" * depth) == "deep"
    outside = "<prop>" * depth + "</prop>" * depth
    path = write(tmp_path, tmx(outside + unit(("en", "a"), ("fr", "b"))))
    assert len(read_bitext(path)) == 1


@given(
    st.text(st.characters(blacklist_categories=("Cs", "Cc"), blacklist_characters="\ufffe\uffff"))
)
def test_any_text_survives(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    from xml.sax.saxutils import escape

    expected = f"x{text}"
    assert segment(tmp_path_factory.mktemp("tmx"), escape(expected)) == expected


def peak(path: Path) -> int:
    """The most bytes that Python held at a time while a file was read."""
    read = read_tmx(Reading(str(path), "en", "fr"))
    tracemalloc.start()
    try:
        for _ in read:
            pass
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    one = unit(("en", "some words " * 20), ("fr", "des mots " * 20)) + "\n"
    small = write(tmp_path, tmx(one * 5000), "small.tmx")  # more than is read at a time
    large = write(tmp_path, tmx(one * 15000), "large.tmx")
    added = large.stat().st_size - small.stat().st_size
    peak(small)  # what is made once and stays, such as modules
    assert peak(large) - peak(small) < added / 100


@pytest.mark.parametrize(
    "body",
    [
        f"<tu a='{'x' * 9000}'></tu>",
        f"<!-- {'x' * 9000} -->",
        unit(("en", "x" * 9000), ("fr", "y")),
        unit(("en", "<ph/>" * 9000), ("fr", "y")),
    ],
    ids=["attribute", "comment", "text", "codes"],
)
def test_what_has_no_end_is_refused_with_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str
) -> None:
    monkeypatch.setattr(files, "CHUNK", 500)
    for module in (files, markup):
        monkeypatch.setattr(module, "LONGEST_LINE", 2000)
    with pytest.raises(FormatError, match="more than 2,000") as caught:
        read_bitext(write(tmp_path, tmx(body)))
    assert caught.value.line == 3
    assert caught.value.path == str(tmp_path / "a.tmx")


def test_elements_in_one_another_end_somewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(markup, "_DEEPEST", 100)
    with pytest.raises(FormatError, match="more than 100 elements in one another"):
        read_bitext(write(tmp_path, tmx("<a>" * 200)))
