"""What users and logs see of long work."""

from __future__ import annotations

import io
import json

import pytest
from rich.console import Console

from demotic.progress import SILENT, JsonProgress, PlainProgress, Progress, TerminalProgress


def work(progress: Progress) -> None:
    with progress.step("outer", total=2, unit="rounds") as advance:
        for _ in range(2):
            with progress.step("inner", unit="lines") as inner:
                inner(1000)
                inner(234)
            advance(1)
    progress.say("done [at last]")


def test_silence() -> None:
    work(SILENT)


def test_plain_lines() -> None:
    out = io.StringIO()
    work(PlainProgress(out, every=0))
    lines = [line.partition(" (")[0] for line in out.getvalue().splitlines()]
    assert lines[:3] == ["inner: 1,000 lines", "inner: 1,234 lines", "inner: 1,234 lines"]
    assert lines[-1] == "done [at last]"
    assert "outer: 1/2 rounds" in lines
    assert "outer: 2 rounds" in lines


def test_plain_lines_do_not_flood() -> None:
    out = io.StringIO()
    progress = PlainProgress(out, every=3600)
    with progress.step("counting", total=5000) as advance:
        for _ in range(5000):
            advance(1)
    assert out.getvalue().startswith("counting: 5,000 (")
    assert out.getvalue().count("\n") == 1


def test_a_failed_step_is_not_reported_as_done() -> None:
    out = io.StringIO()

    def fail() -> None:
        with PlainProgress(out).step("failing"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert out.getvalue() == ""


def test_json_lines() -> None:
    out = io.StringIO()
    work(JsonProgress(out, every=0))
    records = [json.loads(line) for line in out.getvalue().splitlines()]
    assert records[-1] == {"event": "message", "text": "done [at last]"}
    done = [record for record in records if record["event"] == "done"]
    assert [(record["step"], record["amount"], record["total"]) for record in done] == [
        ("inner", 1234, None),
        ("inner", 1234, None),
        ("outer", 2, 2),
    ]
    assert all(record["seconds"] >= 0 for record in done)


def test_bars_take_steps_within_steps() -> None:
    out = io.StringIO()
    progress = TerminalProgress(Console(file=out, force_terminal=True, width=100))
    work(progress)
    work(progress)
    shown = out.getvalue()
    assert "outer" in shown
    assert "2/2" in shown
    assert "rounds" in shown
    assert "inner" in shown
    assert "done [at last]" in shown
