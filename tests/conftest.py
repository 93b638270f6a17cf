"""Fixtures that every test may use."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

# The same examples on every run, so that a red test is red for everybody; HYPOTHESIS_PROFILE=search
# looks for new ones. No example is too slow: the machine may be busy.
settings.register_profile("default", deadline=None, max_examples=50, derandomize=True)
settings.register_profile("search", deadline=None, max_examples=500)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


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
