"""``/translate_file``: documents in, documents out, and nothing of what they are made to do."""

from __future__ import annotations

import asyncio
import io
import zipfile
from pathlib import Path
from typing import Any

import pytest

from demotic.serve.refusal import Refusal
from demotic.serve.uploads import Uploads, safe_name
from tests.serve.asking import LINE, Asker, Reply, asking, multipart

PO = f"""msgid ""
msgstr "Content-Type: text/plain; charset=UTF-8\\n"

msgid "{LINE}"
msgstr ""
"""
ENTITIES = (
    b'<!DOCTYPE a [<!ENTITY b "bbbb"><!ENTITY c "&b;&b;&b;">]><xliff version="1.2">&c;</xliff>'
)


def send(asker: Asker, name: str, data: bytes, **fields: str) -> Reply:
    body, kind = multipart({"source": "en", "target": "fr", **fields}, {"file": (name, data)})
    return asker.ask("POST", "/translate_file", body, kind)


def filled(asker: Asker, name: str, data: bytes, **fields: str) -> tuple[Reply, dict[str, Any]]:
    """The download and what was said of it."""
    reply = send(asker, name, data, **fields)
    assert reply.status == 200, reply.body
    url = reply.record["translatedFileUrl"]
    assert url.startswith("http://localhost/download_file/")
    return asker.get(url.removeprefix("http://localhost")), reply.record


def archive(**parts: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
        for name, data in parts.items():
            made.writestr(name.replace("__", "/"), data)
    return out.getvalue()


def docx(text: str) -> bytes:
    space = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    document = (
        f"<w:document {space}><w:body><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:body></w:document>"
    )
    return archive(**{"[Content_Types].xml": b"<Types/>", "word__document.xml": document.encode()})


def test_a_catalogue_comes_back_filled_with_a_report(asker: Asker) -> None:
    told = asker.translated(LINE)
    download, record = filled(asker, "app.po", PO.encode())
    assert f'msgstr "{told}"' in download.body.decode()
    assert download.headers["content-type"] == "application/octet-stream"
    assert download.headers["content-disposition"].startswith('attachment; filename="app_fr.po"')
    [segment] = [each for each in record["report"]["segments"] if each["source"] == LINE]
    assert segment["target"] == told
    page = asker.get(record["reportUrl"].removeprefix("http://localhost"))
    assert page.headers["content-type"].startswith("text/html")
    assert "default-src 'none'" in page.headers["content-security-policy"]
    assert told in page.body.decode()


def test_lines_of_text_and_documents_of_word_processors_come_back_too(asker: Asker) -> None:
    told = asker.translated(LINE)
    download, record = filled(asker, "a.txt", f"{LINE}\r\n\r\n  {LINE}".encode())
    assert download.body.decode() == f"{told}\r\n\r\n  {told}"
    assert list(record) == ["translatedFileUrl"]
    download, _ = filled(asker, "a.docx", docx(LINE), model="toy")
    with zipfile.ZipFile(io.BytesIO(download.body)) as made:
        assert told in made.read("word/document.xml").decode()
    download, _ = filled(asker, "a.po", PO.encode(), source="auto")
    assert told in download.body.decode()


def test_files_use_suggestions(model: Path) -> None:
    with asking(model) as asker:
        asker.post("/suggest", q=LINE, s="Dit ainsi.", source="en", target="fr")
        download, _ = filled(asker, "a.po", PO.encode())
        assert 'msgstr "Dit ainsi."' in download.body.decode()


def test_nothing_is_left_behind(toy_model: Path) -> None:
    with asking(toy_model, disable_suggestions=True) as asker:
        assert send(asker, "a.txt", LINE.encode()).status == 200
        folder = asker.app._uploads._folder
        assert folder is not None
        assert [path.suffix for path in folder.iterdir()] == [".out"]
        assert send(asker, "a.docx", b"PK\x03\x04nonsense").status == 400
        assert len(list(folder.iterdir())) == 1
    assert not folder.exists()


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("a.po", b"", "empty file"),
        ("", b"a", "empty file name"),
        ("a.exe", b"MZ", "format not supported"),
        ("a", b"noun1", "format not supported"),
        ("..", b"noun1", "empty file name"),
        ("a.txt", b"\xff\xfe\xfd", "not UTF-8"),
        ("a.txt", b"noun1\0", "binary file"),
        ("a.txt", b"x" * 200_000, "a word of 200000 characters"),
        ("a.po", b'msgid "a\nmsgstr ""\n', "line 1"),
        ("a.json", b"[" * 100_000, "Cannot translate file"),
        ("a.docx", b"PK\x03\x04" + b"\0" * 100, "damaged archive"),
        ("a.docx", archive(**{"word__document.xml": b"<a>" + b" " * (60 << 20)}), "that grows"),
        ("a.odt", archive(mimetype=b"x", **{"content.xml": b"x" * (30 << 20)}), "that grows"),
        ("a.xlsx", archive(**{"xl__workbook.xml": b"x"}), "not supported"),
        ("a.odt", archive(mimetype=b"application/zip"), "Cannot translate file"),
        ("a.xlf", ENTITIES, "Cannot translate file"),
    ],
)  # fmt: skip
def test_files_that_cannot_be_filled_in(asker: Asker, name: str, data: bytes, said: str) -> None:
    reply = send(asker, name, data)
    assert reply.status == 400
    assert said in reply.error
    assert "/tmp" not in reply.error


def test_a_file_that_is_too_large_is_refused(toy_model: Path) -> None:
    with asking(toy_model, file_limit=1000, disable_suggestions=True) as asker:
        assert send(asker, "a.txt", b"noun1 " * 20_000).status == 413
        assert send(asker, "a.txt", b"noun1 " * 200).status == 413
        assert send(asker, "a.txt", b"noun1").status == 200


def test_a_file_that_takes_too_long_is_given_up(toy_model: Path) -> None:
    with asking(toy_model, file_timeout=0.05, disable_suggestions=True) as asker:
        reply = send(asker, "a.txt", b"noun1")
        assert (reply.status, "too long" in reply.error) == (503, True)
        assert asker.translated(LINE)


def test_more_files_than_can_wait_are_refused(toy_model: Path) -> None:
    with asking(toy_model, disable_suggestions=True, file_timeout=0.2) as asker:
        body, kind = multipart({"source": "en", "target": "fr"}, {"file": ("a.txt", b"noun1")})

        async def many() -> list[int]:
            replies = await asyncio.gather(
                *(asker.asked("POST", "/translate_file", body, kind) for _ in range(20))
            )
            return [reply.status for reply in replies]

        assert asyncio.run(many()).count(503) >= 12


@pytest.mark.parametrize(
    "fields",
    [{"source": ""}, {"target": ""}, {"source": "xx"}, {"model": "none"}, {"target": "en"}],
)
def test_languages_are_asked_for(asker: Asker, fields: dict[str, str]) -> None:
    assert send(asker, "a.txt", b"noun1", **fields).status == 400


def test_a_file_has_to_be_a_file(asker: Asker) -> None:
    assert asker.form("/translate_file", file="a", source="en", target="fr").status == 400
    assert asker.post("/translate_file", file="a", source="en", target="fr").status == 400


def test_files_can_be_disabled(toy_model: Path) -> None:
    with asking(toy_model, disable_files=True, disable_suggestions=True) as asker:
        assert send(asker, "a.txt", b"noun1").status == 403
        assert asker.get("/frontend/settings").record["supportedFilesFormat"] == []


def test_only_what_was_made_can_be_downloaded(asker: Asker, tmp_path: Path) -> None:
    download, record = filled(asker, "../../../etc/passwd.txt", b"noun1")
    assert 'filename="passwd_fr.txt"' in download.headers["content-disposition"]
    path = record["translatedFileUrl"].removeprefix("http://localhost")
    for wrong in (f"{path}x", path[:-5], f"{path}/../x", "/download_file/%2e%2e%2fx.txt"):
        assert asker.get(wrong).status == 404


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("a.txt", "a.txt"), ("/etc/passwd", "passwd"), (r"C:\x\a.po", "a.po"),
        ("..\\..\\a.po", "a.po"), ('a";\r\nX: y.po', "a____X_ y.po"), (".hidden.txt", "hidden.txt"),
        ("überlang" * 50 + ".po", ("überlang" * 50)[:100] + ".po"), ("a\0b.txt", "a_b.txt"),
    ],
)  # fmt: skip
def test_names_are_made_harmless(given: str, name: str) -> None:
    assert safe_name(given) == name


def test_names_without_anything_are_refused() -> None:
    for given in ("", "/", "..", ". .", "a/.."):
        with pytest.raises(Refusal):
            safe_name(given)


def test_what_is_half_made_goes(toy_model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(self: Uploads, order: dict[str, Any]) -> dict[str, Any]:
        for each in ("output", "page"):
            Path(order[each]).write_text("half")
        raise Refusal(503, "it takes too long")

    monkeypatch.setattr(Uploads, "_run", fail)
    with asking(toy_model, disable_suggestions=True) as asker:
        assert send(asker, "a.po", PO.encode()).status == 503
        folder = asker.app._uploads._folder
        assert folder is not None
        assert list(folder.iterdir()) == []


def test_files_go_when_they_are_old_also_when_no_other_comes(
    toy_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("demotic.serve.uploads._SECONDS", 0.01)
    body, kind = multipart({"source": "en", "target": "fr"}, {"file": ("a.txt", b"noun1")})
    with asking(toy_model, disable_suggestions=True) as asker:

        async def left() -> list[Path]:
            assert (await asker.asked("POST", "/translate_file", body, kind)).status == 200
            folder = asker.app._uploads._folder
            assert folder is not None
            for _ in range(500):
                if not list(folder.iterdir()):
                    break
                await asyncio.sleep(0.01)
            return list(folder.iterdir())

        assert asyncio.run(left()) == []


def test_the_oldest_files_go_where_all_together_are_too_large(
    toy_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("demotic.serve.uploads._KEPT_BYTES", 250)
    with asking(toy_model, disable_suggestions=True) as asker:
        urls = []
        for _ in range(3):
            reply = send(asker, "a.txt", b"\n" * 100)
            urls.append(reply.record["translatedFileUrl"].removeprefix("http://localhost"))
        assert [asker.get(url).status for url in urls] == [404, 200, 200]
