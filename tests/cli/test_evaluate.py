"""The command as a user meets it."""

from __future__ import annotations

import gzip
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import sacrebleu

REFERENCE = ["the house is small .", "it stands by the river .", "nobody lives there now ."]
SYSTEM = ["the house is small .", "it stands near the river .", "nobody lives there now ."]
BASELINE = ["the house small .", "it is standing at river .", "no one is there today ."]


def run(*arguments: str | Path, stdin: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from demotic.cli import main; main()", "evaluate", "--quiet"]
    command += map(str, arguments)
    return subprocess.run(command, capture_output=True, text=True, input=stdin, check=False)


@pytest.fixture
def files(tmp_path: Path) -> Path:
    for name, lines in (("ref", REFERENCE), ("new", SYSTEM), ("old", BASELINE)):
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines))
    return tmp_path


def test_json_holds_scores_signatures_and_tests(files: Path) -> None:
    done = run(
        *("--hypothesis", files / "new", "--baseline", files / "old", "--reference", files / "ref"),
        *("--metric", "bleu,chrf,chrf++,ter,gtm", "--format", "json", "--samples", "50"),
    )
    assert done.returncode == 0, done.stderr
    results = json.loads(done.stdout)
    assert len(results) == 10
    bleu = results[1]
    assert bleu["system"] == str(files / "new")
    assert bleu["score"]["value"] == pytest.approx(
        sacrebleu.corpus_bleu(SYSTEM, [REFERENCE], force=True).score
    )
    assert bleu["score"]["signature"].startswith("nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp")
    assert bleu["score"]["interval"]["samples"] == 50
    assert {test["test"] for test in bleu["comparison"]["tests"]} == {
        "bootstrap",
        "randomisation",
        "sign",
        "wilcoxon",
    }
    assert results[0]["comparison"] is None


def test_table_shows_every_system_and_signature(files: Path) -> None:
    done = run(
        *("--hypothesis", files / "new", "--hypothesis", files / "old"),
        *("--reference", files / "ref", "--metric", "bleu,gtm", "--gtm-exponent", "2"),
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].split() == ["metric", "system", "score", "95%", "interval"]
    assert [line.split()[:2] for line in lines[1:5]] == [
        [metric, str(files / name)] for metric in ("BLEU", "GTM") for name in ("new", "old")
    ]
    assert any(line.startswith("GTM: nrefs:1|case:mixed|tok:none|exp:2|") for line in lines)


def test_the_table_has_the_figures_of_the_json_in_their_columns(files: Path) -> None:
    options = ["--hypothesis", files / "new", "--baseline", files / "old", "--reference",
               files / "ref", "--metric", "bleu,ter", "--samples", "50", "--seed", "3"]  # fmt: skip
    records = json.loads(run(*options, "--format", "json").stdout)
    head, *rows = (re.split(r"\s{2,}", line) for line in run(*options).stdout.splitlines()[:5])
    assert len({record["score"]["value"] for record in records}) == 4, "none can stand for another"
    assert records[1]["comparison"]["difference"] == pytest.approx(
        records[1]["score"]["value"] - records[0]["score"]["value"]
    )
    for row, record in zip(rows, records, strict=True):
        cells = dict(zip(head, row, strict=False))
        score, comparison = record["score"], record["comparison"]
        assert (cells["metric"], cells["system"]) == (score["name"], record["system"])
        assert cells["score"] == f"{score['value']:.2f}"
        interval = score["interval"]
        assert cells["95% interval"] == f"{interval['low']:.2f} - {interval['high']:.2f}"
        if comparison is not None:
            assert cells["difference"] == f"{comparison['difference']:+.2f}"
            for test in comparison["tests"]:
                assert cells[f"p ({test['test']})"] == f"{test['p_value']:.4f}"
    ends = run(*options).stdout.splitlines()[-1]
    assert ends == "50 resamples, seed 3"


def test_several_references_gzip_and_standard_input(files: Path) -> None:
    with gzip.open(files / "two.gz", "wt") as out:
        out.write("\n".join(SYSTEM) + "\n")
    done = run(
        *("--hypothesis", "-", "--reference", files / "ref", "--reference", files / "two.gz"),
        *("--metric", "bleu", "--format", "json"),
        stdin="\n".join(SYSTEM) + "\n",
    )
    assert done.returncode == 0, done.stderr
    (result,) = json.loads(done.stdout)
    assert result["score"]["value"] == pytest.approx(100)
    assert "nrefs:2" in result["score"]["signature"]


def test_tokeniser_and_case_reach_the_metric(files: Path) -> None:
    (files / "upper").write_text("\n".join(SYSTEM).upper())
    done = run(
        *("--hypothesis", files / "upper", "--reference", files / "new"),
        *("--metric", "bleu,chrf,gtm", "--tokenise", "char", "--lowercase", "--format", "json"),
    )
    results = json.loads(done.stdout)
    assert all(result["score"]["value"] == pytest.approx(100) for result in results)
    assert "case:lc" in results[0]["score"]["signature"]
    assert "tok:char" in results[0]["score"]["signature"]
    assert "tok:char" in results[2]["score"]["signature"]


def test_same_seed_same_output(files: Path) -> None:
    def output(seed: int) -> str:
        arguments = ("--hypothesis", files / "new", "--baseline", files / "old")
        return run(
            *arguments, "--reference", files / "ref", "--metric", "bleu", "--seed", str(seed)
        ).stdout

    assert output(3) == output(3)
    assert output(3) != output(4)


def test_unequal_lengths_name_both_files_and_the_line(files: Path) -> None:
    (files / "short").write_text("one\ntwo\n")
    done = run("--hypothesis", files / "short", "--reference", files / "ref")
    assert done.returncode == 1
    assert f"{files / 'short'}:3: has 2 lines, but {files / 'ref'} has 3" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"fine\nb\xe4d\nfine\n", ":2: invalid UTF-8 (byte 0xe4)"),
        (b"fine\nfine\n\0\n", ":3: a binary file"),
        (b"\x1f\x8b\x08\0broken", "damaged gzip"),
        (None, "No such file"),
    ],
)
def test_bad_files_give_one_clear_line(files: Path, content: bytes | None, message: str) -> None:
    if content is not None:
        (files / "bad").write_bytes(content)
    done = run("--hypothesis", files / "bad", "--reference", files / "ref")
    assert done.returncode == 1
    assert done.stderr.startswith(f"demotic: error: {files / 'bad'}")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""


def test_one_file_given_twice_is_refused(files: Path) -> None:
    new = files / "new"
    done = run("--hypothesis", new, "--baseline", new, "--reference", files / "ref")
    assert done.returncode == 1
    assert f"given twice: {new}" in done.stderr


@pytest.mark.parametrize(
    "options", [("--metric", "blue"), ("--tokenise", "mine"), ("--samples", "0"), ("--format", "x")]
)
def test_wrong_usage_exits_with_two(files: Path, options: tuple[str, str]) -> None:
    done = run("--hypothesis", files / "new", "--reference", files / "ref", *options)
    assert done.returncode == 2
    assert options[0] in done.stderr


def test_a_negative_seed_is_refused(files: Path) -> None:
    done = run("--hypothesis", files / "new", "--reference", files / "ref", "--seed", "-1")
    assert done.returncode == 2
    assert "--seed" in done.stderr


def test_help_has_examples() -> None:
    done = run("--help")
    assert done.returncode == 0
    assert "demotic evaluate --hypothesis out.en --reference test.en" in done.stdout
