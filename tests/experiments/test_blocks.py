"""The experiment on blocks runs from a folder of texts to a report, and does nothing twice."""

from __future__ import annotations

import json
import re
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from demotic.bundle import Bundle
from demotic.errors import ArgumentError
from demotic.experiments.blocks import PARTS, run
from demotic.experiments.blocks.arms import ablations
from demotic.experiments.blocks.bench import clock
from demotic.experiments.parts import Parts
from demotic.experiments.setup import Setup
from demotic.progress import Progress
from demotic.systems import phrase
from tests.experiments.watching import Watching
from tests.systems.test_blocks import pairs


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("data")
    for name, count, seed in (("train", 150, 1), ("dev", 15, 2), ("test", 15, 3)):
        for side, language in enumerate(("en", "fr")):
            lines = [pair[side] for pair in pairs(count, seed)]
            (path / f"{name}.{language}").write_text("\n".join(lines) + "\n")
    return path


def setup(folder: Path, out: Path, progress: Progress) -> Setup:
    return Setup(data=folder, source="en", target="fr", out=out, quick=True, progress=progress)


@pytest.fixture(scope="module")
def finished(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    out = tmp_path_factory.mktemp("blocks") / "out"
    return out, run(setup(folder, out, Watching()))


def test_the_report_has_every_row_part_and_the_papers_figures(
    finished: tuple[Path, str],
) -> None:
    out, text = finished
    for title in (
        "Rows of table 2",
        "Perceptrons",
        "Ablations",
        "Pairs",
        "Beyond",
        "Speed",
        "Tuned",
    ):
        assert f"## {title}" in text
    for number in range(1, 10):
        assert re.search(rf"^\| {number} .* ±1\.[456] \|", text, re.MULTILINE)
    assert "d=0" in text
    assert "d=6" in text
    assert (out / "report.md").read_text().strip() == text.strip()


def test_every_decision_in_question_is_changed_once(finished: tuple[Path, str]) -> None:
    names = " ".join(ablations())
    for decision in ("D1 ", "D2 ", "D4", "D5", "D10", "D11", "D12", "D13", "D16"):
        assert decision in names
    assert all(name in finished[1] for name in ablations())
    assert "candidates, 4 x 1e-4" in finished[1]  # D14 is among the pairs


def test_what_is_finished_is_not_done_again(folder: Path, finished: tuple[Path, str]) -> None:
    again = Watching()
    assert run(setup(folder, finished[0], again)) == finished[1]
    assert all("learning" not in step for step in again.steps)


def test_parts_that_do_not_exist_are_named(folder: Path, tmp_path: Path) -> None:
    wanted = Setup(data=folder, source="en", target="fr", out=tmp_path, parts=("row10",))
    with pytest.raises(ArgumentError, match="row10"):
        wanted.check_parts(PARTS)


def result(out: Path, name: str) -> Any:
    known = Parts(out / "results", {}).known(name)
    assert known is not None, name
    return known[1]


@pytest.mark.parametrize("reading", ["literal", "literal-tied", "ours"])
def test_figures_are_those_of_a_sentence_of_five_words(
    reading: str, finished: tuple[Path, str]
) -> None:
    found = result(finished[0], f"rows-{reading}-seed-1")
    for name, row in found["rows"].items():
        assert 1 <= row["blocks"] <= 5, name
        assert 0 <= row["left"] < row["blocks"]
        assert 0 <= row["low"] <= row["bleu"] <= row["high"] <= 100
        assert "tok:none" in row["signature"], "tokens are given"
        assert len(row["lines"]) == 15
    assert found["rows"]["row1"]["left"] == 0, "the row that does not swap"


def test_events_are_those_that_the_development_set_can_use(finished: tuple[Path, str]) -> None:
    for name in ("literal", "ours"):
        found = result(finished[0], f"rows-{name}-seed-1")
        counts, learned = found["counts"], found["learned"]
        assert 0 < learned["sides"] < counts["left"] + counts["right"]
        assert learned["candidates"] > 0


def test_the_letter_has_neutral_weights_of_its_own_or_those_of_the_others(
    finished: tuple[Path, str],
) -> None:
    own, tied = (
        result(finished[0], f"rows-{name}-seed-1")["rows"]["row4"]["weights"]
        for name in ("literal", "literal-tied")
    )
    assert own["Unigram"] == tied["Unigram"] == tied["NeutralUnigram"] != own["NeutralUnigram"]


def test_the_baseline_has_one_language_model_and_mert(finished: tuple[Path, str]) -> None:
    """Whatever the system phrase does by default: that stands beside it."""
    baseline, defaults = (
        Bundle.open(finished[0] / name).about.config
        for name in ("phrase-d0-seed-1", "phrase-defaults-seed-1")
    )
    assert baseline["tune"]["method"] == "mert"
    assert baseline["lm"]["classes"] == baseline["lm"]["bilingual"] == 0
    assert baseline["search"]["distortion_limit"] == 0
    own = asdict(phrase.Config())
    assert {name: defaults[name] for name in ("lm", "tune")} == json.loads(
        json.dumps({name: own[name] for name in ("lm", "tune")})
    )


def test_memory_is_counted_in_bytes() -> None:
    assert 10e6 < clock()[1] < 1e12
