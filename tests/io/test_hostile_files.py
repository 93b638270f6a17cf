"""No byte of a model file can crash the process that loads and uses it, verified or not."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from demotic.parse.files import KIND
from tests.io.hostile import USES

ROOT = Path(__file__).parents[2]
CASES = 150
SEED = 1


@pytest.mark.parametrize("kind", list(USES))
def test_damage_that_no_checksum_shows_gives_errors_or_wrong_answers(kind: str) -> None:
    command = [sys.executable, "-m", "tests.io.hostile", kind, str(SEED), str(CASES)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    last = done.stdout.splitlines()[-1:]
    assert done.returncode == 0, f"died at {last}\n{done.stderr[-3000:]}"
    assert len(done.stdout.splitlines()) == CASES


def test_every_kind_of_file_that_is_written_is_damaged_here() -> None:
    written = {KIND}
    for path in (ROOT / "core").rglob("*.[ch]*"):
        written |= {*re.findall(r'ContainerWriter \w+\(\w+, "([\w-]+)"', path.read_text())}
        written |= {*re.findall(r'\bkKind = "([\w-]+)"', path.read_text())}
    assert len(written) > 10
    assert written <= USES.keys()
