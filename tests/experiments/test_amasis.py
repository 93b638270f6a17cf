"""The experiment runs from a folder of texts to a report, and does nothing twice."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from demotic.errors import ArgumentError
from demotic.experiments.amasis import PARTS, check, paper, report, run
from demotic.experiments.setup import Setup
from tests.experiments import texts
from tests.experiments.markdown import tables
from tests.systems import toys


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return texts.write(tmp_path_factory.mktemp("data"), toys.memory(200))


def setup(folder: Path, out: Path, *parts: str) -> Setup:
    return Setup(
        data=folder, other=folder, source="en", target="fr", out=out, quick=True, parts=parts
    )


@pytest.fixture(scope="module")
def finished(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    out = tmp_path_factory.mktemp("amasis") / "out"
    return out, run(setup(folder, out))


def test_the_report_has_every_part_and_the_papers_figures(finished: tuple[Path, str]) -> None:
    out, text = finished
    titles = re.findall(r"^## (\d) ", text, flags=re.MULTILINE)
    assert titles == ["1", "2", "3", "4", "5", "6", "7", "8"]
    for figure in ("27.44", "26.51", "6.90", "16 labels on 688,031"):
        assert figure in text
    for name in ("Amasis", "Amasis, all S,R+", "Pharaoh 1", "Pharaoh 7", "ext"):
        assert f"| {name} |" in text
    assert (out / "report.md").read_text() == text + "\n"
    for plot in ("tables", "accuracy", "accuracy-beyond"):
        assert (out / f"{plot}.svg").stat().st_size > 1000


def test_text_of_the_same_domain_is_translated_as_well_outside(finished: tuple[Path, str]) -> None:
    out, text = finished
    assert re.search(r"Out of the domain, first seed; the reference has \d+ words", text)
    assert "| ext, no empty items |" in text
    inside, outside = (
        json.loads((out / "results" / name).read_text())["result"]
        for name in ("amasis-seed-1.json", "amasis-outside.json")
    )
    assert inside["lines"] == outside["lines"]


def test_vowpal_wabbit_learns_as_much_where_it_is_installed(finished: tuple[Path, str]) -> None:
    assert "not installed" in report.wabbit(None)
    pytest.importorskip("vowpalwabbit")
    rows = json.loads((finished[0] / "results" / "wabbit.json").read_text())["result"]
    for row in rows:
        assert row["ours"] == pytest.approx(row["theirs"], abs=0.1)


def test_every_row_of_a_table_has_all_columns(finished: tuple[Path, str]) -> None:
    assert all(tables(finished[1]))


def test_what_is_finished_is_not_done_again(finished: tuple[Path, str], folder: Path) -> None:
    out, text = finished
    before = {path: path.stat().st_mtime_ns for path in (out / "results").iterdir()}
    assert run(setup(folder, out)) == text
    assert {path: path.stat().st_mtime_ns for path in (out / "results").iterdir()} == before
    only = run(setup(folder, out, "e3"))
    assert "## 3 Labels" in only
    assert "## 1 BLEU" not in only


def test_parts_are_checked(folder: Path, tmp_path: Path) -> None:
    for part in PARTS:
        check(setup(folder, tmp_path, part))
    with pytest.raises(ArgumentError, match="no part"):
        check(setup(folder, tmp_path, "e9"))


def test_gaps_are_those_of_the_paper() -> None:
    gaps = [paper.gap("Pharaoh 1", i) for i in range(6)]
    assert (round(min(gaps), 2), round(max(gaps), 2)) == (3.11, 6.9)
