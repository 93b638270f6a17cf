"""Whatever is sent: a clear refusal, nothing lost, nothing run, and the server goes on."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.serve.asking import LINE, Asker, multipart

JSON = "application/json"
FORM = "application/x-www-form-urlencoded"
PARTS = "multipart/form-data; boundary=x"


@pytest.fixture(autouse=True)
def goes_on(asker: Asker) -> Iterator[None]:
    before = asker.translated(LINE)
    yield
    assert asker.translated(LINE) == before


@pytest.mark.parametrize(
    ("body", "kind", "status", "said"),
    [
        (b"{", JSON, 400, "invalid JSON"),
        (b"nonsense", JSON, 400, "invalid JSON"),
        (b"[1]", JSON, 400, "no JSON object"),
        (b'"q"', JSON, 400, "no JSON object"),
        (b"[" * 100_000, JSON, 400, "invalid JSON"),
        (b'{"q":' * 50_000, JSON, 400, "invalid JSON"),
        (b'{"q": ' + b"9" * 5000 + b"}", JSON, 400, "invalid JSON"),
        (b'{"q": "a", "q": "b", "source": "en", "target": "fr"}', JSON, 400, "'q' is given twice"),
        (b'{"q": "\xff", "source": "en", "target": "fr"}', JSON, 400, "not UTF-8 at byte 7"),
        (b'{"q": "\\ud800", "source": "en", "target": "fr"}', JSON, 400, "lone surrogate"),
        (b'{"q": ["\\udfff"], "source": "en", "target": "fr"}', JSON, 400, "lone surrogate"),
        (b'{"q": "a", "source": "\\ud800", "target": "fr"}', JSON, 400, "lone surrogate"),
        (b'{"q": NaN, "source": "en", "target": "fr"}', JSON, 400, "not a text"),
        (b"q=a&q=b&source=en&target=fr", FORM, 400, "'q' is given twice"),
        (b"q=%ff&source=en&target=fr", FORM, 400, "not UTF-8"),
        (b"q=%ed%a0%80&source=en&target=fr", FORM, 400, "not UTF-8"),
        (b"a=1&" * 5000, FORM, 400, "more than 100 parameters"),
        (b"&&&===&%%%", FORM, 400, ""),
        (b"<q>a</q>", "text/xml", 415, "'text/xml'"),
        (b"q=a", "text/plain", 415, "'text/plain'"),
        (b"\x00\x01", "application/octet-stream", 415, "octet-stream"),
        (b"--x\r\n", "multipart/form-data", 400, "without boundary"),
        (b"--x\r\n", f"multipart/form-data; boundary={'x' * 5000}", 400, "not multipart"),
        (b"nonsense", PARTS, 400, "multipart"),
        (b"--x\r\nContent-Disposition: form-data; name=q\r\n\r\na", PARTS, 400, "breaks off"),
        (b"--x\r\nA: b\r\n\r\na\r\n--x--\r\n", PARTS, 400, "without name"),
        (b"a" * (5 << 20), JSON, 413, "larger than"),
        (b"", JSON, 400, "missing q"),
    ],
)  # fmt: skip
def test_bodies_that_say_nothing_clear(
    asker: Asker, body: bytes, kind: str, status: int, said: str
) -> None:
    reply = asker.ask("POST", "/translate", body, kind)
    assert reply.status == status
    assert said in reply.error


def test_what_the_address_says_is_not_said_again_in_the_body(asker: Asker) -> None:
    reply = asker.ask("POST", "/translate?q=noun1&target=fr", b"source=en", FORM)
    assert reply.record["translatedText"] == asker.translated("noun1")
    reply = asker.ask("POST", "/translate?q=noun1", b"q=noun1&source=en&target=fr", FORM)
    assert (reply.status, "'q' is given twice" in reply.error) == (400, True)


def test_a_body_may_come_in_pieces_and_is_bounded_then_too(asker: Asker) -> None:
    body = json.dumps({"q": LINE, "source": "en", "target": "fr"}).encode()
    pieces = [body[i : i + 7] for i in range(0, len(body), 7)]
    reply = asker.ask("POST", "/translate", b"", JSON, chunks=pieces)
    assert reply.record["translatedText"] == asker.translated(LINE)
    reply = asker.ask("POST", "/translate", b"", JSON, chunks=[b"a" * (1 << 20)] * 6)
    assert reply.status == 413


@pytest.mark.parametrize(
    "text",
    ["word " * 210_000, "x" * (1 << 20), "<" * (1 << 19), "中" * 100_000, "\n" * 200_000],
)
def test_a_megabyte_is_too_long(asker: Asker, text: str) -> None:
    reply = asker.post("/translate", q=text, source="en", target="fr")
    assert reply.status == 400
    assert "exceeds text limit (50000)" in reply.error
    for path in ("/explain", "/memory", "/detect"):
        assert asker.post(path, q=text, source="en", target="fr").status == 400


@pytest.mark.parametrize("format", ["text", "html"])
def test_a_word_beyond_all_measure_is_refused(asker: Asker, format: str) -> None:
    reply = asker.post(
        "/translate", q=f"a {'x' * 40_000} b", source="en", target="fr", format=format
    )
    assert reply.status == 400
    assert "a word of 40000 characters" in reply.error


def test_html_of_many_tags_is_no_word(asker: Asker) -> None:
    q = f"<p>{'<b></b>' * 2000}{LINE}</p>"
    assert len(asker.translated(q, format="html")) > 14_000


@pytest.mark.parametrize(
    "path",
    [
        "/page/../app.py", "/page/..%2fapp.py", "/page/%2e%2e/app.py", "/page//etc/passwd",
        "/page/%00", "/page/", "/page/index.html%00.js", "/download_file/../../etc/passwd",
        "/download_file/..%2f..%2fetc%2fpasswd", "/download_file/", "/etc/passwd", "//",
        "/translate/", "/tmserver/", "/tmserver/en", "/tmserver/en/fr", "/tmserver/en/fr/store/x",
    ],
)  # fmt: skip
def test_paths_that_lead_elsewhere_lead_nowhere(asker: Asker, path: str) -> None:
    reply = asker.get(path)
    assert reply.status == 404
    assert reply.error


def test_packed_bodies_are_refused_and_not_read_as_they_are(asker: Asker) -> None:
    body = gzip.compress(b"q=a&source=en&target=fr")
    reply = asker.ask("POST", "/translate", body, FORM, content_encoding="gzip")
    assert (reply.status, "Content-Encoding" in reply.error) == (415, True)


def test_other_methods_are_refused(asker: Asker) -> None:
    assert asker.get("/suggest").status == 405
    assert asker.get("/suggest").headers["allow"] == "POST"
    assert asker.ask("TRACE", "/translate").headers["allow"] == "POST, GET"
    assert "POST" in asker.get("/suggest").error
    assert asker.ask("DELETE", "/languages").status == 405
    assert asker.ask("OPTIONS", "/translate").status == 405


def test_pages_from_elsewhere_may_not_ask(asker: Asker) -> None:
    body, kind = b"q=a&source=en&target=fr", FORM
    for origin, status in (
        ("http://localhost", 200), ("https://evil.example", 403), ("null", 403),
        ("http://localhost.evil.example", 403),
    ):  # fmt: skip
        assert asker.ask("POST", "/translate", body, kind, origin=origin).status == status


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=80))
def test_any_text_is_answered_or_refused(asker: Asker, text: str) -> None:
    for format in ("text", "html"):
        reply = asker.post("/translate", q=text, source="en", target="fr", format=format)
        assert reply.status == 200, (text, reply.body)
    assert asker.post("/detect", q=text).status == 200
    assert asker.post("/explain", q=text, source="en", target="fr").status == 200


@given(st.binary(max_size=60), st.sampled_from([JSON, FORM, "multipart/form-data; boundary=a"]))
def test_any_bytes_are_refused(asker: Asker, body: bytes, kind: str) -> None:
    assert asker.ask("POST", "/translate", body, kind).status in (400, 415)


def test_script_in_text_is_text(asker: Asker) -> None:
    script = "<script>alert(1)</script>"
    reply = asker.post("/translate", q=script, source="en", target="fr")
    assert reply.headers["content-type"] == "application/json"
    assert reply.headers["x-content-type-options"] == "nosniff"
    refused = asker.post("/translate", q="a", source=script, target="fr")
    assert refused.status == 400
    assert refused.error == f"{script} is not supported"
    assert asker.translated(f"{script}<p>noun1</p>", format="html").startswith(script)


def test_a_field_that_is_a_file_is_no_text(asker: Asker) -> None:
    body, kind = multipart({"source": "en", "target": "fr"}, {"q": ("q.txt", b"noun1")})
    reply = asker.ask("POST", "/translate", body, kind)
    assert (reply.status, "q parameter is not a text" in reply.error) == (400, True)
