"""The command finds experiments by name and refuses what it cannot do."""

from __future__ import annotations

from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from demotic.cli import app
from demotic.cli.experiment import _named
from demotic.errors import FileAccessError

RUN = CliRunner()


def call(*arguments: str) -> None:
    RUN.invoke(app, ["experiment", *arguments], catch_exceptions=False)


def options(tmp_path: Path) -> list[str]:
    return ["--data", str(tmp_path / "data"), "--from", "de", "--to", "en",
            "--out", str(tmp_path / "out"), "--quiet"]  # fmt: skip


def test_an_unknown_experiment_is_named(tmp_path: Path) -> None:
    done = RUN.invoke(app, ["experiment", "nmt", *options(tmp_path)])
    assert done.exit_code == 2
    assert "unknown experiment 'nmt'" in done.output


def test_an_unknown_part_is_named(tmp_path: Path) -> None:
    done = RUN.invoke(app, ["experiment", "umt", *options(tmp_path), "--parts", "e1,e9"])
    assert done.exit_code == 2
    assert "no part 'e9'" in done.output


def test_a_missing_folder_is_named_before_anything_happens(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    with pytest.raises(FileAccessError, match="no such folder"):
        call("umt", *options(tmp_path))
    assert not (tmp_path / "out").exists()


def test_seeds_are_numbers(tmp_path: Path) -> None:
    result = RUN.invoke(app, ["experiment", "umt", *options(tmp_path), "--seeds", "one"])
    assert result.exit_code == 2
    assert "1,2,3" in result.output


def test_an_option_that_an_experiment_does_not_use_is_refused(tmp_path: Path) -> None:
    for option, value in (("--repeats", "3"), ("--model", "m")):
        result = RUN.invoke(app, ["experiment", "blocks", *options(tmp_path), option, value])
        assert result.exit_code == 2
        assert "does not use it" in result.output


def test_papers_need_languages_and_portfolios_have_none(tmp_path: Path) -> None:
    places = ["--data", str(tmp_path), "--out", str(tmp_path / "out"), "--quiet"]
    result = RUN.invoke(app, ["experiment", "umt", *places, "--to", "en"])
    assert result.exit_code == 2
    assert "say which language" in result.output
    result = RUN.invoke(app, ["experiment", "portfolio", *options(tmp_path)])
    assert result.exit_code == 2
    assert "does not use it" in result.output


def test_settings_have_names_and_several_changes() -> None:
    assert _named("loose: extract.tight=false") == ("loose", {"extract": {"tight": False}})
    assert _named("a: lm.order=4, lm.prune=[0, 1] align.method=thot") == (
        "a",
        {"lm": {"order": 4, "prune": [0, 1]}, "align": {"method": "thot"}},
    )
    for wrong in ("extract.tight=false", "loose: tight"):
        with pytest.raises(typer.BadParameter, match="write NAME"):
            _named(wrong)


def test_a_wrong_set_or_setting_of_a_portfolio_is_wrong_usage(tmp_path: Path) -> None:
    (tmp_path / "multi30k").mkdir()
    places = ["--data", str(tmp_path), "--out", str(tmp_path / "out"), "--quiet"]
    for option, value, message in (
        ("--sets", "multi40k", "no set 'multi40k'"),
        ("--setting", "odd: lm.ordre=3", "unknown setting 'lm.ordre'"),
        ("--systems", "moses", "unknown system 'moses'"),
    ):
        result = RUN.invoke(app, ["experiment", "portfolio", *places, option, value])
        assert result.exit_code == 2
        assert message in " ".join(result.output.replace("│", " ").split())
    assert not (tmp_path / "out").exists()
