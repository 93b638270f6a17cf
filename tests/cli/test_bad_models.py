"""Damaged models, grammars that make no sense, disks that are full: one clear error, exit code 1,
and everything that was there before as it was."""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import demotic
from tests.systems import toys

TEXTS = ["--source", "train.en", "--target", "train.fr", "--dev-source", "dev.en"]
TRAIN = [
    "train",
    "-q",
    "--force",
    *TEXTS,
    "--dev-target",
    "dev.fr",
    "--set",
    "tune.mert.iterations=1",
]
PARTS = ["corpus.arrow", "lm.bin", "model.json", "rules.bin", "source.json", "weights.json"]


@pytest.fixture
def folder(tmp_path: Path, toy_model: Path) -> Path:
    for name, text in (("train", toys.memory(150)), ("dev", toys.text(30))):
        text.write(tmp_path / f"{name}.en", tmp_path / f"{name}.fr")
    shutil.copytree(toy_model, tmp_path / "model")
    demotic.load(toy_model).save(tmp_path / "model.demotic")
    (tmp_path / "old").write_text("earlier\n")
    return tmp_path


def contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def run(folder: Path, *arguments: str, limit: int | None = None, stdin: str = "noun1\n") -> str:
    """The message of a command that must fail."""
    done = subprocess.run(
        [sys.executable, "-m", "demotic", *arguments],
        cwd=folder,
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=limit
        and (lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))),
    )
    assert done.returncode == 1, done.stderr
    *said, last = done.stderr.splitlines()
    assert not any("Traceback" in line for line in said)
    assert last.startswith("demotic: error: ")
    return last.removeprefix("demotic: error: ")


@pytest.mark.parametrize("part", PARTS)
def test_a_flipped_bit_in_any_part_is_named(folder: Path, part: str) -> None:
    path = folder / "model" / part
    content = bytearray(path.read_bytes())
    place = content.index(b'"dev_size": 1000') + 13 if part == "model.json" else len(content) // 2
    content[place] ^= 1
    path.write_bytes(content)
    before = contents(folder)
    message = run(folder, "translate", "model", "--output", "old")
    assert message.startswith(f"model/{part}: the model's part {part} has changed")
    assert contents(folder) == before


@pytest.mark.parametrize("part", PARTS)
def test_a_truncated_part_is_named(folder: Path, part: str) -> None:
    path = folder / "model" / part
    path.write_bytes(path.read_bytes()[:-7])
    message = run(folder, "translate", "model", "--output", "old")
    assert message.startswith(f"model/{part}: the ")
    assert message.endswith("(copy the model again)")
    assert (folder / "old").read_text() == "earlier\n"


@pytest.mark.parametrize("share", [0.0, 0.5, 0.999])
def test_a_truncated_file_of_a_model_is_named(folder: Path, share: float) -> None:
    path = folder / "model.demotic"
    path.write_bytes(path.read_bytes()[: int(share * path.stat().st_size)])
    message = run(folder, "translate", "model.demotic")
    assert message.startswith("model.demotic: not a model, or a damaged one")


@pytest.mark.parametrize(
    "command",
    [
        ["translate", "model"],
        ["explain", "model", "noun1"],
        ["tune", "model", "--dev-source", "dev.en", "--dev-target", "dev.fr", "--out", "new"],
        ["inspect", "model"],
    ],
    ids=lambda command: command[0],
)
def test_a_model_of_a_newer_version_asks_for_an_upgrade(folder: Path, command: list[str]) -> None:
    path = folder / "model" / "model.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "schema": 99}))
    before = contents(folder)
    message = run(folder, *command)
    assert message.startswith("model/model.json: a model of version 99")
    assert message.endswith("(upgrade Demotic)")
    assert contents(folder) == before


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ("[X] ||| a ||| b ||| A=1\n[X] ||| [X,1] ||| [X,1] ||| A=1\n", "grammar:2: a cycle"),
        (
            "[X] ||| [Y,1] ||| [Y,1] ||| A=1\n[Y] ||| [X,1] ||| [X,1] ||| A=1\n",
            "grammar:1: a cycle: [X] can be rewritten as itself",
        ),
        ("[X] ||| a ||| b ||| A=1\n[X] ||| c ||| d ||| A=nan\n", "grammar:2: a score of 'nan'"),
        ("[X] ||| a ||| b ||| A=-inf\n", "grammar:1: a score of '-inf'"),
        ("[X] ||| a [X,1] ||| b ||| A=1\n", "grammar:1: mismatched nonterminals"),
        ("[X] ||| a [X,1] ||| [X,1] [X,1] ||| A=1\n", "grammar:1: mismatched nonterminals"),
        ("[X] ||| a [X,1] ||| b [Y,1] ||| A=1\n", "grammar:1: mismatched nonterminals"),
    ],
)
def test_a_grammar_that_makes_no_sense_is_refused_with_its_line(
    folder: Path, rules: str, message: str
) -> None:
    (folder / "grammar").write_text(rules)
    before = contents(folder)
    assert run(folder, "convert", "-q", "grammar", "old.bin", "--from", "cdec").startswith(message)
    assert contents(folder) == before


@pytest.mark.parametrize(
    ("command", "limit", "named"),
    [
        ([*TRAIN, "--out", "model", "--work", "work"], 1000, "work/"),
        ([*TRAIN, "--out", "model"], 100_000, "model.work/rules.bin: "),
        (["translate", "-q", "model", "many", "--output", "old"], 20_000, "old: "),
        (["explain", "model", "The adj1 noun2 verb3 a noun4.", "--output", "old"], 100, "old: "),
    ],
)
def test_a_disk_that_fills_up_leaves_earlier_files(
    folder: Path, command: list[str], limit: int, named: str
) -> None:
    (folder / "many").write_text("The adj1 noun2 verb3 a noun4.\n" * 2000)
    demotic.load(folder / "model")  # what is remembered of it is written before the disk is full
    before = contents(folder)
    message = run(folder, *command, limit=limit)
    assert message.startswith(named)
    assert "File too large" in message
    after = contents(folder)
    assert {name: after[name] for name in before} == before
    assert all(name.startswith(("work/", "model.work/")) for name in after.keys() - before.keys())


def test_an_archive_that_does_not_fit_is_named_by_its_name(folder: Path) -> None:
    made = [*TRAIN, "--work", "work", "--out"]
    subprocess.run([sys.executable, "-m", "demotic", *made, "first"], cwd=folder, check=True)
    whole = sum(path.stat().st_size for path in (folder / "first").iterdir())
    before = contents(folder)
    message = run(folder, *made, "model.demotic", "--resume", limit=whole - 100)
    assert message.startswith("model.demotic: File too large")
    assert contents(folder) == before


@pytest.mark.parametrize(
    "command",
    [
        ["tune", "model", "-q", "--out", "model"],
        ["train", "-q", "--force", *TEXTS[:4], "--out", "model"],
    ],
)
@pytest.mark.parametrize("sides", [("blank", "blank"), ("dev.en", "blank"), ("blank", "dev.fr")])
def test_a_development_set_without_words_is_refused(
    folder: Path, command: list[str], sides: tuple[str, str]
) -> None:
    (folder / "blank").write_text(" \n" * 30)
    before = contents(folder)
    message = run(folder, *command, "--dev-source", sides[0], "--dev-target", sides[1])
    assert message.startswith(
        "a development set of 0 sentences (and 30 without words) is too small"
    )
    assert contents(folder) == before


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("", "table: there are no rules"),
        ("\n \n", "table: there are no rules"),
        ("noun1 nom1\n", "table:1: this is no rule"),
        ("noun1 ||| nom1 ||| 0.5 0.5\nnoun2 ||| nom2 ||| 0.5\n", "table:2: 1 scores, but 2"),
        ("noun1 ||| nom1 ||| 0.5 inf\n", "table:1: a score of 'inf'"),
        ("noun1 ||| nom1 ||| 0.5 0.5 ||| 0-5\n", "table:1: the link '0-5' is outside the rule"),
        ("noun1 ||| n\udcffm ||| 0.5 0.5\n", "table:1: invalid UTF-8"),
    ],
)
def test_a_phrase_table_of_another_system_that_is_wrong_is_named_with_its_line(
    folder: Path, table: str, message: str
) -> None:
    (folder / "table").write_text(table, errors="surrogateescape")
    before = contents(folder / "model")
    told = run(
        folder, *TRAIN, "--system", "phrase", "--set", "extract.table=table", "--out", "model"
    )
    assert told.startswith(message)
    assert contents(folder / "model") == before


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (["translate", "model", "train.en", "--output", "/proc/x"], "/proc/x: No such file"),
        (["translate", "model", "train.en", "--output", "model"], "model: "),
        (["translate", "model", "train.en", "-q", "--output", "/dev/full"], "/dev/full: No space"),
        (["explain", "model", "noun1", "--output", "/proc/x"], "/proc/x: No such file"),
    ],
)
def test_an_output_that_cannot_be_written_is_named(
    folder: Path, command: list[str], message: str
) -> None:
    before = contents(folder)
    assert run(folder, *command).startswith(message)
    assert contents(folder) == before


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_killed_training_leaves_the_earlier_model(folder: Path, number: signal.Signals) -> None:
    earlier = contents(folder / "model")
    # So many climbs that it cannot end before the signal comes.
    endless = ["--tuner", "mert", "--set", "tune.mert.restarts=1000000"]
    endless += ["--set", "tune.mert.iterations=10"]
    command = [sys.executable, "-m", "demotic", *TRAIN, *endless, "--out", "model"]
    with subprocess.Popen(
        command,
        cwd=folder,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:
        try:
            while not (folder / "model.work" / "text.done").exists():
                assert process.poll() is None
                time.sleep(0.01)
            os.kill(process.pid, number)
            _, errors = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode != 0
    assert errors == b""
    assert contents(folder / "model") == earlier
    assert demotic.load(folder / "model").translate("noun1").text
