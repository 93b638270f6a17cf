"""The server as a process: third-party clients, connections that misbehave, its end."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import demotic
from tests.serve.asking import LINE, Process, multipart, serving


@pytest.fixture(scope="module")
def told(toy_model: Path) -> str:
    return demotic.load(toy_model).translate(LINE).text


def spoken(server: Process, *pieces: bytes, until: bytes = b"") -> bytes:
    """What comes back for bytes, up to a mark or the end of the connection."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as connection:
        for piece in pieces:
            connection.sendall(piece)
        found = b""
        while not (until and until in found) and (more := connection.recv(1 << 16)):
            found += more
        return found


def translate(q: str, *headers: str) -> bytes:
    body = json.dumps({"q": q, "source": "en", "target": "fr"}).encode()
    lines = [
        "POST /translate HTTP/1.1", "Host: localhost", "Content-Type: application/json",
        f"Content-Length: {len(body)}", *headers, "", "",
    ]  # fmt: skip
    return "\r\n".join(lines).encode() + body


def test_libretranslatepy_gets_what_it_expects(server: Process, told: str) -> None:
    from libretranslatepy import LibreTranslateAPI

    client = LibreTranslateAPI(server.url)
    assert client.translate(LINE, "en", "fr") == told
    assert client.translate(LINE, "auto", "fr") == told
    assert client.languages() == [
        {"code": "en", "name": "English", "targets": ["fr"]},
        {"code": "fr", "name": "French", "targets": []},
    ]
    first = client.detect(LINE)[0]
    assert first["language"] == "en"
    assert 0 < first["confidence"] <= 100
    keyed = LibreTranslateAPI(server.url, api_key="whatever")
    assert keyed.translate(LINE, "en", "fr") == told


def test_deep_translator_gets_what_it_expects(server: Process, told: str) -> None:
    from deep_translator import LibreTranslator
    from deep_translator.exceptions import ServerException

    client = LibreTranslator("en", "fr", api_key="none", custom_url=f"{server.url}/")
    assert client.translate(LINE) == told
    assert client.translate_batch([LINE, LINE]) == [told, told]
    wrong = LibreTranslator("en", "de", api_key="none", custom_url=f"{server.url}/")
    with pytest.raises(ServerException):
        wrong.translate(LINE)


def test_omegats_request_is_answered(server: Process, told: str) -> None:
    # Its plugin asks by GET, with codes of two letters.
    from urllib.parse import urlencode

    asked = urlencode({"q": LINE, "source": "en", "target": "fr"})
    assert server.request(f"/translate?{asked}").record["translatedText"] == told


def test_virtaals_requests_are_answered(server: Process, told: str) -> None:
    # Its plugin for a remote memory quotes the text, slashes as well.
    from urllib.parse import quote

    found = server.request(f"/tmserver/en/fr/unit/{quote(LINE + ' a/b?', safe='')}").record
    assert [each["source"] for each in found][-1] == f"{LINE} a/b?"


def test_weblates_requests_are_answered_as_it_reads_them(server: Process, told: str) -> None:
    # Its machinery asks for /languages, then posts lists with a key that may be empty.
    codes = [each["code"] for each in server.request("/languages").record]
    assert codes == ["en", "fr"]
    reply = server.post("/translate", api_key="", q=[LINE, LINE], source="en", target="fr")
    assert reply.record["translatedText"] == [told, told]
    # Its tmserver machinery quotes the text and wants whole numbers.
    assert server.request("/tmserver/languages/").record == {
        "sourceLanguages": ["en"], "targetLanguages": ["fr"],
    }  # fmt: skip
    from urllib.parse import quote

    found = server.request(f"/tmserver/en/fr/unit/{quote(LINE, safe='')}").record
    assert told in [each["target"] for each in found]
    for each in found:
        assert set(each) == {"source", "target", "quality", "rank"}
        assert 0 < int(each["quality"]) <= 100


def test_a_connection_is_used_again_also_without_waiting(server: Process, told: str) -> None:
    last = translate(LINE, "Connection: close")
    found = spoken(server, translate(LINE) * 3 + last)
    assert found.count(b"HTTP/1.1 200 OK") == 4
    assert found.count(json.dumps(told, ensure_ascii=False).encode()) == 4


def test_bodies_in_chunks_and_heads_in_pieces_are_read(server: Process, told: str) -> None:
    body = json.dumps({"q": LINE, "source": "en", "target": "fr"}).encode()
    chunks = b"".join(b"%x\r\n%s\r\n" % (1, body[i : i + 1]) for i in range(len(body)))
    head = (
        b"POST /translate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        b"Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
    )
    found = spoken(server, *(head[i : i + 9] for i in range(0, len(head), 9)), chunks, b"0\r\n\r\n")
    assert json.dumps(told, ensure_ascii=False).encode() in found


@pytest.mark.parametrize(
    "sent",
    [
        b"nonsense\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"POST /translate HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 9\r\n\r\n",
        b"POST /translate HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n"
        b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /health HTTP/1.1\r\n\r\n",
        b"POST /translate HTTP/1.1\r\nHost: a\r\nContent-Length: -5\r\n\r\n",
        b"GET /health HTTP/1.1\r\nHost: a\r\nX: \x00\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
    ],
)
def test_what_is_no_http_is_refused_once(server: Process, sent: bytes) -> None:
    found = spoken(server, sent)
    assert found.startswith(b"HTTP/1.1 400 ")
    assert found.count(b"HTTP/1.1") == 1


def test_what_clients_do_wrong_is_not_logged(toy_model: Path) -> None:
    with serving(toy_model, "--no-suggestions", "--json-log") as server:
        spoken(server, b"nonsense\r\n\r\n")
        upgrade = "Connection: upgrade, close\r\nUpgrade: websocket"
        spoken(server, f"GET /health HTTP/1.1\r\nHost: a\r\n{upgrade}\r\n\r\n".encode())
        body, kind = b"--y--", "multipart/form-data; boundary=x"
        server.request("/translate", body, **{"Content-Type": kind})
        said = server.stop().splitlines()
    assert all(line.startswith("{") for line in said[:-1]), said


def test_a_head_without_end_is_refused(server: Process) -> None:
    line = b"X-Filler: " + b"a" * 1000 + b"\r\n"
    found = spoken(server, b"GET /health HTTP/1.1\r\nHost: a\r\n", line * 60)
    assert found.startswith(b"HTTP/1.1 431 ")


def test_a_body_that_is_said_to_be_too_long_is_not_waited_for(server: Process) -> None:
    head = (
        b"POST /translate HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
        b"Content-Length: 99999999999\r\n\r\n"
    )
    found = spoken(server, head, b"{")
    assert found.startswith(b"HTTP/1.1 413 ")


def test_who_sends_too_much_hears_why_and_can_go_on(server: Process, told: str) -> None:
    for size in (5 << 20, 12 << 20):
        reply = server.request("/translate", b" " * size, **{"Content-Type": "application/json"})
        assert (reply.status, "larger than" in reply.error) == (413, True)
    head = "POST /translate HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
    large = f"{head}Content-Length: {5 << 20}\r\n\r\n".encode() + b" " * (5 << 20)
    found = spoken(server, large, translate(LINE, "Connection: close"))
    assert found.startswith(b"HTTP/1.1 413 ")
    assert json.dumps(told, ensure_ascii=False).encode() in found


def test_slow_clients_are_given_up_and_hold_up_nobody(server: Process, told: str) -> None:
    heads = [b"", b"POST /trans", translate(LINE)[:-5], b"\r\n"]
    slow = [socket.create_connection(("127.0.0.1", server.port), timeout=60) for _ in range(60)]
    try:
        for number, connection in enumerate(slow):
            connection.sendall(heads[number % 4])
        reply = server.post("/translate", q=LINE, source="en", target="fr")
        assert reply.record["translatedText"] == told
        ends = [connection.recv(1000) for connection in slow]
    finally:
        for connection in slow:
            connection.close()
    assert ends[0::4] == [b""] * 15  # nothing was asked, nothing is said
    assert all(end.startswith(b"HTTP/1.1 408 ") for at in (1, 2, 3) for end in ends[at::4])
    figures = server.request("/metrics").body.decode()
    assert "demotic_slow_clients_total 0" not in figures


def test_empty_lines_between_requests_do_not_hold_a_connection(server: Process) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as connection:
        connection.sendall(translate(LINE))
        assert connection.recv(1 << 16).startswith(b"HTTP/1.1 200 ")
        connection.sendall(b"\r\n")
        assert connection.recv(1000).startswith(b"HTTP/1.1 408 ")


@pytest.mark.parametrize("beside", [b"1;", b"0\r\nX: ", b"0\r\n"])
def test_what_stands_beside_chunks_is_bounded(server: Process, beside: bytes) -> None:
    head = translate(LINE).partition(b"Content-Length")[0]
    line = b"X: " + b"a" * 1000 + b"\r\n" if beside.endswith(b"\n") else b"a" * 1000
    found = spoken(server, head + b"Transfer-Encoding: chunked\r\n\r\n" + beside, line * 1000)
    assert found.startswith(b"HTTP/1.1 431 ")


def test_clients_that_go_away_are_forgotten(server: Process) -> None:
    for _ in range(50):
        with socket.create_connection(("127.0.0.1", server.port)) as connection:
            connection.sendall(translate(" ".join([LINE] * 20)))
    for _ in range(200):
        figures = server.request("/metrics").body.decode()
        if (
            "demotic_requests_running 1\n" in figures
            and 'queue_sentences{model="toy"} 0' in figures
        ):
            return
        time.sleep(0.1)
    pytest.fail("requests of clients that went away are still running")


def test_clients_that_do_not_take_their_answer_are_given_up(toy_model: Path) -> None:
    with serving(toy_model, "--no-suggestions", "--timeout", "2") as server:
        body, kind = multipart(
            {"source": "en", "target": "fr"}, {"file": ("a.txt", b"noun1" + b"\n" * (15 << 20))}
        )
        made = server.request("/translate_file", body, **{"Content-Type": kind})
        path = made.record["translatedFileUrl"].removeprefix(server.url)
        with socket.socket() as connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.connect(("127.0.0.1", server.port))
            connection.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            for _ in range(300):
                figures = server.request("/metrics").body.decode()
                if "demotic_slow_clients_total 1\n" in figures:
                    break
                time.sleep(0.1)
        assert "demotic_slow_clients_total 1\n" in figures
        assert len(server.request(path).body) > (15 << 20)


def test_connections_beyond_the_limit_are_refused(toy_model: Path, told: str) -> None:
    with serving(toy_model, "--no-suggestions", "--connections", "3") as server:
        held = [socket.create_connection(("127.0.0.1", server.port), timeout=60) for _ in range(3)]
        try:
            held[0].sendall(translate(LINE))
            assert b" 200 " in held[0].recv(1 << 16)
            found = spoken(server, b"GET /health HTTP/1.1\r\nHost: a\r\n\r\n")
            assert found.startswith(b"HTTP/1.1 503 ")
            assert b"Retry-After" in found
        finally:
            for connection in held:
                connection.close()
        for _ in range(100):
            if server.request("/health").status == 200:
                break
            time.sleep(0.1)
        reply = server.post("/translate", q=LINE, source="en", target="fr")
        assert reply.record["translatedText"] == told


def test_what_was_begun_is_finished_when_it_is_told_to_stop(toy_model: Path) -> None:
    with serving(toy_model, "--no-suggestions") as server:
        text = " ".join([LINE] * 200)
        with socket.create_connection(("127.0.0.1", server.port), timeout=60) as connection:
            connection.sendall(translate(text))
            while b"requests_running 2" not in server.request("/metrics").body:
                pass
            server.process.send_signal(signal.SIGTERM)
            found = b""
            while more := connection.recv(1 << 16):
                found += more
        assert b"200 OK" in found
        server.process.wait(timeout=60)
        said = server.stop()
        assert said.rstrip().endswith("stopped")


def test_the_log_has_a_line_of_json_for_each_request_and_no_text(toy_model: Path) -> None:
    with serving(toy_model, "--no-suggestions", "--json-log") as server:
        server.post("/translate", q="noun1 noun2", source="en", target="fr")
        server.request("/tmserver/en/fr/unit/noun3")
        server.post("/translate", q="noun1", source="xx", target="fr")
        said = server.stop()
    records: list[dict[str, Any]] = [
        json.loads(line) for line in said.splitlines() if line.startswith("{")
    ]
    asked = [each for each in records if each["event"] == "request"]
    assert [(each["path"], each["status"], each["characters"]) for each in asked] == [
        ("/translate", 200, 11), ("/tmserver/en/fr", 200, 0), ("/translate", 400, 5),
    ]  # fmt: skip
    assert "noun" not in said


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "demotic", "serve", *map(str, arguments)],
        capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip


def test_what_cannot_be_served_is_said(toy_model: Path, tmp_path: Path, server: Process) -> None:
    taken = run(toy_model, "--port", str(server.port))
    assert taken.returncode == 1
    assert "cannot listen" in taken.stderr
    missing = run(tmp_path / "none")
    assert (missing.returncode, "No such file" in missing.stderr) == (1, True)
    for arguments in (
        ["--timeout", "0"],
        ["--port", "99999"],
        ["--log-text"],
        ["--char-limit", "0"],
    ):
        assert run(toy_model, *arguments).returncode == 2
    keys = tmp_path / "keys.txt"
    keys.write_text("# none yet\n")
    assert "no key" in run(toy_model, "--api-keys", keys).stderr


def test_a_package_that_is_missing_is_named(
    toy_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from demotic.errors import MissingDependencyError
    from demotic.serve.options import ServeOptions
    from demotic.serve.server import serve

    monkeypatch.setitem(sys.modules, "uvicorn", None)
    with pytest.raises(MissingDependencyError, match=r"demotic\[serve\]"):
        serve([toy_model], ServeOptions(port=0), told=print)
