"""What fuzzing found stays mended; a few inputs are tried each time, many by ``make fuzz``."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fuzz import guard
from tests.fuzz.mutating import mutant
from tests.fuzz.readers import Reader, folder, readers

ROOT = Path(__file__).parents[2]
FOUND = sorted(path for path in (Path(__file__).parent / "found").rglob("*") if path.is_file())
INPUTS = 60


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


@pytest.mark.parametrize("path", FOUND, ids=lambda path: f"{path.parent.name}: {path.name}")
def test_what_was_found_once_is_read_or_refused(path: Path) -> None:
    readers()[path.parent.name](path.read_bytes())


@pytest.mark.parametrize("name", list(readers()))
def test_seeds_are_read(name: str) -> None:
    """Or mutants would be refused for what is wrong with the seed."""
    reader = readers()[name]
    for number, seed in enumerate(reader.seeds):
        path = folder() / f"{number}-{reader.file}"
        path.write_bytes(seed)
        reader.read(path)


@pytest.mark.parametrize("name", list(readers()))
def test_changed_input_is_read_or_refused(name: str) -> None:
    reader = readers()[name]
    for number in range(INPUTS):
        reader(mutant(reader.seeds, random.Random(f"{name} {number}")))


def test_the_same_seed_gives_the_same_inputs() -> None:
    def drawn(seed: int) -> list[bytes]:
        return [mutant([b"abc", b"def"], random.Random(f"{seed} {n}")) for n in range(20)]

    assert drawn(1) == drawn(1) != drawn(2)


def test_what_a_reader_cannot_take_is_kept(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    def fail(path: Path) -> None:
        raise ZeroDivisionError(path.name)

    assert not guard.passes("bad", Reader("a", [b""], fail), b"content", tmp_path)
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"content"]
    assert "ZeroDivisionError: a" in capfd.readouterr().err
    assert guard.passes("good", Reader("a", [b""], lambda path: None), b"content", tmp_path)


def test_the_command_counts_inputs(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.fuzz", "--seconds", "0.1", "--out", str(tmp_path)]

    def run(name: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*command, name], cwd=ROOT, capture_output=True, text=True, check=False
        )

    done = run("weights")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("weights ")
    assert run("none").returncode == 1


def test_the_ledger_goes_on_until_there_are_enough(tmp_path: Path) -> None:
    ledger = tmp_path / "ledger.json"
    command = [sys.executable, "-m", "tests.fuzz", "--seconds", "5", "--out", str(tmp_path)]
    command += ["--ledger", str(ledger), "weights"]

    def run(*options: str) -> tuple[str, str]:
        done = subprocess.run(
            [*command, *options], cwd=ROOT, capture_output=True, text=True, check=True
        )
        return done.stdout, ledger.with_suffix(".md").read_text()

    said, table = run("--inputs", "100")
    assert "100 inputs" in said
    assert "| weights | 100 |" in table
    said, table = run("--inputs", "250", "--seed", "2")
    assert "150 inputs" in said
    assert "| weights | 250 |" in table
    assert run("--inputs", "250") == ("", table)
