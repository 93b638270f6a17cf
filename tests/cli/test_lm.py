"""The command as a user meets it: convert, score, estimate, and say what is wrong."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from demotic.lm import LanguageModel, WordClasses
from tests.lm.test_arpa import PLAIN

TEXT = "a b\n\nzebra a b\n"


def run(*arguments: str | Path, stdin: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from demotic.cli import main; main()", "lm", "--quiet"]
    command += map(str, arguments)
    return subprocess.run(command, capture_output=True, text=True, input=stdin, check=False)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "model.arpa").write_text(PLAIN)
    (tmp_path / "text").write_text(TEXT)
    return tmp_path


def test_scores_each_line_and_all_of_them(folder: Path) -> None:
    done = run("--model", folder / "model.arpa", folder / "text", "--format", "json")
    assert done.returncode == 0, done.stderr
    *lines, total = [json.loads(line) for line in done.stdout.splitlines()]
    lm = LanguageModel.load(folder / "model.arpa")
    assert [line["log10"] for line in lines] == [lm.score(line) for line in TEXT.splitlines()]
    assert [(line["words"], line["oov"]) for line in lines] == [(3, 0), (1, 0), (4, 1)]
    expected = lm.score_lines(TEXT.encode())
    assert total["total"] == {
        "sentences": 3,
        "words": 8,
        "oov": 1,
        "log10": expected.total,
        "perplexity": expected.perplexity,
        "perplexity_without_oov": expected.perplexity_without_oov,
    }


def test_text_format_names_its_columns_and_totals(folder: Path) -> None:
    done = run("--model", folder / "model.arpa", "-", stdin="a b\n")
    assert done.returncode == 0, done.stderr
    header, line, *totals = done.stdout.splitlines()
    assert header.split("\t") == ["log10", "words", "oov"]
    assert line.split("\t") == ["-0.500000", "3", "0"]
    assert "# perplexity: 1.467799" in totals


@pytest.mark.parametrize("name", ["out.bin", "out.arpa", "out.arpa.gz"])
def test_converts_between_all_forms(folder: Path, name: str) -> None:
    lm = LanguageModel.load(folder / "model.arpa")
    lm.save(folder / "first.bin")
    for source in ("model.arpa", "first.bin"):
        done = run("--model", folder / source, "--out", folder / name)
        assert done.returncode == 0, done.stderr
        assert LanguageModel.load(folder / name).score("a b") == lm.score("a b")


def test_estimates_a_model_of_the_order_asked_for(folder: Path) -> None:
    (folder / "train").write_text("a b c\nb c a\na b a\nc a b\n" * 5)
    for name in ("new.arpa", "new.bin"):
        done = run(folder / "train", "--order", 3, "--memory", "10M", "--out", folder / name)
        assert done.returncode == 0, done.stderr
        assert LanguageModel.load(folder / name).order == 3


def test_clusters_words_into_the_classes_asked_for(folder: Path) -> None:
    (folder / "train").write_text("a x b y\nb x a y\na y b x\n" * 5)
    done = run(folder / "train", "--classes", 2, "--out", folder / "classes")
    assert done.returncode == 0, done.stderr
    classes = WordClasses.load(folder / "classes")
    assert set(classes) >= set("abxy")
    assert {classes[word] for word in "abxy"} == {0, 1}


BAD_MODELS = {
    "truncated": (PLAIN[: PLAIN.index("\\3-grams")], 17),
    "NaN": (PLAIN.replace("-0.75\ta", "nan\ta"), 10),
    "wrong counts": (PLAIN.replace("ngram 2=3", "ngram 2=4"), 18),
    "no back-offs": (PLAIN.replace("a\t-0.5", "a").replace("b\t-0.0625", "b"), 13),
}


@pytest.mark.parametrize(("text", "line"), BAD_MODELS.values(), ids=BAD_MODELS.keys())
def test_bad_arpa_gives_file_and_line_and_keeps_the_earlier_model(
    folder: Path, text: str, line: int
) -> None:
    (folder / "bad.arpa").write_text(text)
    (folder / "out.bin").write_text("earlier")
    done = run("--model", folder / "bad.arpa", "--out", folder / "out.bin")
    assert done.returncode == 1
    assert done.stderr.startswith(f"demotic: error: {folder / 'bad.arpa'}:{line}: ")
    assert done.stderr.count("\n") == 1
    assert (folder / "out.bin").read_text() == "earlier"


def test_flipped_bit_in_a_binary_model_is_an_error(folder: Path) -> None:
    LanguageModel.load(folder / "model.arpa").save(folder / "lm.bin")
    content = bytearray((folder / "lm.bin").read_bytes())
    content[-10] ^= 4
    (folder / "lm.bin").write_bytes(content)
    done = run("--model", folder / "lm.bin", folder / "text")
    assert done.returncode == 1
    assert "lm.bin" in done.stderr
    assert "damaged" in done.stderr
    assert run("--model", folder / "lm.bin", folder / "text", "--no-verify").returncode == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ["text"],
        ["--model", "model.arpa"],
        ["--model", "model.arpa", "text", "--out", "x.bin"],
        ["text", "--out", "x.bin", "--order", "9"],
        ["text", "--out", "x.bin", "--memory", "lots"],
        ["text", "--out", "x.bin", "--temp", "none"],
        ["text", "--out", "x.bin", "--prune", "few"],
        ["text", "--classes", "5"],
    ],
)
def test_wrong_usage_exits_with_2_and_writes_nothing(folder: Path, arguments: list[str]) -> None:
    before = sorted(folder.iterdir())
    named = {"text", "model.arpa", "x.bin"}
    done = run(*(folder / each if each in named else each for each in arguments))
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    assert sorted(folder.iterdir()) == before


def test_unwritable_output_is_an_error(folder: Path) -> None:
    done = run("--model", folder / "model.arpa", "--out", folder / "none" / "lm.bin")
    assert done.returncode == 2
    assert "no such folder" in done.stderr
    full = run("--model", folder / "model.arpa", "--out", "/dev/full")
    assert full.returncode == 1
    assert "No space left" in full.stderr
