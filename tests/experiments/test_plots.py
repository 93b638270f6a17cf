"""Plots are complete files, the same on every run; without matplotlib there is a clear message."""

from __future__ import annotations

import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from demotic.errors import MissingDependencyError
from demotic.experiments.plots import Series, draw, require_matplotlib


def test_a_plot_is_drawn_as_svg_and_png(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    series = [Series("b30", [1, 2, 3], [2.0, 4.0, 6.5]), Series("umt", [1, 2], [1, 1], "points")]
    labels = {"x": "source words", "y": "milliseconds", "title": "Time against length"}
    svg, png = draw(tmp_path / "one", series, **labels)
    text = svg.read_text()
    assert ElementTree.fromstring(text).tag.endswith("svg")
    for shown in ("b30", "umt", *labels.values()):
        assert shown in text
    assert png.read_bytes().startswith(b"\x89PNG")
    again = draw(tmp_path / "two", series, **labels)
    assert [path.read_bytes() for path in again] == [svg.read_bytes(), png.read_bytes()]


def test_a_missing_matplotlib_is_named_with_its_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingDependencyError, match=r"demotic\[experiment\]"):
        require_matplotlib()
