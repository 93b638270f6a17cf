"""The page of benchmarks has what was measured, and marks what was not."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path

import pytest

from benchmarks import __main__ as all_benchmarks
from benchmarks import curve, peers, trained
from benchmarks.page import best, figures, page, plots
from demotic.systems import SYSTEMS

pytest.importorskip("matplotlib")


@pytest.fixture
def measured(tmp_path: Path) -> Path:
    """A folder as ``make bench`` leaves it, with made-up figures of two systems."""
    models = tmp_path / "models"
    models.mkdir()
    for system, factor in (("hiero", 1.0), ("phrase", 0.5)):
        for pairs in (1000, 29000):
            record = trained.Trained(system, pairs, pairs * factor / 100, 300.0, pairs / 500)
            path = trained.home(models, system, pairs).with_suffix(".json")
            path.write_text(json.dumps(asdict(record)))
    points = [
        {"setting": "pops 1", "default": False, "milliseconds": 0.3, "bleu": 39.0},
        {"setting": "pops 50", "default": True, "milliseconds": 1.5, "bleu": 41.25},
    ]
    found = {"1000": {"hiero": points}, "29000": {"hiero": points, "phrase": points}}
    peer = {"milliseconds": 4.0, "bleu": 40.0, "loading": 1.0}
    (tmp_path / "curve.json").write_text(json.dumps({**found, "peers": {"moses2": peer}}))
    (tmp_path / "lm.txt").write_text("loading <fast>\n")
    return tmp_path


def test_the_page_has_all_that_is_in_the_folder(measured: Path) -> None:
    made = page(measured)
    assert "<pre>loading &lt;fast&gt;</pre>" in made
    assert "41.2" in made
    for name, _ in plots(measured):
        assert f'src="{name}.svg"' in made
        assert (measured / f"{name}.svg").exists()
    assert ["phrase", "1,000", "5", "300", "2.0", "", ""] in figures(measured)
    assert best(json.loads((measured / "curve.json").read_text()), "hiero", 1000) == 41.25


def test_what_was_measured_elsewhere_is_marked(measured: Path) -> None:
    page(measured)
    whole = (measured / "time-quality-29000.svg").read_text()
    assert "moses2 (in this run)" in whole
    assert "cdec (measured elsewhere)" in whole
    assert "measured elsewhere" not in (measured / "time-quality-1000.svg").read_text()
    assert (
        "Transformer (measured elsewhere)" in (measured / "training-quality-29000.svg").read_text()
    )


def test_a_folder_without_figures_is_a_page_all_the_same(tmp_path: Path) -> None:
    assert "Peers, measured elsewhere" in page(tmp_path)


def test_peers_are_commands_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = ["ein haus", "zwei häuser", "der alte mann sieht das kleine haus"]
    monkeypatch.setattr(peers, "sentences", lambda name, most: lines[:most])
    for variable in peers.COMMANDS.values():
        monkeypatch.delenv(variable, raising=False)
    assert peers.peers(3) == {}
    echo = "import sys; [print(line, end='') for line in sys.stdin]"
    monkeypatch.setenv("DEMOTIC_MOSES2", f'{sys.executable} -c "{echo}"')
    found = peers.peers(3)
    assert set(found) == {"moses2"}
    assert found["moses2"]["bleu"] == pytest.approx(100)
    monkeypatch.setenv("DEMOTIC_MOSES2", f'{sys.executable} -c "print(1)"')
    with pytest.raises(SystemExit, match="1 lines for 3"):
        peers.peers(3)


def test_every_benchmark_is_there_and_every_system_has_a_curve() -> None:
    assert all(find_spec(f"benchmarks.{name}") for name in all_benchmarks.NAMES)
    assert {"blocks", "mert", "curve"} <= set(all_benchmarks.NAMES)
    assert all_benchmarks.NAMES[-1] == "page"
    assert set(curve.SETTINGS) == set(SYSTEMS)
