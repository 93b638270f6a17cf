"""Threads of Python's own; those of the core take what the system gives (``core/parallel.cc``)."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from demotic.errors import ArgumentError


@contextmanager
def thread_pool(threads: int) -> Iterator[ThreadPoolExecutor]:
    """Up to so many threads; ArgumentError where the system starts no more."""
    with ThreadPoolExecutor(threads) as executor:
        try:
            yield executor
        except RuntimeError as error:
            if "start new thread" not in str(error):
                raise
            executor.shutdown(wait=False, cancel_futures=True)
            raise ArgumentError(
                f"the system cannot start {threads} threads",
                remedy="ask for fewer, or raise the limits on memory and processes (ulimit -v, -u)",
            ) from error
