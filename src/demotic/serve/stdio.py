"""JSON-RPC 2.0 over standard input and output, one message a line, for scripts and editors.

    {"jsonrpc": "2.0", "id": 1, "method": "translate", "params": {"q": "Hallo"}}
    {"jsonrpc": "2.0", "id": 1, "result": {"translatedText": "Hello"}}

Methods are those of the server: translate, detect, suggest, memory, explain, languages, models.
Without ``source`` and ``target`` the first model's languages are meant.  Answers come in the order
of the requests; those of a list are worked on together.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import json
import math
import os
import threading
from collections.abc import Awaitable, Callable, Iterator
from itertools import chain
from typing import IO, TYPE_CHECKING, Any

from demotic.errors import DemoticError
from demotic.serve.refusal import Refusal

if TYPE_CHECKING:
    from demotic.serve.desk import Desk

_PARSE_ERROR, _INVALID, _UNKNOWN_METHOD, _INVALID_PARAMS = -32700, -32600, -32601, -32602
_INTERNAL, _REFUSED = -32603, -32000
_LONGEST = 4 << 20
"""Bytes of a line."""
_READ = 1 << 16
_AHEAD = 4
"""Lines that are read before they can be answered."""


async def talk(desk: Desk, source: int, target: IO[bytes]) -> None:
    """Answer what comes in at a file descriptor until there is no more."""
    lines: asyncio.Queue[bytes | None] = asyncio.Queue(_AHEAD)
    loop = asyncio.get_running_loop()

    def read() -> None:
        with contextlib.suppress(RuntimeError, concurrent.futures.CancelledError):  # loop is gone
            for line in chain(_lines(source), [None]):
                asyncio.run_coroutine_threadsafe(lines.put(line), loop).result()

    # A daemon: nothing can wake up a thread that waits for input, and nothing has to wait for it.
    threading.Thread(target=read, name="input", daemon=True).start()
    while (line := await lines.get()) is not None:
        if len(line) > _LONGEST:
            answer: Any = _failed(None, _INVALID, f"a line of more than {_LONGEST} bytes")
        elif not line.strip():
            continue
        else:
            answer = await answered(desk, line)
        if answer is not None:
            target.write(json.dumps(answer, ensure_ascii=False).encode() + b"\n")
            target.flush()


def _lines(descriptor: int) -> Iterator[bytes]:
    """Lines as they come; of one that is too long, its beginning."""
    line = b""
    while data := os.read(descriptor, _READ):
        *ends, rest = data.split(b"\n")
        for end in ends:
            yield line + end
            line = b""
        line = (line + rest)[: _LONGEST + 1]
    if line:
        yield line


async def answered(desk: Desk, line: bytes) -> Any:
    """The answer to a line: to a request, or to a list of them; None where none is wanted."""
    try:
        message = json.loads(line)
    except (ValueError, RecursionError) as error:
        return _failed(None, _PARSE_ERROR, f"invalid JSON: {str(error)[:200]}")
    if not isinstance(message, list):
        return await _answer(desk, message)
    if not message:
        return _failed(None, _INVALID, "an empty list")
    answers = await asyncio.gather(*(_answer(desk, each) for each in message))
    return [each for each in answers if each is not None] or None


async def _answer(desk: Desk, message: Any) -> dict[str, Any] | None:
    if not isinstance(message, dict) or not isinstance(message.get("method"), str):
        return _failed(None, _INVALID, "no request of JSON-RPC 2.0")
    number = message.get("id")
    if not _is_id(number):
        return _failed(None, _INVALID, "the id is neither a text nor a number")
    silent = "id" not in message
    method = _methods(desk).get(message["method"])
    params = message.get("params", {})
    if method is None:
        answer = _failed(number, _UNKNOWN_METHOD, f"no method {message['method'][:100]!r}")
    elif not isinstance(params, dict):
        answer = _failed(number, _INVALID_PARAMS, "params have to be named")
    else:
        try:
            answer = {"jsonrpc": "2.0", "id": number, "result": await method(params)}
        except Refusal as refusal:
            answer = _failed(number, _REFUSED, refusal.message, status=refusal.status)
        except DemoticError as error:
            answer = _failed(number, _INTERNAL, str(error))
    return None if silent else answer


def _is_id(value: Any) -> bool:
    """What can be written back as it came: no half of a character, nothing infinite."""
    if isinstance(value, str):
        return all(not "\ud800" <= each <= "\udfff" for each in value)
    if isinstance(value, float):
        return math.isfinite(value)
    return value is None or (isinstance(value, int) and not isinstance(value, bool))


def _methods(desk: Desk) -> dict[str, Callable[[dict[str, Any]], Awaitable[Any]]]:
    first = desk.loaded.all[0]
    defaults = {"source": first.source, "target": first.target}

    def between(
        work: Callable[[dict[str, Any]], Awaitable[Any]],
    ) -> Callable[[dict[str, Any]], Awaitable[Any]]:
        return lambda params: work(defaults | params)

    async def languages(params: dict[str, Any]) -> Any:
        return desk.languages()

    async def models(params: dict[str, Any]) -> Any:
        return desk.models()

    return {
        "translate": between(desk.translate),
        "suggest": between(desk.suggest),
        "memory": between(desk.memory),
        "explain": between(desk.explain),
        "detect": desk.detect,
        "languages": languages,
        "models": models,
    }


def _failed(number: Any, code: int, message: str, **data: Any) -> dict[str, Any]:
    sound = message.encode("utf-8", "replace").decode()
    error: dict[str, Any] = {"code": code, "message": sound}
    return {"jsonrpc": "2.0", "id": number, "error": error | ({"data": data} if data else {})}
