"""Being told to stop: SIGTERM and Ctrl-C both end the command where temporary files are removed."""

from __future__ import annotations

import os
import signal
import sys
import threading

_WAIT = 0.01
"""Seconds until a signal is sent again: the destructor that swallowed it has returned by then."""


def listen() -> None:
    """Make SIGTERM end the process through ``SystemExit``, and let neither signal get lost."""
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    sys.unraisablehook = _send_again


def _send_again(lost: sys.UnraisableHookArgs) -> None:
    """Send a signal again whose handler ran inside a destructor.

    Python drops what is raised there, and the command would go on as if nobody had stopped it.
    """
    number = {SystemExit: signal.SIGTERM, KeyboardInterrupt: signal.SIGINT}.get(lost.exc_type)
    if number is None:
        sys.__unraisablehook__(lost)
        return
    timer = threading.Timer(_WAIT, os.kill, (os.getpid(), number))
    timer.daemon = True
    timer.start()
