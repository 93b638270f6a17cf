"""Fixtures that every test may use."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


def data_folder() -> Path:
    """The folder of real corpora: DEMOTIC_DATA, or shared/data beside the project."""
    given = os.environ.get("DEMOTIC_DATA")
    return Path(given) if given else Path(__file__).parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def data() -> Path:
    """Real corpora, where present; tests that need them are skipped elsewhere."""
    folder = data_folder()
    if not folder.is_dir():
        pytest.skip("no folder of corpora (set DEMOTIC_DATA)")
    return folder
