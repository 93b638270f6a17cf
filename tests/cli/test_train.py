"""``demotic train`` and ``tune``: from files to a model, settings from anywhere, clear refusals."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import demotic
from tests.systems import toys

COMMAND = [sys.executable, "-c", "from demotic.cli import main; main()"]
QUICK = ["--set", "tune.mert.iterations=1", "--set", "tune.mert.restarts=0"]


def run(*arguments: str | Path, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *map(str, arguments)], capture_output=True, text=True, check=False, cwd=folder
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, count, seed in (("train", 150, 1), ("dev", 30, 7)):
        toys.bitext(count, seed).write(tmp_path / f"{name}.en", tmp_path / f"{name}.fr")
    toys.bitext(150).write(tmp_path / "memory.tsv")
    return tmp_path


def test_two_files_make_a_translator(folder: Path) -> None:
    done = run(
        "train", "--source", "train.en", "--target", "train.fr", "--dev-source", "dev.en",
        "--dev-target", "dev.fr", "--out", "model.demotic", *QUICK, folder=folder,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "BLEU" in done.stderr
    about = demotic.load(folder / "model.demotic").about
    assert (about.source_language, about.target_language) == ("en", "fr")
    assert not (folder / "model.demotic.work").exists()


def test_a_phrase_model_is_trained_translates_and_explains(folder: Path) -> None:
    done = run(
        "train", "--system", "phrase", "--source", "train.en", "--target", "train.fr",
        "--dev-source", "dev.en", "--dev-target", "dev.fr", "--out", "model", *QUICK,
        "--set", "decode.distortion_limit=4", folder=folder,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    done = run("translate", "model", "dev.en", "--output", "out", folder=folder)
    assert done.returncode == 0, done.stderr
    assert len((folder / "out").read_text().splitlines()) == 30
    done = run("explain", "model", "The adj1 noun2 verb3 a noun4.", folder=folder)
    assert done.returncode == 0, done.stderr
    assert "SwapPrevious" in done.stdout
    assert "Distortion" in done.stdout


def test_memory_and_temporary_folder_do_not_show_in_the_model(folder: Path) -> None:
    texts = ["--bitext", "memory.tsv", "--from", "en", "--to", "fr", *QUICK]
    (folder / "temp").mkdir()
    small = ["--engine", "local", "--memory", "256M", "--temp", "temp", "--threads", "1"]
    for name, options in (("one", []), ("other", small)):
        done = run("train", *texts, "--out", name, *options, folder=folder)
        assert done.returncode == 0, done.stderr
    assert not list((folder / "temp").iterdir())
    for part in ("rules.bin", "lm.bin", "weights.json", "model.json"):
        assert (folder / "one" / part).read_bytes() == (folder / "other" / part).read_bytes()


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["--engine", "spark://host:7077"], 1, "spark://host:7077: this version of Demotic works"),
        (["--engine", "cloud"], 1, "unknown engine 'cloud' (choose 'local')"),
        (["--memory", "1M"], 1, "1 MiB of memory are too few"),
        (["--memory", "much"], 2, "'much' is no size"),
        (["--temp", "nowhere"], 1, "nowhere: no such folder"),
    ],
)
def test_an_engine_that_cannot_work_is_refused_at_once(
    folder: Path, options: list[str], code: int, message: str
) -> None:
    texts = ["--bitext", "memory.tsv", "--from", "en", "--to", "fr"]
    done = run("train", *texts, "--out", "model", *options, folder=folder)
    assert done.returncode == code
    assert message in done.stderr
    assert not (folder / "model").exists()
    assert not (folder / "model.work").exists()


def test_settings_come_from_a_file_and_options_go_first(folder: Path) -> None:
    (folder / "settings.toml").write_text(
        'out = "other"\nseed = 5\n[corpus]\nbitext = "memory.tsv"\nfrom = "en"\nto = "fr"\n'
        '[lm]\norder = 2\n[decode]\npops = 7\n[tune]\ncandidates = "kbest"\n'
    )
    done = run(
        "train", "settings.toml", "--out", "model", "--set", "lm.order=3", "--work", "work",
        "--seed", "6", *QUICK, folder=folder,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    config = demotic.load(folder / "model").about.config
    assert (config["lm"]["order"], config["decode"]["pops"], config["seed"]) == (3, 7, 6)
    assert config["tune"]["candidates"] == "kbest"
    assert (folder / "work" / "train.align").is_file(), "a named work folder stays"
    assert not (folder / "other").exists()


def test_tune_writes_another_model(toy_model: Path, folder: Path) -> None:
    done = run(
        "tune", toy_model, "--dev-source", "dev.en", "--dev-target", "dev.fr", "--out", "tuned",
        "--iterations", "1", folder=folder,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "before" in done.stderr
    assert demotic.load(folder / "tuned").about.dev["sentences"] == 30


def test_a_killed_training_leaves_no_model_and_can_go_on(folder: Path) -> None:
    arguments = ["train", "--bitext", "memory.tsv", "--from", "en", "--to", "fr", "--out", "model"]
    arguments += QUICK
    with subprocess.Popen([*COMMAND, *arguments], cwd=folder, stderr=subprocess.DEVNULL) as process:
        while not (folder / "model.work" / "align.done").exists():
            assert process.poll() is None, "training ended before it could be killed"
            time.sleep(0.002)
        os.kill(process.pid, signal.SIGKILL)
    assert not (folder / "model").exists()
    done = run(*arguments, "--resume", folder=folder)
    assert done.returncode == 0, done.stderr
    assert "align: done before" in done.stderr
    assert demotic.load(folder / "model").translate("noun1").text


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--out", "m"], 2, "give --source and --target, or --bitext"),
        (["--source", "train.en", "--out", "m"], 2, "belong together"),
        (["--bitext", "memory.tsv"], 2, "--out"),
        (["--bitext", "memory.tsv", "--out", "m", "--set", "lm.order"], 2, "NAME=VALUE"),
        (["--bitext", "memory.tsv", "--out", "m", "--set", "lm.ordre=3"], 1, "lm.ordre"),
        (["--bitext", "memory.tsv", "--out", "m", "--system", "x"], 1, "unknown system"),
        (["--bitext", "memory.tsv", "--out", "m", "--alignment", "a"], 1, "tokenised"),
        (["--bitext", "none.tsv", "--out", "m"], 1, "none.tsv"),
        (["--bitext", "memory.tsv", "--out", "none/m"], 1, "no such folder"),
        (["none.toml", "--out", "m"], 1, "none.toml"),
    ],
)
def test_wrong_calls_are_explained(
    folder: Path, arguments: list[str], code: int, message: str
) -> None:
    before = sorted(folder.iterdir())
    done = run("train", *arguments, folder=folder)
    assert (done.returncode, "Traceback" in done.stderr) == (code, False), done.stderr
    assert message in done.stderr
    assert sorted(folder.iterdir()) == before


def test_a_dev_set_of_one_line_is_refused(folder: Path) -> None:
    (folder / "one.en").write_text("noun1\n")
    (folder / "one.fr").write_text("nom1\n")
    done = run(
        "train", "--source", "train.en", "--target", "train.fr", "--dev-source", "one.en",
        "--dev-target", "one.fr", "--out", "m", folder=folder,
    )  # fmt: skip
    assert done.returncode == 1
    assert "a development set of 1 sentence is too small" in done.stderr
