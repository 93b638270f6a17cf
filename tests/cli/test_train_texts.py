"""Texts that ``demotic train`` is given: several, in folders, messy, swapped; and its manners."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

import demotic
from demotic.cli import app
from demotic.systems import stages
from tests.systems import toys

QUICK = ["--set", "lm.order=2", "--set", "tune.mira.iterations=0"]


def run(*arguments: str | Path, fails: int = 0) -> str:
    found = CliRunner().invoke(app, ["train", *map(str, arguments)])
    assert found.exit_code == fails, found.output
    return found.output


@pytest.fixture
def tables(tmp_path: Path) -> list[Path]:
    paths = [tmp_path / "one.tsv", tmp_path / "other.tsv"]
    for seed, path in enumerate(paths):
        toys.memory(60, seed).write(path)
    return paths


def languages() -> list[str]:
    return ["--from", "en", "--to", "fr"]


def test_several_bitexts_add_up(tables: list[Path], tmp_path: Path) -> None:
    one, other = tables
    run("--bitext", one, "--bitext", other, *languages(), "--out", tmp_path / "m", *QUICK)
    assert demotic.load(tmp_path / "m").about.provenance["pairs"] == 120
    settings = tmp_path / "settings.toml"
    settings.write_text(f'[corpus]\nbitext = ["{one}", "{other}"]\nfrom = "en"\nto = "fr"\n')
    run(settings, "--out", tmp_path / "n", *QUICK)
    assert demotic.load(tmp_path / "n").about.provenance["pairs"] == 120


def test_a_folder_says_what_it_left_out(tables: list[Path], tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    tables[0].rename(folder / "a.tsv")
    (folder / "notes.txt").write_text("remember\n")
    (folder / "empty.tsv").write_text("nothing here\n")
    said = run("--bitext", folder, *languages(), "--out", tmp_path / "m", *QUICK)
    assert re.search(r"left out notes\.txt: no known format", said)
    assert re.search(r"left out: .*empty\.tsv:1: one column", said)
    run("--bitext", folder, *languages(), "--out", tmp_path / "n", *QUICK, "--strict", fails=1)


def test_swapped_languages_are_doubted(tables: list[Path], tmp_path: Path) -> None:
    arguments = ["--bitext", tables[0], "--from", "ru", "--to", "english"]
    said = run(*arguments, "--out", tmp_path / "m", *QUICK)
    assert "warning: 'english' is no language code: write en" in said
    assert "warning: the source is said to be ru, but is written in Latin letters" in said


def test_a_model_that_is_there_stays_without_force(tables: list[Path], tmp_path: Path) -> None:
    arguments = ["--bitext", tables[0], *languages(), "--out", tmp_path / "m", *QUICK]
    run(*arguments)
    before = (tmp_path / "m" / "model.json").read_bytes()
    said = run(*arguments, "--seed", "2", fails=2)
    assert "--force" in said
    assert (tmp_path / "m" / "model.json").read_bytes() == before
    run(*arguments, "--seed", "2", "--force")
    assert (tmp_path / "m" / "model.json").read_bytes() != before


def test_an_interruption_says_how_to_go_on(
    tables: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(self: stages.Training, text: object) -> None:
        raise KeyboardInterrupt

    arguments = ["--bitext", tables[0], *languages(), "--out", tmp_path / "m", *QUICK]
    with monkeypatch.context() as patch:
        patch.setattr(stages.Training, "language_model", interrupted)
        said = run(*arguments, fails=130)
    assert f"finished stages stay in {tmp_path / 'm'}.work" in said.replace("\n", "")
    assert "--resume" in said
    assert "align: done before" in run(*arguments, "--resume")


def test_progress_counts_what_it_names(tables: list[Path], tmp_path: Path) -> None:
    said = run(
        "--bitext",
        tables[0],
        "--bitext",
        tables[1],
        *languages(),
        "--out",
        tmp_path / "m",
        *QUICK,
        "--set",
        "validation=part",
        "--final",
        "train",
    )
    assert re.search(r"training IBM Model 1, \d+ rounds: 108 pairs", said)
    assert re.search(r"training HMM, \d+ rounds: 108 pairs", said)
    assert re.search(r"learning to write en: 108 lines", said)


def test_a_few_pairs_are_enough(tmp_path: Path) -> None:
    table = tmp_path / "few.tsv"
    toys.memory(50).write(table)
    said = run("--bitext", table, *languages(), "--out", tmp_path / "m", *QUICK)
    assert "50 pairs: tuned on all of them" in said
    assert "all of the text, each part by a model that had not seen it (50 sentences)" in said
    model = demotic.load(tmp_path / "m")
    assert model.about.provenance["pairs"] == 50
    assert model.about.provenance["folds"] == 5
    assert all(model.translate(pair.source).memory is not None for pair in toys.memory(50))
    assert model.translate("The noun1 verb1 the noun2.").text


def test_fewer_pairs_have_fixed_weights(tmp_path: Path) -> None:
    table = tmp_path / "few.tsv"
    toys.memory(12).write(table)
    said = run("--bitext", table, *languages(), "--out", tmp_path / "m")
    assert "12 pairs are too few to tune on" in said
    assert "no text was held out" in said
    assert "folds" not in demotic.load(tmp_path / "m").about.provenance
