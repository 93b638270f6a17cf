"""The command as a user meets it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from demotic.cli import main; main()", "inspect", "--quiet"]
    command += map(str, arguments)
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_text_report(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("one two\nthree\n")
    done = run(tmp_path / "a")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == f"{tmp_path / 'a'}: plain text, 14 bytes"
    assert "  tokens: 3" in lines
    assert "  longest line: 1 (2 tokens)" in lines


def test_json_report_of_several_files(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("one two\nthree\n")
    (tmp_path / "b").write_text("0-0 1-1\n0-1\n")
    done = run(tmp_path / "a", tmp_path / "b", "--format", "json")
    assert done.returncode == 0, done.stderr
    first, second = json.loads(done.stdout)
    assert first["facts"]["lines"] == 2
    assert second["kind"] == "word alignment (Pharaoh)"
    assert second["facts"]["links"] == 3


def test_a_bad_file_is_named_and_the_others_are_still_reported(tmp_path: Path) -> None:
    (tmp_path / "good").write_text("fine\n")
    (tmp_path / "bad").write_bytes(bytes(500))
    done = run(tmp_path / "missing", tmp_path / "bad", tmp_path / "good")
    assert done.returncode == 1
    assert f"demotic: error: {tmp_path / 'missing'}: No such file" in done.stderr
    assert f"demotic: error: {tmp_path / 'bad'}: a binary file" in done.stderr
    assert f"{tmp_path / 'good'}: plain text" in done.stdout
    assert "Traceback" not in done.stderr


def test_problems_exit_with_one(tmp_path: Path) -> None:
    (tmp_path / "bad").write_bytes(b"fine\nnot f\xefne\n")
    done = run(tmp_path / "bad")
    assert done.returncode == 1
    assert "PROBLEM: invalid UTF-8 on 1 of the lines: line 2" in done.stdout


def test_errors_stand_in_the_json_as_well(tmp_path: Path) -> None:
    done = run(tmp_path / "missing", "--format", "json")
    assert done.returncode == 1
    (record,) = json.loads(done.stdout)
    assert "No such file" in record["error"]


def test_a_damaged_model_is_named(tmp_path: Path) -> None:
    (tmp_path / "lm.bin").write_bytes(b"DEMOTIC\0" + bytes(80))
    done = run(tmp_path / "lm.bin", "--verify")
    assert done.returncode == 1
    assert f"{tmp_path / 'lm.bin'}: damaged header (copy the file again" in done.stderr


def test_a_trained_model_is_described(toy_model: Path) -> None:
    done = run(toy_model, "--format", "json")
    assert done.returncode == 0, done.stderr
    (record,) = json.loads(done.stdout)
    assert record["kind"] == "translation model"
    assert record["facts"]["system"] == "hiero"
    text = run(toy_model).stdout
    assert "  rules.bin:\n    kind " in text
    assert "LanguageModel" in text


def test_help_has_examples() -> None:
    assert "demotic inspect memory.tmx" in run("--help").stdout
