"""The experiment runs from a folder of texts to a report, and does nothing twice."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from demotic.errors import ArgumentError
from demotic.experiments.cdlm import PARTS, check, run
from demotic.experiments.setup import Setup
from tests.experiments import texts
from tests.experiments.markdown import tables
from tests.grammar.test_confusion import Heard
from tests.systems import toys


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two references, of which the second differs in some lines."""
    path = tmp_path_factory.mktemp("data")
    for name, text in (
        ("train", toys.memory(300)), ("dev", toys.text(40, 2)), ("test", toys.text(20, 3)),
    ):  # fmt: skip
        source, target = texts.words_apart(text)
        texts.write_lines(path / f"{name}.en", source)
        if name == "train":
            texts.write_lines(path / f"{name}.fr", target)
            continue
        for number in range(2):
            lines = [line.replace("donc ", "") if number and i % 2 else line
                     for i, line in enumerate(target)]  # fmt: skip
            texts.write_lines(path / f"{name}.fr.{number}", lines)
    return path


def setup(folder: Path, out: Path, *parts: str) -> Setup:
    return Setup(data=folder, source="en", target="fr", out=out, quick=True, parts=parts)


@pytest.fixture(scope="module")
def finished(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    out = tmp_path_factory.mktemp("cdlm") / "out"
    return out, run(setup(folder, out))


def test_the_report_has_every_part_and_the_papers_figures(finished: tuple[Path, str]) -> None:
    out, text = finished
    titles = re.findall(r"^## (\d) ", text, flags=re.MULTILINE)
    assert titles == [*"123456789"]
    for figure in ("12.80", "14.20", "25.30", "48.50", "49.50", "36.5", "1,583,000", "525"):
        assert figure in text
    for name in ("BLM", "BLM+WP", "BLM+WP+TsRB", "BLM+WP+TsRB, lexical"):
        for condition in ("paper", "clean"):
            assert f"| {condition} | {name} |" in text
    assert (out / "report.md").read_text() == text + "\n"


def test_every_row_of_a_table_has_all_columns(finished: tuple[Path, str]) -> None:
    assert all(tables(finished[1]))


def test_what_is_finished_is_not_done_again(finished: tuple[Path, str], folder: Path) -> None:
    out, text = finished
    before = {path: path.stat().st_mtime_ns for path in (out / "results").iterdir()}
    assert run(setup(folder, out)) == text
    assert {path: path.stat().st_mtime_ns for path in (out / "results").iterdir()} == before
    only = run(setup(folder, out, "e4"))
    assert "## 4 N-grams" in only
    assert "## 2 Simulation" not in only


def test_sentences_that_are_learned_from_and_tested_on_are_told(
    folder: Path, tmp_path: Path
) -> None:
    """In the folder as it is there are none."""
    for path in folder.iterdir():
        name = path.name.replace("test.", "dev.")
        (tmp_path / path.name).write_bytes((folder / name).read_bytes())
    for data, number in ((tmp_path, 40), (folder, 0)):
        heard = Heard()
        out = tmp_path / f"out{number}"
        text = run(replace(setup(data, out, "e8"), progress=heard))
        told = [line for line in heard.said if "are in the test set, too" in line]
        assert bool(told) == bool(number)
        shared = int(re.findall(r"(\d+) sentences learned from are also", text)[0])
        assert (shared >= number) if number else not shared


def test_parts_are_checked(folder: Path, tmp_path: Path) -> None:
    for part in PARTS:
        check(setup(folder, tmp_path, part))
    with pytest.raises(ArgumentError, match="no part"):
        check(setup(folder, tmp_path, "e10"))
