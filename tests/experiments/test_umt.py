"""The experiment runs from a folder of texts to a report, and does nothing twice."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from demotic.experiments.setup import Setup
from demotic.experiments.umt import PARTS, run
from demotic.progress import Advance, Progress
from tests.systems import toys


class Watching(Progress):
    """What was done."""

    def __init__(self) -> None:
        self.steps: list[str] = []
        self.said: list[str] = []

    @contextmanager
    def step(self, title: str, total: int | None = None, unit: str = "") -> Iterator[Advance]:
        self.steps.append(title)
        yield lambda amount: None

    def say(self, message: str) -> None:
        self.said.append(message)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("data")
    for name, text in (
        ("train", toys.memory(200)), ("dev", toys.text(20, 2)), ("test", toys.text(20, 3)),
    ):  # fmt: skip
        for language, lines in (("en", text.source_lines()), ("fr", text.target_lines())):
            words = "".join(f"{line.replace('.', ' .')}\n" for line in lines)
            (path / f"{name}.{language}").write_text(words)
    return path


def setup(folder: Path, out: Path, progress: Progress) -> Setup:
    return Setup(
        data=folder, source="en", target="fr", out=out, quick=True, repeats=1, progress=progress
    )


@pytest.fixture(scope="module")
def finished(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    pytest.importorskip("matplotlib")
    out = tmp_path_factory.mktemp("umt") / "out"
    return out, run(setup(folder, out, Watching()))


def test_the_report_has_every_part_and_the_papers_figures(finished: tuple[Path, str]) -> None:
    out, text = finished
    for title in ("E1 Speed", "E2 Training", "E3 Quality", "E4 What", "E5 How", "E6 Search"):
        assert f"## {title}" in text
    assert "## Beyond the paper" in text
    for figure in ("2.31", "5.83", "4.31", "32.18", "0.18", "-2.3"):
        assert figure in text, "a figure of the paper"
    for name in ("b30", "b1 lazy", "umt paper", "umt tuned", "literal, CFF off", "MIRA", "beam 4"):
        assert f"| {name} |" in text
    assert (out / "report.md").read_text() == text + "\n"
    for link in re.findall(r"\]\((\w+\.svg)\)", text):
        assert (out / link).is_file()
        assert (out / link).with_suffix(".png").is_file()


def test_every_row_of_a_table_has_all_columns(finished: tuple[Path, str]) -> None:
    for table in re.findall(r"(?:^\|.*\n?)+", finished[1], flags=re.MULTILINE):
        rows = table.strip().splitlines()
        assert len(rows) > 2
        assert len({row.count("|") - row.count("\\|") for row in rows}) == 1


def test_what_is_finished_is_not_done_again(folder: Path, finished: tuple[Path, str]) -> None:
    out, text = finished
    watch = Watching()
    assert run(setup(folder, out, watch)) == text
    assert "learning" not in watch.steps
    assert "tuning" not in watch.steps
    assert all(said.endswith("done before") for said in watch.said)


def test_parts_are_known_by_name() -> None:
    assert PARTS == ("e1", "e2", "e3", "e4", "e5", "e6", "e7")
