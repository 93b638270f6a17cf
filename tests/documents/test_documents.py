"""Every format: untouched text comes back byte for byte, translations come back when read again."""

from __future__ import annotations

import random
import site
import zipfile
from io import BytesIO
from pathlib import Path

import pytest

from demotic.documents import Document, Fill, Inline, State, open_document, recognise
from demotic.documents.formats import FORMATS
from tests.documents import made

DOCUMENTS = made.documents()
AWKWARD = "Über \"%s\" <&> \\ 'x' 100"


def opened(name: str, data: bytes, format: str | None = None) -> Document:
    if name.endswith((".yml", ".yaml")):
        pytest.importorskip("ruamel.yaml")
    return open_document(name, data=data, source_language="en", target_language="de", format=format)


def text_of(document: Document, number: int) -> str:
    segment = document.segments[number]
    return segment.target if document.bilingual else segment.source.text


def test_there_is_a_document_of_every_format() -> None:
    assert {recognise(data, name) for name, data in DOCUMENTS.items()} == set(FORMATS)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_nothing_filled_changes_no_byte(name: str) -> None:
    document = opened(name, DOCUMENTS[name])
    assert document.segments
    assert document.filled({}) == DOCUMENTS[name]


def check_filling(name: str, data: bytes, seed: int) -> None:
    """Some segments get a new text; all others are as they were when the file is read again."""
    document = opened(name, data)
    rng = random.Random(seed)
    fills = {
        number: Fill(Inline(AWKWARD, ()))
        for number, segment in enumerate(document.segments)
        if (not document.bilingual or segment.state is State.empty) and rng.random() < 0.5
    }
    again = opened(name, document.filled(fills), recognise(data, name))
    assert len(again.segments) == len(document.segments)
    for number in range(len(document.segments)):
        wanted = AWKWARD if number in fills else text_of(document, number)
        assert text_of(again, number).split() == wanted.split()


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("name", DOCUMENTS)
def test_what_was_filled_in_is_read_again_and_nothing_else_changed(name: str, seed: int) -> None:
    check_filling(name, DOCUMENTS[name], seed)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_document_filled_with_its_own_text_has_the_same_codes(name: str) -> None:
    document = opened(name, DOCUMENTS[name])
    if document.bilingual:
        return
    own = {number: Fill(each.source) for number, each in enumerate(document.segments)}
    again = opened(name, document.filled(own), recognise(DOCUMENTS[name], name))
    read = [(each.source.text, [code.raw for code in each.source.codes]) for each in again.segments]
    assert read == [
        (each.source.text, [code.raw for code in each.source.codes]) for each in document.segments
    ]


def installed_files() -> list[Path]:
    """Real files of the packages that happen to be installed here."""
    suffixes = {".po", ".json", ".md", ".html", ".yaml", ".yml", ".xlf", ".properties", ".srt"}
    found = [
        path
        for folder in site.getsitepackages()
        for path in sorted(Path(folder).rglob("*"))
        if path.suffix in suffixes and path.is_file() and path.stat().st_size < 300_000
    ]
    return found[:150]


def test_real_files_come_back_byte_for_byte_and_can_be_filled() -> None:
    tried = 0
    for path in installed_files():
        data = path.read_bytes()
        if not data.strip() or recognise(data, path.name) == "text":
            continue
        document = opened(path.name, data)
        assert document.filled({}) == data, path
        check_filling(path.name, data, seed=1)
        tried += 1
    if not tried:
        pytest.skip("no package with such files is installed")


def test_archives_keep_their_other_parts() -> None:
    document = opened("a.docx", DOCUMENTS["a.docx"])
    data = document.filled({0: Fill(Inline("Neu"))})
    with zipfile.ZipFile(BytesIO(data)) as archive:
        assert archive.namelist() == ["word/document.xml", "word/styles.xml"]
        assert archive.read("word/styles.xml") == b"<x/>"
        assert b"Neu" in archive.read("word/document.xml")


def test_plain_text_is_no_document() -> None:
    assert recognise(b"Hello: world\nand = more\n", "notes.txt") == "text"
    assert recognise(b"", "a.po") == "text"
    assert recognise(b"<b>bold</b> text\n", "lines") == "text"


def test_content_goes_before_the_name() -> None:
    assert recognise(made.XLIFF_1.encode(), "wrong.html") == "xliff"
    assert recognise(made.PO.encode(), "wrong.txt") == "po"
    assert recognise(made.TMX.encode("utf-16"), "x") == "tmx"
    for encoding in ("utf-16-le", "utf-16-be"):  # without a mark
        assert recognise(made.TMX.encode(encoding), "x") == "tmx"
