"""Weights on disk: what is written comes back, and what makes no sense is reported."""

from __future__ import annotations

from pathlib import Path

import pytest

from demotic.errors import CorruptFileError
from demotic.systems.weights import read_weights, write_weights


def test_weights_are_written_a_line_each_and_come_back(tmp_path: Path) -> None:
    weights = {"Übergang": 0.25, "b": -1e-30}
    write_weights(tmp_path / "weights.json", weights)
    assert read_weights(tmp_path / "weights.json") == weights
    assert len((tmp_path / "weights.json").read_text().splitlines()) == 2 + len(weights)


@pytest.mark.parametrize("text", ["", "{", "[1]", '{"a": "b"}', '{"a": null}', "[" * 100_000])
def test_weights_that_cannot_be_read_are_reported(text: str, tmp_path: Path) -> None:
    path = tmp_path / "weights.json"
    path.write_text(text)
    with pytest.raises(CorruptFileError, match="weights that cannot be read"):
        read_weights(path)
