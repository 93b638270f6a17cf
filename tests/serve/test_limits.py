"""Keys, requests per minute, queues and time."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from demotic.errors import FormatError
from demotic.serve.limits import Gate, read_keys
from demotic.serve.options import ServeOptions
from demotic.serve.refusal import Refusal
from tests.serve.asking import LINE, asking

FIELDS = {"q": "noun1", "source": "en", "target": "fr"}


def refusal(work: Callable[[], object]) -> Refusal:
    with pytest.raises(Refusal) as caught:
        work()
    return caught.value


def test_keys_are_asked_for_where_there_are_some(toy_model: Path, tmp_path: Path) -> None:
    keys = tmp_path / "keys.txt"
    keys.write_text("first  # of somebody\nsecond 2\n\n# third\n")
    with asking(toy_model, api_keys=keys, disable_suggestions=True) as asker:
        none = asker.post("/translate", **FIELDS)
        assert (none.status, "API key" in none.error) == (400, True)
        wrong = asker.post("/translate", **FIELDS, api_key="third")
        assert (wrong.status, wrong.error) == (403, "Invalid API key")
        assert asker.post("/translate", **FIELDS, api_key=["first"]).status == 400
        for _ in range(5):
            assert asker.post("/translate", **FIELDS, api_key="first").status == 200
        statuses = [asker.form("/translate", **FIELDS, api_key="second").status for _ in range(4)]
        assert statuses == [200, 200, 429, 429]
        for path in ("/explain", "/memory", "/detect", "/translate_file"):
            assert asker.post(path, **FIELDS).status == 400
        assert asker.get("/tmserver/en/fr/unit/noun1").status == 400
        assert asker.get("/tmserver/en/fr/unit/noun1?api_key=first").status == 200
        assert asker.get("/languages").status == 200
        assert asker.get("/frontend/settings").record["keyRequired"] is True


def test_each_client_has_its_requests_per_minute(toy_model: Path) -> None:
    with asking(toy_model, req_limit=3, disable_suggestions=True) as asker:

        def ask(client: str, **headers: str) -> Any:
            body = json.dumps(FIELDS).encode()
            return asker.ask(
                "POST", "/translate", body, "application/json", client=client, **headers
            )

        replies = [ask("10.0.0.1") for _ in range(4)]
        assert [each.status for each in replies] == [200, 200, 200, 429]
        assert replies[3].error == "Slowdown: 3 per 1 minute"
        assert 1 <= int(replies[3].headers["retry-after"]) <= 20
        assert ask("10.0.0.2").status == 200
        assert ask("10.0.0.1", x_forwarded_for="10.0.0.9").status == 429
        assert asker.get("/health", x="").status == 200


def test_a_proxy_is_believed_where_it_is_said_to_be_there(toy_model: Path) -> None:
    with asking(toy_model, req_limit=1, behind_proxy=True, disable_suggestions=True) as asker:
        body = json.dumps(FIELDS).encode()

        def ask(forwarded: str) -> int:
            return asker.ask(
                "POST", "/translate", body, "application/json", x_forwarded_for=forwarded
            ).status

        assert [ask("1.1.1.1"), ask("1.1.1.1"), ask("6.6.6.6, 1.1.1.1"), ask("1.1.1.2")] == [
            200, 429, 429, 200,
        ]  # fmt: skip


def test_the_bucket_fills_again() -> None:
    now = [0.0]
    gate = Gate(ServeOptions(req_limit=6), clock=lambda: now[0])
    for _ in range(6):
        gate.admit("a", "")
    assert refusal(lambda: gate.admit("a", "")).retry_after == 10
    now[0] = 10.0
    gate.admit("a", "")
    assert refusal(lambda: gate.admit("a", "")).status == 429
    now[0] = 1000.0
    for _ in range(6):
        gate.admit("a", "")
    assert refusal(lambda: gate.admit("a", "")).status == 429


def test_files_of_keys_are_checked(tmp_path: Path) -> None:
    path = tmp_path / "keys"
    path.write_text("a\nb 5\nc -1 # all\n")
    assert read_keys(path) == {"a": None, "b": 5, "c": -1}
    path.write_text("a\nb five\n")
    with pytest.raises(FormatError, match="keys:2"):
        read_keys(path)


@pytest.fixture
def gate_of_model(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Holds every decoding up until it is set."""
    from demotic.systems.hiero.model import HieroModel

    opened = threading.Event()
    nbest_lines = HieroModel.nbest_lines

    def slowly(self: HieroModel, *arguments: Any, **named: Any) -> Any:
        opened.wait(60)
        return nbest_lines(self, *arguments, **named)

    monkeypatch.setattr(HieroModel, "nbest_lines", slowly)
    return opened


def test_overload_is_refused_and_what_waits_is_answered(
    toy_model: Path, gate_of_model: threading.Event
) -> None:
    with asking(toy_model, queue_limit=10, disable_suggestions=True) as asker:

        async def many() -> list[Any]:
            body = json.dumps({**FIELDS, "q": LINE}).encode()
            asked = [
                asyncio.create_task(asker.asked("POST", "/translate", body, "application/json"))
                for _ in range(100)
            ]
            refused, _ = await asyncio.wait(asked, return_when=asyncio.FIRST_COMPLETED)
            assert refused
            gate_of_model.set()
            return await asyncio.gather(*asked)

        replies = asyncio.run(many())
        statuses = [reply.status for reply in replies]
        assert set(statuses) == {200, 503}
        assert statuses.count(200) >= 10
        for reply in replies:
            if reply.status == 503:
                assert reply.headers["retry-after"] == "1"
                assert reply.error.startswith("Slowdown")
        assert asker.translated(LINE)


def test_a_request_is_given_up_in_time(toy_model: Path, gate_of_model: threading.Event) -> None:
    with asking(toy_model, timeout=0.2, disable_suggestions=True) as asker:
        reply = asker.post("/translate", **FIELDS)
        assert (reply.status, reply.headers["retry-after"]) == (503, "1")
        assert "too long" in reply.error
        gate_of_model.set()
        assert asker.post("/translate", **FIELDS).status in (200, 503)
        served = asker.loaded.all[0]
        served.batcher.close()
        assert served.batcher.waiting == 0


def test_an_error_in_one_request_is_no_error_of_others(
    toy_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from demotic.systems.hiero.model import HieroModel

    nbest_lines = HieroModel.nbest_lines

    def brittle(self: HieroModel, lines: Any, most: int, **named: Any) -> Any:
        if "noun13" in lines:
            raise ValueError("made to fail")
        return nbest_lines(self, lines, most, **named)

    monkeypatch.setattr(HieroModel, "nbest_lines", brittle)
    with asking(toy_model, disable_suggestions=True) as asker:

        async def all_at_once() -> list[int]:
            bodies = [json.dumps({**FIELDS, "q": [f"noun{i}"] * 3}).encode() for i in range(8, 18)]
            replies = await asyncio.gather(
                *(asker.asked("POST", "/translate", b, "application/json") for b in bodies)
            )
            return [reply.status for reply in replies]

        assert asyncio.run(all_at_once()) == [200] * 5 + [500] + [200] * 4
        assert asker.post("/translate", **FIELDS).status == 200
