"""Fixtures that every test may use."""

from __future__ import annotations

import os
from collections.abc import Iterator
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


@pytest.fixture(scope="session")
def toy_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small model of an invented language pair, as a folder; look, but do not touch."""
    import demotic
    from tests.systems import toys

    path = tmp_path_factory.mktemp("models") / "toy"
    demotic.train(toys.memory(400), dev=toys.text(40), config=toys.QUICK, out=path)
    return path


@pytest.fixture(scope="session")
def every_system(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """An untuned model of each system, as a folder, for tests that look at what models tell."""
    import demotic
    from demotic.systems import SYSTEMS
    from tests.systems import toys

    folder = tmp_path_factory.mktemp("every-system")
    for name in SYSTEMS:
        config = toys.UNTUNED
        if name == "transducer":
            once = {"mert": {"iterations": 1, "restarts": 0}}
            config = {"trees": {"source": "induced"}, "tune": once}
        dev, out = toys.text(30), folder / name
        demotic.train(
            toys.memory(150), dev=dev, system=name, config=config, effort="quick", out=out
        )
    return {name: folder / name for name in SYSTEMS}


@pytest.fixture(autouse=True, scope="session")
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Tests leave the user's cache alone."""
    old = os.environ.get("XDG_CACHE_HOME")
    os.environ["XDG_CACHE_HOME"] = str(tmp_path_factory.mktemp("cache"))
    yield
    if old is None:
        del os.environ["XDG_CACHE_HOME"]
    else:
        os.environ["XDG_CACHE_HOME"] = old
