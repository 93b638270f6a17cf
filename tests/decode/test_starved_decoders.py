"""Decoders that ran out of memory decode on as if nothing had happened."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.memory
@pytest.mark.parametrize("arguments", ["hiero", "phrase", "umt", "blocks", "amasis", "umt 3"])
def test_a_decoder_survives_a_lack_of_memory(arguments: str) -> None:
    command = [sys.executable, "-m", "tests.decode.starved", *arguments.split()]
    done = subprocess.run(
        command, cwd=Path(__file__).parents[2], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
