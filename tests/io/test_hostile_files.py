"""No byte of a model file can crash the process that loads and uses it, verified or not."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.io.hostile import USES

CASES = 150
SEED = 1


@pytest.mark.parametrize("kind", list(USES))
def test_damage_that_no_checksum_shows_gives_errors_or_wrong_answers(kind: str) -> None:
    command = [sys.executable, "-m", "tests.io.hostile", kind, str(SEED), str(CASES)]
    done = subprocess.run(
        command, cwd=Path(__file__).parents[2], capture_output=True, text=True, check=False
    )
    last = done.stdout.splitlines()[-1:]
    assert done.returncode == 0, f"died at {last}\n{done.stderr[-3000:]}"
    assert len(done.stdout.splitlines()) == CASES
