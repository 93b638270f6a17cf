"""A command that is told to stop stops, whatever it was doing at that moment."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

# The signal comes while a destructor runs, where Python drops what handlers raise.
IN_A_DESTRUCTOR = """
import os, signal, sys, time
from demotic.cli import signals

class Dying:
    def __del__(self):
        os.kill(os.getpid(), signal.Signals({number}))
        time.sleep(0.001)

signal.signal(signal.SIGINT, signal.default_int_handler)
signals.listen()
Dying()
print("still here", flush=True)
try:
    time.sleep(60)
finally:
    print("cleaned up", flush=True)
"""


@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGTERM, 143), (signal.SIGINT, -signal.SIGINT)]
)
def test_a_signal_inside_a_destructor_is_heard_after_it(
    number: signal.Signals, status: int
) -> None:
    code = IN_A_DESTRUCTOR.format(number=int(number))
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=50, check=False
    )
    assert done.stdout == "still here\ncleaned up\n"
    assert done.returncode == status
    assert "ignored" not in done.stderr


def test_other_exceptions_of_destructors_are_still_shown() -> None:
    code = """
from demotic.cli import signals

class Dying:
    def __del__(self):
        raise ValueError("a fault of ours")

signals.listen()
Dying()
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=50, check=False
    )
    assert done.returncode == 0
    assert "a fault of ours" in done.stderr
