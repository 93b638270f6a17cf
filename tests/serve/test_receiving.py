"""Bodies of requests: bounded all together, and none holds up other requests."""

from __future__ import annotations

import asyncio
import json
import threading
from pathlib import Path
from typing import Any

import pytest

from demotic.serve.bodies import Fields, read_fields
from demotic.serve.receiving import Room, received
from demotic.serve.refusal import Refusal
from tests.serve.asking import LINE, asking


def feeding(*chunks: bytes) -> Any:
    rest = list(chunks)

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": rest.pop(0), "more_body": bool(rest)}

    return receive


def test_bodies_together_have_so_much_room_and_no_more() -> None:
    room = Room(100)

    async def take(*chunks: bytes, limit: int = 80) -> None:
        with room.held() as held:
            assert await received(feeding(*chunks), {}, limit, held) == b"".join(chunks)
            with room.held() as other:
                await received(feeding(b"x" * 40), {}, limit, other)

    asyncio.run(take(b"x" * 30, b"x" * 30))
    with pytest.raises(Refusal) as refused:
        asyncio.run(take(b"x" * 30, b"x" * 31))
    assert (refused.value.status, refused.value.close) == (503, True)
    with pytest.raises(Refusal) as refused:
        asyncio.run(take(b"x" * 50, b"x" * 31))
    assert refused.value.status == 413
    assert room.left == 100


def test_an_application_gives_its_room_back(toy_model: Path) -> None:
    with asking(toy_model, disable_suggestions=True) as asker:
        before = asker.app._room.left
        assert asker.translated(LINE)
        assert asker.ask("POST", "/translate", b"{", "application/json").status == 400
        assert asker.ask("POST", "/translate", b"x" * (5 << 20)).status == 413
        assert asker.app._room.left == before
        asker.app._room.left = 10
        assert asker.post("/translate", q=LINE, source="en", target="fr").status == 503
        assert asker.get("/health").status == 200


def test_a_large_body_holds_up_nobody(toy_model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    others = threading.Event()

    def slow(kind: str, body: bytes, query: bytes) -> Fields:
        if len(body) > 1_000:
            assert others.wait(30), "nobody else was answered"
        return read_fields(kind, body, query)

    monkeypatch.setattr("demotic.serve.receiving.read_fields", slow)
    large = json.dumps({"q": LINE, "x": "x" * 100_000, "source": "en", "target": "fr"}).encode()
    small = json.dumps({"q": LINE, "source": "en", "target": "fr"}).encode()
    with asking(toy_model, disable_suggestions=True) as asker:

        async def both() -> list[int]:
            async def other() -> int:
                reply = await asker.asked("POST", "/translate", small, "application/json")
                others.set()
                return reply.status

            first = asker.asked("POST", "/translate", large, "application/json")
            found = await asyncio.gather(first, other())
            return [found[0].status, found[1]]

        assert asyncio.run(both()) == [200, 200]
