"""Files that nobody controls: a clear error, in bounded time and memory."""

from __future__ import annotations

import contextlib
import io
import zipfile

import pytest

from demotic.documents import open_document, recognise
from demotic.errors import DemoticError, EncodingError, FormatError
from tests.documents import made

BOMB = """<?xml version="1.0"?>
<!DOCTYPE xliff [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>
<xliff version="1.2"><file><body><trans-unit id="1"><source>&b;</source></trans-unit></body></file>
</xliff>"""


def test_compiled_catalogues_are_refused_with_the_reason() -> None:
    with pytest.raises(FormatError, match=r"compiled catalogue.*the PO file that it was compiled"):
        open_document("a.mo", data=b"\xde\x12\x04\x95" + bytes(24))


def test_entity_bombs_are_refused() -> None:
    with pytest.raises(FormatError, match="declares entities"):
        open_document("a.xlf", data=BOMB.encode())


@pytest.mark.parametrize("name", ["one.xlf", "m.tmx", "strings.xml", "a.json"])
def test_cut_files_are_refused_with_their_line(name: str) -> None:
    data = made.documents()[name]
    cut = data[: len(data) * 2 // 3]
    with pytest.raises(FormatError, match=rf"{name}:\d+: broken"):
        open_document(name, data=cut, source_language="en", target_language="de")


def test_wrong_charsets_are_refused_with_their_line() -> None:
    with pytest.raises(EncodingError, match=r"a\.po:17: byte 0xd6"):
        open_document("a.po", data=made.PO.encode("latin-1"))
    with pytest.raises(EncodingError, match="unknown encoding"):
        open_document("a.po", data=made.PO.replace("UTF-8", "NONSENSE-8").encode())


def test_archives_that_grow_are_refused_before_they_are_read() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", b"<w:p>" + b" " * (300 << 20))
    with pytest.raises(FormatError, match="more than 256 MB unpacked"):
        open_document("a.docx", data=out.getvalue())


def test_archives_that_lie_about_their_sizes_are_refused() -> None:
    data = bytearray(made.documents()["a.odt"])
    listed = data.rfind(b"PK\x01\x02")
    data[listed + 24 : listed + 28] = (5).to_bytes(4, "little")
    with pytest.raises(FormatError):
        open_document("a.odt", data=bytes(data))


def test_other_archives_are_refused() -> None:
    with pytest.raises(FormatError, match="neither DOCX nor ODT"):
        recognise(made.archive({"x": "y"}))
    with pytest.raises(FormatError, match="damaged archive"):
        recognise(b"PK\x03\x04" + b"x" * 50)


@pytest.mark.parametrize("name", sorted(made.documents()))
def test_any_cut_gives_a_document_or_a_typed_error(name: str) -> None:
    if name == "en.yml":
        pytest.importorskip("ruamel.yaml")
    data = made.documents()[name]
    for cut in range(0, len(data), max(1, len(data) // 40)):
        for damaged in (data[:cut], data[:cut] + b"\xff<" + data[cut:]):
            try:
                document = open_document(
                    name, data=damaged, source_language="en", target_language="de"
                )
                assert document.filled({}) == damaged
            except DemoticError:
                pass


@pytest.mark.parametrize(
    ("name", "pattern"),
    [
        ("a.md", "*"),
        ("a.md", "[a]("),
        ("a.md", "`a "),
        ("a.html", "<"),
        ("a.html", "<a "),
        ("a.html", "<!--"),
        ("a.html", "<code>"),
        ("a.json", "["),
        ("a.po", '"'),
        ("a.properties", "\\"),
        ("a.strings", '"'),
        ("a.srt", "1\n00:00:01,000 --> "),
    ],
)
def test_awkward_text_takes_no_time(name: str, pattern: str) -> None:
    """100,000 characters of it: with anything quadratic this would take minutes."""
    data = (pattern * (100_000 // len(pattern))).encode()
    with contextlib.suppress(DemoticError):
        open_document(name, data=data, format=recognise(made.documents()[name], name))
