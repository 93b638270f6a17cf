"""Batches: everybody gets their own answers, in their order, and nobody waits for the longest."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demotic.serve.batching import Batcher
from demotic.serve.refusal import Refusal


@dataclass(frozen=True)
class Said:
    """Stands for a translation."""

    text: str
    memory: None = None


class Echo:
    """A model that says what it hears, and notes what it heard together."""

    def __init__(self) -> None:
        self.batches: list[list[str]] = []
        self.open = threading.Event()
        self.open.set()

    def nbest_lines(self, lines: Iterable[str], most: int, *, threads: int) -> Iterator[list[Said]]:
        self.open.wait(60)
        self.batches.append(list(lines))
        for line in self.batches[-1]:
            if line == "bad":
                raise ValueError(line)
            yield [Said(f"{line}/{rank}") for rank in range(most)]


def answers(echo: Any, asked: list[tuple[list[str], int]], limit: int = 10_000) -> list[Any]:
    """What each of several requests at once gets: texts, or an error."""
    batcher = Batcher(echo, threads=1, limit=limit)

    async def one(texts: list[str], nbest: int) -> Any:
        found = await batcher.translate(texts, nbest)
        return [[each.text for each in best] for best in found]

    async def all_at_once() -> list[Any]:
        return await asyncio.gather(*(one(*each) for each in asked), return_exceptions=True)

    found = asyncio.run(all_at_once())
    batcher.close()
    assert batcher.waiting == 0
    return found


@given(
    st.lists(
        st.tuples(st.lists(st.sampled_from("abc"), max_size=40), st.integers(1, 3)), max_size=12
    )
)
def test_everybody_gets_what_they_asked_for(asked: list[tuple[list[str], int]]) -> None:
    expected = [[[f"{t}/{r}" for r in range(n)] for t in texts] for texts, n in asked]
    echo = Echo()
    assert answers(echo, asked) == expected
    assert sum(map(len, echo.batches)) == sum(len(texts) for texts, _ in asked)
    assert all(1 <= len(batch) <= 16 for batch in echo.batches)


@given(st.lists(st.sampled_from(["a", "b", "bad"]), min_size=1, max_size=40))
def test_only_who_asks_for_trouble_gets_it(words: list[str]) -> None:
    found = answers(Echo(), [([word], 1) for word in words])
    for word, got in zip(words, found, strict=True):
        if word == "bad":
            assert isinstance(got, ValueError)
        else:
            assert got == [[f"{word}/0"]]


def test_a_long_request_does_not_hold_up_a_short_one() -> None:
    echo = Echo()
    answers(echo, [(["long"] * 400, 1), (["short"], 1)])
    assert any("short" in batch for batch in echo.batches[:3])


def test_what_waits_beyond_the_limit_is_refused_and_an_empty_queue_takes_anything() -> None:
    echo = Echo()
    echo.open.clear()
    threading.Timer(0.2, echo.open.set).start()
    found = answers(echo, [(["a"] * 30, 1), *[(["b"], 1)] * 30], limit=20)
    assert found[0] == [["a/0"]] * 30
    refused = [each for each in found if isinstance(each, Refusal)]
    assert len(refused) >= 5
    assert {each.status for each in refused} == {503}


def test_nobody_is_decoded_for_who_has_gone() -> None:
    echo = Echo()
    batcher = Batcher(echo, threads=1, limit=1000)  # type: ignore[arg-type]

    async def go() -> None:
        echo.open.clear()
        first = asyncio.create_task(batcher.translate(["first"]))
        await asyncio.sleep(0.05)
        gone = asyncio.create_task(batcher.translate(["gone"] * 100))
        await asyncio.sleep(0.05)
        gone.cancel()
        await asyncio.sleep(0)
        echo.open.set()
        await first
        await batcher.translate(["last"])

    asyncio.run(go())
    batcher.close()
    assert "gone" not in [line for batch in echo.batches for line in batch]
    with pytest.raises(Refusal):
        asyncio.run(batcher.translate(["late"]))
