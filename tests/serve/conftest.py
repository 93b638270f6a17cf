"""Models to serve, copied so that suggestions beside them do not meet."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import demotic
from tests.serve.asking import Asker, Process, asking, serving
from tests.systems import toys


@pytest.fixture(scope="session")
def phrase_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A second model of the same languages, of another system; look, but do not touch."""
    path = tmp_path_factory.mktemp("models") / "toy-phrase"
    demotic.train(toys.memory(300), dev=toys.text(40), system="phrase", config=toys.QUICK, out=path)
    return path


@pytest.fixture
def model(toy_model: Path, tmp_path: Path) -> Path:
    """A model of one's own."""
    return Path(shutil.copytree(toy_model, tmp_path / "en-fr"))


@pytest.fixture(scope="module")
def asker(toy_model: Path, phrase_model: Path) -> Iterator[Asker]:
    """An application with two models that takes no suggestions."""
    with asking(toy_model, phrase_model, disable_suggestions=True) as found:
        yield found


@pytest.fixture(scope="session")
def server(toy_model: Path) -> Iterator[Process]:
    """A server that runs, for tests that leave it as it is."""
    with serving(toy_model, "--no-suggestions", "--read-timeout", "1") as running:
        yield running
        running.stop()
