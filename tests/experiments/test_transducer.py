"""The experiment runs from a folder of texts to a report, and does nothing twice."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from demotic.errors import ArgumentError
from demotic.experiments.setup import Setup
from demotic.experiments.transducer import check, run
from demotic.experiments.transducer.bench import Bench
from tests.experiments import texts
from tests.experiments.markdown import tables
from tests.systems import toys


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return texts.write(tmp_path_factory.mktemp("data"), toys.text(420))


def setup(folder: Path, out: Path, *parts: str, lines: int = 150) -> Setup:
    return Setup(
        data=folder,
        source="en",
        target="fr",
        out=out,
        quick=True,
        parts=parts,
        train_lines=lines,
        dev_lines=40,
    )


@pytest.fixture(scope="module")
def finished(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    pytest.importorskip("sklearn")
    pytest.importorskip("scipy")
    out = tmp_path_factory.mktemp("transducer") / "out"
    return out, run(setup(folder, out))


def test_the_report_has_every_part_and_the_chapters_figures(finished: tuple[Path, str]) -> None:
    out, text = finished
    assert re.findall(r"^## (\w+)", text, flags=re.MULTILINE) == [
        "Data",
        "Words",
        "Forms",
        "Rivals",
        "Bags",
        "Trees",
        "Speed",
    ]
    for figure in ("47.54", "54.09", "53.96", "54,100", "47.73", "47.87", "47.62", "19.35"):
        assert figure in text
    for name in (
        "most frequent",
        "boosted W",
        "boosted W+D",
        "boosted W+C",
        "boosted W+D+C",
        "l2",
        "pruned l2",
        "mixture",
        "generative",
        "discriminative",
        "generative, second parser",
        "phrases",
        "discriminative against generative",
        "printed",
    ):
        assert f"| {name} |" in text
    assert (out / "report.md").read_text() == text + "\n"


def test_every_row_of_a_table_has_all_columns(finished: tuple[Path, str]) -> None:
    assert all(tables(finished[1]))


def test_phrases_are_rows_of_the_same_table(finished: tuple[Path, str], folder: Path) -> None:
    out, text = finished
    alone = run(setup(folder, out, "phrases"))
    assert "## Trees" in alone
    assert "discriminative |" not in alone
    row = next(line for line in text.splitlines() if line.startswith("| phrases |"))
    assert row in alone


def test_what_is_finished_is_not_done_again(finished: tuple[Path, str], folder: Path) -> None:
    out, text = finished
    before = {path: path.stat().st_mtime_ns for path in (out / "results").iterdir()}
    assert run(setup(folder, out)) == text
    assert {path: path.stat().st_mtime_ns for path in (out / "results").iterdir()} == before


def test_links_are_those_of_the_pairs_whatever_was_linked_before(
    folder: Path, tmp_path: Path
) -> None:
    small, large = (Bench(setup(folder, tmp_path, lines=lines)) for lines in (60, 120))
    assert len(small.links[0]) == len(small.pairs) < len(large.links[0]) == len(large.pairs)
    other = Bench(replace(setup(folder, tmp_path, lines=120), seeds=(2,)))
    assert other.pairs != large.pairs
    alone = Bench(replace(setup(folder, tmp_path / "alone", lines=120), seeds=(2,)))
    alone.setup.out.mkdir()
    assert [sorted(row) for row in other.both] == [sorted(row) for row in alone.both]


def test_tags_are_those_of_the_parses(folder: Path, tmp_path: Path) -> None:
    bench = Bench(setup(folder, tmp_path))
    bench.setup.out.mkdir(exist_ok=True)
    assert [tuple(tags) for tags in bench.tags] == [tree.tags for tree in bench.parses]


def test_what_is_not_there_is_said_before_anything_is_done(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match="part"):
        check(setup(folder, tmp_path / "out", "e9"))
    with pytest.raises(ArgumentError, match="are needed"):
        run(setup(folder, tmp_path / "out", lines=10_000))
