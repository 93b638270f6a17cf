"""A machine that starts no more threads is an error of ours."""

from __future__ import annotations

import threading

import pytest

from demotic.errors import ArgumentError
from demotic.thread_pool import thread_pool


def test_work_is_done_in_order() -> None:
    with thread_pool(3) as pool:
        assert list(pool.map(abs, range(-5, 0))) == [5, 4, 3, 2, 1]


def test_no_more_threads_is_an_error_that_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    with (
        pytest.raises(ArgumentError, match=r"cannot start 500 threads.*ulimit"),
        thread_pool(500) as pool,
    ):
        list(pool.map(abs, range(9)))


def test_errors_of_the_work_are_its_own() -> None:
    def fail(number: int) -> None:
        raise RuntimeError(f"number {number}")

    with pytest.raises(RuntimeError, match="number 0"), thread_pool(2) as pool:
        list(pool.map(fail, range(3)))
