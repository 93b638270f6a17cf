"""Plots are complete files, the same on every run; without matplotlib there is a clear message."""

from __future__ import annotations

import re
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


def test_every_point_is_drawn_at_its_height(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    labels = {"x": "words", "y": "ms", "title": "Time"}
    series = [Series("umt", [1, 2, 4], [1.0, 10.0, 100.0])]

    def heights(logarithmic: bool) -> list[float]:
        svg, _ = draw(tmp_path / f"{logarithmic}", series, logarithmic=logarithmic, **labels)
        points = re.findall(r'<use [^>]*y="([-\d.]+)"[^>]*fill', svg.read_text())
        return [float(y) for y in points]

    low, middle, high = heights(logarithmic=False)
    assert (middle - high) == pytest.approx(10 * (low - middle), rel=1e-3)
    low, middle, high = heights(logarithmic=True)
    assert (middle - high) == pytest.approx(low - middle, rel=1e-3)


def test_many_curves_can_be_told_apart(tmp_path: Path) -> None:
    """No two of them look alike, no legend hides them, and rounds are whole numbers."""
    pytest.importorskip("matplotlib")
    labels = {"x": "round", "y": "right", "title": "Labels"}
    series = [Series(f"way {n}", [1, 2, 3], [n, n + 1, n]) for n in range(14)]
    text = draw(tmp_path / "many", series, **labels)[0].read_text()
    curves = re.findall(
        r'<g id="line2d_\d+">\s*<path d="([^"]*)" clip-path[^>]*style="([^"]*)"', text
    )
    looks = [style for path, style in curves if path.count("L") == 2]
    assert len(looks) == len(set(looks)) == len(series)
    right = max(float(x) for path, _ in curves for x in re.findall(r"[ML] ([\d.]+)", path))
    places = re.findall(r'translate\(([\d.]+) [\d.]+\)"[^>]*>way|x="([\d.]+)"[^>]*>way', text)
    assert len(places) == len(series)
    assert min(float(a or b) for a, b in places) > right
    assert not re.search(r">\d\.\d+<", text)
