"""The experiment runs from a folder of texts to a report, and does nothing twice."""

from __future__ import annotations

import json
import re
import shutil
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from demotic.errors import MissingDependencyError
from demotic.experiments.parts import Parts
from demotic.experiments.setup import Setup
from demotic.experiments.umt import PARTS, run
from demotic.experiments.umt.search import WAYS
from demotic.progress import Progress
from demotic.systems.umt.config import REPLAY, Config
from tests.experiments import texts
from tests.experiments.markdown import by_name, tables
from tests.experiments.watching import Watching
from tests.systems import toys

SEARCHES: dict[str, dict[str, Any]] = {
    "4 restarts": {"restarts": 4}, "beam 4": {"beam": 4}, "1 repair": {"repairs": 1},
    "width 3": {"repair_width": 3}, "kappa 0": {"kappa": 0.0}, "kappa 0.5": {"kappa": 0.5},
    "CFF off": {"cff": "off"}, "CFF delta": {"cff": "delta"}, "stale queue": {"stale_queue": True},
    "by margin": {"turn": "margin"}, "oldest first": {"turn": "age"},
    "bounds without LM": {"bounds": "local"}, "bounds of a chart": {"bounds": "chart"},
}  # fmt: skip
"""What words in the name of a search mean."""
LEARNING: dict[str, dict[str, Any]] = {
    "full path": {"update": "full_path"}, "two actions": {"update": "two_actions"},
    "passive-aggressive": {"update": "passive_aggressive"}, "MIRA": {"update": "mira"},
    "aggressive": {"update": "aggressive"}, "discount 0.95": {"discount": 0.95},
    "expected reward": {"update": "expected_reward"}, "Zipf exponent 0": {"exponent": 0.0},
    "Zipf exponent 2": {"exponent": 2.0}, "1 sample a sentence": {"samples": 1},
    "10 samples a sentence": {"samples": 10},
    "replay": {"update": "replay", "rate": REPLAY.rate, "samples": REPLAY.samples},
}  # fmt: skip
"""And in that of a way to learn."""
TITLES = {"e1": "E1 Speed", "e2": "E2 Training", "e3": "E3 Quality",
          "e4": "E4 What the search sees",
          "e5": "E5 How it learns", "e6": "E6 Search", "e7": "Beyond the paper"}  # fmt: skip


def meant(name: str, words: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """The options that a name speaks of."""
    return {key: value for word in name.split(", ") for key, value in words.get(word, {}).items()}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return texts.write(tmp_path_factory.mktemp("data"), toys.memory(200))


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
    for name in ("b30", "b1 lazy", "umt paper", "umt lookahead", "umt tuned", "paper, CFF off",
                 "paper, replay, CFF off", "lookahead, MIRA", "beam 4"):  # fmt: skip
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


@pytest.mark.parametrize("name", WAYS)
def test_each_search_is_what_its_name_says(name: str) -> None:
    base = Config(preset=name.split(", ")[0]).search  # type: ignore[arg-type]
    assert WAYS[name] == replace(base, **meant(name, SEARCHES))


def test_each_variation_changes_what_its_name_says(finished: tuple[Path, str]) -> None:
    out, text = finished
    parts = Parts(out / "results", {})

    def settings(part: str) -> dict[str, Any]:
        known = parts.known(part)
        assert known is not None, part
        own: dict[str, Any] = known[0][1]
        return own

    varied = [table for table in tables(text) if "test to first row" in table[0]]
    names = [name for table in varied for name in by_name(table)]
    names = [name.replace("\\|", "|") for name in names]
    assert len(names) == len({*names}) + 3 == 39, "three are in both tables"
    for name in names:
        preset = name.split(", ")[0]
        base = settings(f"variation-{preset}")
        found = settings(f"variation-{re.sub('[,|]', '', name.lower()).replace(' ', '-')}")
        features = {"P(f|e)": "printed", "P(e|f)": "paper"}
        wanted = [features[word] for word in name.split(", ") if word in features]
        assert found["features"] == (wanted or [base["features"]])[0]
        assert found["search"] == {**base["search"], **meant(name, SEARCHES)}
        drl = {**base["drl"], **meant(name, LEARNING)}
        if drl["update"] not in (base["drl"]["update"], "replay"):
            # Each kind of update has a scale of its own, and one sample as in the paper.
            drl |= {"rate": found["drl"]["rate"], "samples": 1}
        assert found["drl"] == drl
        assert found["rewards"] == ("steps" if "step by step" in name else "end")
        alone = drl["update"] != "replay" or "reward of the sentence alone" in name
        assert found["reward"] == ("sentence" if alone else "corpus")
        assert drl["epochs"] == 2, "a quick run"


def test_what_is_finished_is_not_done_again(folder: Path, finished: tuple[Path, str]) -> None:
    out, text = finished
    watch = Watching()
    assert run(setup(folder, out, watch)) == text
    assert "learning" not in watch.steps
    assert "tuning" not in watch.steps
    assert all(said.endswith("done before") for said in watch.said)


def test_parts_are_known_by_name() -> None:
    assert PARTS == ("e1", "e2", "e3", "e4", "e5", "e6", "e7")


@pytest.mark.parametrize("part", PARTS)
def test_a_part_alone_is_what_was_asked_for(
    part: str, folder: Path, finished: tuple[Path, str], tmp_path: Path
) -> None:
    out, whole = finished
    shutil.copytree(out, tmp_path / "out")  # a report takes the place of the one before
    text = run(replace(setup(folder, tmp_path / "out", Watching()), parts=(part,)))
    assert re.findall(r"^## (.*)", text, re.MULTILINE) == [TITLES[part]]
    assert text.split("\n\n", 2)[2] in whole


def test_without_matplotlib_nothing_begins(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingDependencyError):
        run(setup(folder, tmp_path / "out", Watching()))
    assert not (tmp_path / "out").exists()


def test_the_model_takes_tokens_as_they_are(finished: tuple[Path, str]) -> None:
    about = json.loads((finished[0] / "hiero" / "model.json").read_text())
    assert about["config"]["tokenised"] is True
    assert about["config"]["source"]["compounds"] == "off"


def test_a_quick_run_tunes_for_two_rounds(finished: tuple[Path, str]) -> None:
    parts = Parts(finished[0] / "results", {})
    for name in ("mert-b1-seed-1", "mert-b30-seed-1", "mert-b30-paper", "mert-b30-printed"):
        found = parts.known(name)
        assert found is not None
        assert 1 <= len(found[1]["rounds"]) <= 2
