"""Decoders that ran out of memory decode on as if nothing had happened."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.memory
@pytest.mark.parametrize("system", ["hiero", "phrase", "umt", "blocks"])
def test_a_decoder_survives_a_lack_of_memory(system: str) -> None:
    command = [sys.executable, "-m", "tests.decode.starved", system]
    done = subprocess.run(
        command, cwd=Path(__file__).parents[2], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
