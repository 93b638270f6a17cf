"""A training resumed with other settings ends as one that began with them, in every system."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest

import demotic
from tests.systems import toys
from tests.systems.test_tuning import SMALL

BASE: dict[str, dict[str, Any]] = {
    "phrase": SMALL,
    "umt": {"lm": {"order": 3}, "preset": "full", "learn": {"drl": {"epochs": 1}}},
    "blocks": {"preset": "row4", "events": {"pair_threshold": 1}, "learn": {"lm_folds": 2}},
}
CHANGES: dict[str, dict[str, Any]] = {
    "text": {"cleaning": {"max_words": 8}},
    "links": {"align": {"symmetrise": "intersection"}},
    "language model": {"lm": {"order": 2}},
    "seed": {"seed": 5},
    "search": {"search": {"span_limit": 2}},
    "orientations": {"events": {"pair_threshold": 1, "matching": "string"}},
    "learner": {"learn": {"lm_folds": 2, "learner": "perceptron"}},
    "folds": {"learn": {"lm_folds": 3}},
}
SHARED = ("text", "links", "language model")


def train(folder: Path, system: str, settings: dict[str, Any], work: str, *, resume: bool) -> bytes:
    """The bytes of a model."""
    out = folder / f"{work}-{len(list(folder.iterdir()))}.demotic"
    demotic.train(
        toys.memory(100), system=system, dev=toys.text(15), config={**BASE[system], **settings},
        out=out, work=folder / work, resume=resume,
    )  # fmt: skip
    return out.read_bytes()


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The folder in which a system was trained, and the model that came of it."""

    @cache
    def of(system: str) -> tuple[Path, bytes]:
        folder = tmp_path_factory.mktemp(system)
        return folder, train(folder, system, {}, "work", resume=False)

    return of


@pytest.mark.parametrize(
    ("system", "change"),
    [
        *((system, change) for system in BASE for change in SHARED),
        ("umt", "seed"), ("umt", "search"),
        ("blocks", "orientations"), ("blocks", "learner"), ("blocks", "folds"),
    ],
)  # fmt: skip
def test_other_settings_are_taken_up(system: str, change: str, begun: Any, tmp_path: Path) -> None:
    folder, before = begun(system)
    resumed = train(folder, system, CHANGES[change], "work", resume=True)
    assert resumed == train(tmp_path, system, CHANGES[change], "fresh", resume=False)
    assert resumed != before
