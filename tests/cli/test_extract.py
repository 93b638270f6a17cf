"""``demotic extract`` and ``demotic convert`` as a user meets them."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from demotic.grammar import RuleTable
from demotic.lm import LanguageModel
from tests.lm.test_arpa import PLAIN


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from demotic.cli import main; main()", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "f").write_text("ne va pas\nva\n")
    (tmp_path / "e").write_text("does not go\ngo\n")
    (tmp_path / "a").write_text("0-1 1-2 2-1\n0-0\n")
    return tmp_path


def extract(folder: Path, *more: str | Path) -> subprocess.CompletedProcess[str]:
    return run(
        "extract",
        "--source",
        folder / "f",
        "--target",
        folder / "e",
        "--alignment",
        folder / "a",
        "--quiet",
        *more,
    )


def test_a_binary_table_is_extracted(folder: Path) -> None:
    done = extract(folder, "--out", folder / "rules.bin")
    assert done.returncode == 0, done.stderr
    (rule,) = RuleTable.load(folder / "rules.bin").rules_for("ne [X,1] pas")
    assert rule.target == ("not", "[X,1]")


def test_text_phrases_and_filters_are_extracted(folder: Path) -> None:
    (folder / "test").write_text("il va\n")
    done = extract(
        folder, "--phrases", "--format", "moses-phrase", "--out", folder / "t.gz", "--filter",
        folder / "test",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    table = RuleTable.from_text(folder / "t.gz", out=folder / "t.bin")
    assert {rule.source for rule in table} == {("va",)}


def test_orientations_are_columns_of_plain_phrases_only(folder: Path) -> None:
    done = extract(folder, "--phrases", "--orientations", "--out", folder / "phrases.bin")
    assert done.returncode == 0, done.stderr
    names = RuleTable.load(folder / "phrases.bin").feature_names
    assert [name for name in names if name.startswith("Swap")] == ["SwapPrevious", "SwapNext"]
    assert extract(folder, "--orientations", "--out", folder / "rules.bin").returncode == 2


def test_wrong_usage_and_wrong_links_leave_nothing(folder: Path) -> None:
    before = set(folder.iterdir())
    assert extract(folder, "--out", folder / "rules.gz").returncode == 2
    (folder / "a").write_text("0-1 1-9\n0-0\n")
    done = extract(folder, "--out", folder / "rules.bin")
    assert done.returncode == 1
    assert f"{folder / 'a'}:1" in done.stderr
    assert "Traceback" not in done.stderr
    assert set(folder.iterdir()) == before


def test_a_missing_file_is_named_before_rules_are_extracted(folder: Path) -> None:
    (folder / "a").write_text("0-9\n")  # which is wrong, if somebody reads it
    done = extract(folder, "--out", folder / "rules.bin", "--filter", folder / "none")
    assert done.returncode == 1
    assert f"{folder / 'none'}: No such file" in done.stderr


def test_tables_are_converted_there_and_back(folder: Path) -> None:
    (folder / "g").write_text("[X] ||| ne [X,1] pas ||| do not [1] ||| A=0.5 ||| 0-1 2-1\n")
    assert run("convert", folder / "g", folder / "g.bin", "--quiet").returncode == 0
    done = run("convert", folder / "g.bin", folder / "j", "--to", "joshua", "--quiet")
    assert done.returncode == 0, done.stderr
    assert (folder / "j").read_text() == (
        "[X] ||| ne [X,1] pas ||| do not [X,1] ||| A=0.5 ||| 0-1 2-1\n"
    )


def test_language_models_are_converted(folder: Path) -> None:
    (folder / "lm.arpa").write_text(PLAIN)
    done = run("convert", folder / "lm.arpa", folder / "lm.bin", "--quiet")
    assert done.returncode == 0, done.stderr
    assert LanguageModel.load(folder / "lm.bin").order >= 1


def test_a_bad_rule_is_named_by_file_and_line(folder: Path) -> None:
    (folder / "g").write_text("[X] ||| a ||| b ||| A=1\n[X] ||| [X,1] ||| [1] ||| A=1\n")
    done = run("convert", folder / "g", folder / "g.bin", "--quiet")
    assert done.returncode == 1
    assert f"{folder / 'g'}:2: a cycle" in done.stderr
    assert not (folder / "g.bin").exists()


def test_sparse_features_are_extracted_converted_and_looked_at(folder: Path) -> None:
    done = extract(folder, "--sparse", "pairs", "--sparse", "rule", "--out", folder / "rules.bin")
    assert done.returncode == 0, done.stderr
    table = RuleTable.load(folder / "rules.bin")
    assert {name.split("|")[0] for rule in table for name in rule.sparse} == {"pair", "rule"}
    shown = run("inspect", folder / "rules.bin")
    assert re.search(rf"sparse features:? +{table.sparse_features}\b", shown.stdout)
    done = run("convert", folder / "rules.bin", folder / "text", "--to", "cdec")
    assert done.returncode == 0, done.stderr
    done = run("convert", folder / "text", folder / "again.bin", "--from", "cdec")
    assert done.returncode == 0, done.stderr
    again = RuleTable.load(folder / "again.bin")
    assert {str(rule): rule.sparse for rule in again} == {str(rule): rule.sparse for rule in table}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--sparse-bits", "10"], "say which sparse features there are"),
        (["--sparse-min-count", "2"], "say which sparse features there are"),
        (["--memory", "1M"], "1 MiB of memory are too few"),
        (["--temp", "none"], "none: no such folder"),
    ],
)
def test_options_that_make_no_sense_are_wrong_usage(
    folder: Path, options: list[str], message: str
) -> None:
    done = extract(folder, "--out", folder / "rules.bin", *options)
    assert done.returncode == 2, done.stderr
    assert message in " ".join(done.stderr.split())
    assert not (folder / "rules.bin").exists()


def test_unknown_templates_are_wrong_usage(folder: Path) -> None:
    done = extract(folder, "--sparse", "words", "--out", folder / "rules.bin")
    assert done.returncode == 2
    assert "source_bigrams" in done.stderr
    assert not (folder / "rules.bin").exists()


def test_a_score_that_some_rules_have_can_be_a_column(folder: Path) -> None:
    (folder / "text").write_text("[X] ||| a ||| b ||| A=1 B=2\n[X] ||| c ||| d ||| A=1\n")
    for more, names in (((), ["A"]), (("--column", "B"), ["B", "A"])):
        done = run("convert", folder / "text", folder / "b.bin", "--from", "cdec", *more)
        assert done.returncode == 0, done.stderr
        assert RuleTable.load(folder / "b.bin").feature_names == names


@pytest.mark.parametrize(
    "options",
    [["--from", "cdec"], ["--column", "A"], ["--empty-targets"], ["--first-duplicate"]],
)
def test_a_binary_table_is_not_read_as_text(folder: Path, options: list[str]) -> None:
    (folder / "g").write_text("[X] ||| a ||| b ||| A=0.5\n")
    (folder / "lm.arpa").write_text(PLAIN)
    assert run("convert", folder / "g", folder / "g.bin", "--quiet").returncode == 0
    for given, wanted in (("g.bin", ["--to", "joshua"]), ("lm.arpa", [])):
        done = run("convert", folder / given, folder / "out.bin", *options)
        assert done.returncode == 2, done.stderr
        done = run("convert", folder / given, folder / "out", *wanted, *options)
        assert done.returncode == 2, done.stderr
    assert not (folder / "out").exists()


def test_loose_tables_can_be_thinned_out_and_tell_what_has_no_link(folder: Path) -> None:
    (folder / "a").write_text("1-2\n0-0\n")
    out = folder / "rules.bin"
    done = extract(
        folder, "--loose", "--min-loose", "2", "--short-loose", "2", "--deletions", "--unaligned",
        "--out", out,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    table = RuleTable.load(out)
    assert {rule.target for rule in table.rules_for("ne")} == {()}
    assert [rule.scores["Deleted"] for rule in table.rules_for("ne va")] == [1.0] * 3
    assert not table.rules_for("ne va pas")  # too long for one sentence
    done = extract(folder, "--loose", "--significance", "alpha+epsilon", "--out", out)
    assert done.returncode == 0, done.stderr
    assert len(RuleTable.load(out)) < len(table)
    assert extract(folder, "--significance", "high", "--out", out).returncode == 2
