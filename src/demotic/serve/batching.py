"""Sentences of many requests, decoded together.

    batcher = Batcher(model, threads=2, limit=2000)
    lists = await batcher.translate(["Ein Haus .", "Zwei Häuser ."])     # n-best list of each
    batcher.close()

A thread takes what waits, a bounded number of sentences at a time and in turn from each request,
and has the core translate it, which releases the GIL; so the loop that reads requests goes on, and
a long request does not hold up short ones.  What waits beyond the limit is refused at the door.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING

from demotic.serve.refusal import busy

if TYPE_CHECKING:
    from demotic.systems.model import Model
    from demotic.systems.translator import Translation

Lists = list[list["Translation"]]
_TOGETHER = 16
"""Sentences in one batch, for each thread: more would keep small requests waiting."""
_SHARE = 8
"""Sentences that one request may have in a batch while others wait."""


@dataclass(eq=False)
class _Job:
    texts: Sequence[str]
    nbest: int
    future: asyncio.Future[Lists]
    loop: asyncio.AbstractEventLoop
    found: Lists = field(default_factory=list)
    taken: int = 0
    failed: bool = False


@dataclass
class BatchCounters:
    """What a batcher did."""

    sentences: int = 0
    batches: int = 0
    seconds: float = 0.0
    """Of its thread, waiting not counted."""
    memory: dict[str, int] = field(default_factory=dict)
    """Sentences that were translated before, by the kind of match."""


class Batcher:
    """One model's queue and the thread that works it off."""

    def __init__(self, model: Model, *, threads: int, limit: int) -> None:
        self._model = model
        self._threads = threads
        self._limit = limit
        self._jobs: deque[_Job] = deque()
        self._ready = threading.Condition()
        self._closed = False
        self.waiting = 0
        """Sentences in the queue."""
        self.counters = BatchCounters()
        self._thread = threading.Thread(target=self._work, name="decoder", daemon=True)
        self._thread.start()

    async def translate(self, texts: Sequence[str], nbest: int = 1) -> Lists:
        """The best translations of each sentence, in their order."""
        if not texts:
            return []
        loop = asyncio.get_running_loop()
        job = _Job(texts, nbest, loop.create_future(), loop)
        with self._ready:
            if self._closed:
                raise busy("the server is shutting down")
            if self.waiting and self.waiting + len(texts) > self._limit:
                raise busy()
            self.waiting += len(texts)
            self._jobs.append(job)
            self._ready.notify()
        return await job.future

    def close(self) -> None:
        """Finish what waits, then stop."""
        with self._ready:
            self._closed = True
            self._ready.notify()
        self._thread.join()

    def _work(self) -> None:
        while batch := self._next():
            begun = perf_counter()
            self._translate(batch)
            self.counters.batches += 1
            self.counters.seconds += perf_counter() - begun

    def _next(self) -> list[tuple[_Job, Sequence[str]]]:
        """Jobs with the sentences of theirs that come now; none when all is done and closed."""
        with self._ready:
            while True:
                while not self._jobs and not self._closed:
                    self._ready.wait()
                batch = self._gathered()
                if batch or (self._closed and not self._jobs):
                    return batch

    def _gathered(self) -> list[tuple[_Job, Sequence[str]]]:
        room = _TOGETHER * self._threads
        batch: list[tuple[_Job, Sequence[str]]] = []
        others: list[_Job] = []
        nbest = 0
        while self._jobs and room:
            job = self._jobs.popleft()
            if job.failed or job.future.done():  # nobody waits for it any more
                self.waiting -= len(job.texts) - job.taken
                continue
            if batch and job.nbest != nbest:
                others.append(job)
                continue
            nbest = job.nbest
            most = min(room, _SHARE if self._jobs or batch else room)
            texts = job.texts[job.taken : job.taken + most]
            job.taken += len(texts)
            self.waiting -= len(texts)
            room -= len(texts)
            batch.append((job, texts))
        self._jobs.extendleft(reversed(others))
        self._jobs.extend(job for job, _ in batch if job.taken < len(job.texts))
        return batch

    def _translate(self, batch: list[tuple[_Job, Sequence[str]]]) -> None:
        nbest = batch[0][0].nbest
        try:
            found = self._decoded([text for _, texts in batch for text in texts], nbest)
        except Exception:
            found = None  # one of them is to blame: let the others not suffer for it
        done: dict[asyncio.AbstractEventLoop, list[Callable[[], None]]] = {}
        at = 0
        for job, texts in batch:
            try:
                if found is None:
                    job.found += self._decoded(texts, nbest)
                else:
                    job.found += found[at : at + len(texts)]
                    at += len(texts)
                if len(job.found) == len(job.texts):
                    done.setdefault(job.loop, []).append(_result(job))
            except Exception as error:
                job.failed = True
                done.setdefault(job.loop, []).append(_failure(job, error))
        for loop, calls in done.items():
            with suppress(RuntimeError):  # the loop is closed: nobody waits any more
                loop.call_soon_threadsafe(_run, calls)

    def _decoded(self, texts: Sequence[str], nbest: int) -> Lists:
        found = list(self._model.nbest_lines(texts, nbest, threads=self._threads))
        self.counters.sentences += len(found)
        for best in found:
            if (match := best[0].memory) is not None:
                kinds = self.counters.memory
                kinds[match.kind] = kinds.get(match.kind, 0) + 1
        return found


def _result(job: _Job) -> Callable[[], None]:
    return lambda: None if job.future.done() else job.future.set_result(job.found)


def _failure(job: _Job, error: Exception) -> Callable[[], None]:
    return lambda: None if job.future.done() else job.future.set_exception(error)


def _run(calls: list[Callable[[], None]]) -> None:
    for call in calls:
        call()
