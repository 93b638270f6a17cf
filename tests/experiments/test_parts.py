"""Finished parts are not run again, unless the settings changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from demotic.experiments.parts import Parts


def test_a_part_runs_once_for_its_settings(tmp_path: Path) -> None:
    runs = []

    def run() -> dict[str, object]:
        runs.append(1)
        return {"value": 1.5, "path": [Path("a").name]}

    for folder, settings, own, count in (
        ("one", {"lines": 1}, None, 1),
        ("one", {"lines": 1}, None, 1),
        ("one", {"lines": 2}, None, 2),
        ("one", {"lines": 2}, {"rate": 0.1}, 3),
        ("one", {"lines": 2}, {"rate": 0.1}, 3),
        ("two", {"lines": 2}, {"rate": 0.1}, 4),
    ):
        parts = Parts(tmp_path / folder, settings)
        assert parts.get("speed", run, settings=own) == {"value": 1.5, "path": ["a"]}
        assert len(runs) == count


def test_a_part_that_fails_leaves_nothing(tmp_path: Path) -> None:
    parts = Parts(tmp_path, {})

    def fail() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        parts.get("speed", fail)
    assert parts.known("speed") is None
    assert parts.get("speed", lambda: 2) == 2


def test_a_damaged_result_is_measured_again(tmp_path: Path) -> None:
    parts = Parts(tmp_path, {})
    parts.get("speed", lambda: 1)
    (tmp_path / "speed.json").write_text("{")
    assert parts.get("speed", lambda: 2) == 2
