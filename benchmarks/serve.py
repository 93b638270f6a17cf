"""The server under load: requests per second, waiting, what a request costs beside its sentence.

    python -m benchmarks.serve --model MODEL [--requests 10000] [--concurrency 64] [--batch 16]
                               [--lines FILE] [--threads 2]

Starts ``demotic serve`` on a free port of this machine and asks for sentences of nine to eleven
words (Multi30k's test set, German, unless told otherwise; no two alike, as a counter in each of
them sees to):

1. closed loop: so many connections, each asks again when it has its answer;
2. open loop: half as many requests per second as that gave, at random times, whatever comes back;
   waiting counts from the time at which a request was due;
3. closed loop again, as many sentences, several in each request;
4. the same sentences in the core alone, in this process and in turns with the server.

The CPU of a request is that of the server's process, the core's that of ``decode_lines``; what
stands between them is HTTP, JSON, and taking text apart and putting it together.  Start to first
answer is that of a new process, with its files in the disk's cache.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import demotic
from benchmarks.corpora import data_folder
from demotic import files

_TICK = os.sysconf("SC_CLK_TCK")
_TURNS = 3
_SAMPLE = 600
"""Sentences of a turn."""


@dataclass
class Server:
    """A server that runs, seen from outside."""

    process: subprocess.Popen[bytes]
    port: int
    started: float
    """Seconds from its start to its first answer."""
    start_cpu: float = 0.0
    """CPU of that."""

    def cpu(self) -> float:
        """Seconds of CPU so far."""
        values = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(values[11]) + int(values[12])) / _TICK

    def memory(self) -> tuple[float, float]:
        """Resident megabytes: its own, and of mapped files."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        own, mapped = (
            int(status.partition(f"{name}:")[2].split()[0]) for name in ("RssAnon", "RssFile")
        )
        return own / 1e3, mapped / 1e3


@dataclass
class Outcome:
    """What came back."""

    waits: list[float] = field(default_factory=list)
    errors: int = 0
    seconds: float = 0.0
    cpu: float = 0.0

    def wait(self, share: float) -> float:
        """Milliseconds that this share of the requests did not exceed."""
        ordered = sorted(self.waits)
        return 1e3 * ordered[min(len(ordered) - 1, int(share * len(ordered)))]


@contextmanager
def server(model: Path, threads: int, line: str) -> Iterator[Server]:
    """A server of a model, until the block ends."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    begun = time.perf_counter()
    process = subprocess.Popen(
        [
            sys.executable, "-m", "demotic", "serve", model, "--port", str(port), "--threads",
            str(threads), "--no-suggestions", "--quiet",
        ]
    )  # fmt: skip
    try:
        started = _first_answer(port, request([line], model)) - begun
        running = Server(process, port, started)
        running.start_cpu = running.cpu()
        yield running
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait()


def _first_answer(port: int, asked: bytes) -> float:
    while True:
        try:
            with socket.create_connection(("127.0.0.1", port)) as connection:
                connection.sendall(asked)
                if b" 200 " in connection.recv(1 << 16):
                    return time.perf_counter()
        except OSError:
            time.sleep(0.002)


def request(texts: Sequence[str], model: Path) -> bytes:
    """The bytes of a request; one text is sent as a text, several as a list."""
    about = demotic.load(model, verify=False).about
    return _bytes(texts, about.source_language, about.target_language)


def _bytes(texts: Sequence[str], source: str, target: str) -> bytes:
    q = texts[0] if len(texts) == 1 else list(texts)
    body = json.dumps({"q": q, "source": source, "target": target}).encode()
    head = (
        "POST /translate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


class Client:
    """Connections that are used again."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._free: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = []

    async def ask(self, asked: bytes) -> bool:
        """Whether a request was answered."""
        try:
            pair = (
                self._free.pop()
                if self._free
                else await asyncio.open_connection("127.0.0.1", self._port)
            )
            reader, writer = pair
            writer.write(asked)
            head = await reader.readuntil(b"\r\n\r\n")
            length = int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0])
            body = await reader.readexactly(length)
        except (OSError, EOFError):
            return False
        self._free.append(pair)
        return b" 200 " in head[:15] and b'"translatedText"' in body

    def close(self) -> None:
        """All connections."""
        for _, writer in self._free:
            writer.close()


async def closed_loop(running: Server, asked: Sequence[bytes], concurrency: int) -> Outcome:
    """So many at a time."""
    outcome, client, rest = Outcome(), Client(running.port), iter(asked)
    cpu, begun = running.cpu(), time.perf_counter()

    async def one_after_the_other() -> None:
        for each in rest:
            since = time.perf_counter()
            outcome.errors += not await client.ask(each)
            outcome.waits.append(time.perf_counter() - since)

    await asyncio.gather(*(one_after_the_other() for _ in range(concurrency)))
    outcome.seconds, outcome.cpu = time.perf_counter() - begun, running.cpu() - cpu
    client.close()
    return outcome


async def open_loop(running: Server, asked: Sequence[bytes], rate: float) -> Outcome:
    """So many per second, at random times."""
    outcome, client, rng = Outcome(), Client(running.port), random.Random(1)
    cpu, begun = running.cpu(), time.perf_counter()

    async def once(each: bytes, due: float) -> None:
        outcome.errors += not await client.ask(each)
        outcome.waits.append(time.perf_counter() - due)

    tasks, due = [], begun
    for each in asked:
        due += rng.expovariate(rate)
        if (pause := due - time.perf_counter()) > 0:
            await asyncio.sleep(pause)
        tasks.append(asyncio.create_task(once(each, due)))
    await asyncio.gather(*tasks)
    outcome.seconds, outcome.cpu = time.perf_counter() - begun, running.cpu() - cpu
    client.close()
    return outcome


def core_seconds(model: Path, lines: Sequence[str]) -> tuple[float, float]:
    """CPU per sentence: of the core's decoder, and of text to text in this process."""
    loaded = demotic.load(model)
    sentences = [loaded.encode(line).tokens for line in lines]
    loaded.decoder.decode_lines(sentences[:10])
    begun = time.process_time()
    loaded.decoder.decode_lines(sentences)
    decoded = time.process_time()
    for _ in loaded.translate_lines(lines):
        pass
    done = time.process_time()
    return (decoded - begun) / len(lines), (done - decoded) / len(lines)


def sentences(path: Path | None, count: int) -> list[str]:
    """Sentences of about ten words, no two alike."""
    path = path or data_folder() / "multi30k" / "test2016.de.gz"
    fitting = [line for line in files.read_lines(path) if 9 <= len(line.split()) <= 11]
    return [f"{fitting[i % len(fitting)]} {i // len(fitting)}" for i in range(count)]


def main() -> None:
    """Print the figures of one model."""
    options = argparse.ArgumentParser(description="the server under load")
    options.add_argument("--model", type=Path, required=True)
    options.add_argument("--requests", type=int, default=10_000)
    options.add_argument("--concurrency", type=int, default=64)
    options.add_argument("--batch", type=int, default=16, help="sentences of a request in part 3")
    options.add_argument("--threads", type=int, default=2)
    options.add_argument("--lines", type=Path)
    given = options.parse_args()
    lines = sentences(given.lines, given.requests)
    about = demotic.load(given.model).about
    languages = about.source_language, about.target_language
    asked = [_bytes([line], *languages) for line in lines]
    batched = [
        _bytes(lines[i : i + given.batch], *languages) for i in range(0, len(lines), given.batch)
    ]
    starts = []
    for _ in range(_TURNS):
        with server(given.model, given.threads, lines[0]) as running:
            starts.append((running.started, running.start_cpu))
    with server(given.model, given.threads, lines[0]) as running:
        asyncio.run(closed_loop(running, asked[:200], given.concurrency))
        before = running.memory()
        closed = asyncio.run(closed_loop(running, asked, given.concurrency))
        middle = running.memory()
        rate = len(asked) / closed.seconds / 2
        half = asyncio.run(open_loop(running, asked[: len(asked) // 2], rate))
        several = asyncio.run(closed_loop(running, batched, given.concurrency))
        after = running.memory()
        per_request, ratios = [], []
        for _ in range(_TURNS):
            once = asyncio.run(closed_loop(running, asked[:_SAMPLE], given.concurrency))
            core, text = core_seconds(given.model, lines[:_SAMPLE])
            per_request.append((once.cpu / len(lines[:_SAMPLE]), core, text))
            ratios.append(per_request[-1][0] / core)
    print(f"{about.system} {'-'.join(languages)}: {given.model}")
    clock, cpu = (min(each) for each in zip(*starts, strict=True))
    print(
        f"  start to first answer             {clock:8.3f} s, {cpu:.3f} s of CPU (best of {_TURNS})"
    )
    _tell(f"closed loop, {given.concurrency} at a time", closed, len(lines))
    _tell(f"open loop, {rate:.0f} requests/s", half, len(half.waits))
    _tell(f"closed loop, {given.batch} sentences each", several, len(lines))
    told = [f"{own:.0f} + {mapped:.0f}" for own, mapped in (before, middle, after)]
    print(
        f"  MB of its own + of mapped files: {told[0]} after 200 requests, {told[1]} after"
        f" the closed loop, {told[2]} at the end"
    )
    best = min(range(_TURNS), key=lambda turn: ratios[turn])
    mine, core, text = per_request[best]
    print(
        f"  CPU per sentence: server {1e6 * mine:.0f} us, core {1e6 * core:.0f} us (ratio"
        f" {mine / core:.2f}), text to text in one process {1e6 * text:.0f} us"
        f" (ratio {mine / text:.2f}); ratios to the core in turn:"
        f" {', '.join(f'{ratio:.2f}' for ratio in ratios)}"
    )
    print(f"  two cores for the server alone would answer {2 / mine:.0f} sentences/s")


def _tell(what: str, outcome: Outcome, count: int) -> None:
    number = len(outcome.waits)
    print(
        f"  {what:<33} {count / outcome.seconds:8.0f} sentences/s; {number} requests,"
        f" {outcome.errors} errors; waited {outcome.wait(0.5):.1f} ms (half), "
        f"{outcome.wait(0.99):.1f} ms (99 %); {outcome.cpu / outcome.seconds:.2f} cores"
    )


if __name__ == "__main__":
    main()
