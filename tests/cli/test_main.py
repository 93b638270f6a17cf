"""What every command has in common: exit codes, and output that cannot be written."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

COMMAND = [sys.executable, "-c", "from demotic.cli import main; main()"]


def test_version_and_help() -> None:
    done = subprocess.run([*COMMAND, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("demotic ")
    done = subprocess.run([*COMMAND, "--help"], capture_output=True, text=True, check=True)
    for name in ("align", "lm", "evaluate", "inspect", "demo"):
        assert name in done.stdout


def test_help_and_import_leave_the_library_alone() -> None:
    program = "import sys; sys.argv = ['demotic', '--help']; from demotic.cli import main; main()"
    listed = f"import atexit, sys; atexit.register(lambda: print(*sys.modules)); {program}"
    done = subprocess.run(
        [sys.executable, "-c", listed], capture_output=True, text=True, check=True
    )
    loaded = set(done.stdout.split())
    assert {"demotic", "demotic.cli.align"} <= loaded
    assert not loaded & {"demotic._core", "demotic.corpus", "demotic.align", "numpy", "regex"}


def test_the_package_gives_its_names_on_demand() -> None:
    import demotic

    assert set(demotic.__all__) <= set(dir(demotic))
    for name in demotic.__all__:
        assert getattr(demotic, name) is not None
    with pytest.raises(AttributeError, match="no_such_name"):
        demotic.no_such_name  # noqa: B018


def test_an_unknown_command_is_wrong_usage() -> None:
    done = subprocess.run([*COMMAND, "trnaslate"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_a_full_disk_behind_standard_output_is_a_failure(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("one\n")
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [*COMMAND, "inspect", str(tmp_path / "text")],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 1
    assert done.stderr == ("demotic: error: output: no space left on the disk (free some space)\n")


CLOSED = "import os, sys; os.close(int(sys.argv[1])); os.execv(sys.argv[2], sys.argv[2:])"


def with_closed(stream: int, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", CLOSED, str(stream), *COMMAND, *arguments],
        capture_output=True,
        text=True,
        check=False,
    )


def test_closed_standard_streams_are_errors_of_ours(tmp_path: Path, toy_model: Path) -> None:
    (tmp_path / "text").write_text("one\n")
    text = str(tmp_path / "text")
    for stream, said, arguments in (
        (0, "standard input: is closed (name a file", ["translate", str(toy_model)]),
        (0, "standard input: is closed (name a file", ["translate", str(toy_model), "-"]),
        (1, "standard output: is closed (redirect it", ["translate", str(toy_model), text]),
        (1, "standard output: is closed (redirect it", ["inspect", text]),
        (1, "standard output: is closed (redirect it", ["explain", str(toy_model), "noun1"]),
        (1, "standard output: is closed (redirect it", ["--version"]),
        (1, "standard output: is closed (redirect it", ["--help"]),
    ):
        done = with_closed(stream, *arguments)
        assert done.returncode == 1, arguments
        assert done.stderr.startswith(f"demotic: error: {said}"), done.stderr
        assert done.stdout == ""


def test_without_a_stream_for_errors_the_rest_is_as_ever(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("one\n")
    done = with_closed(2, "inspect", str(tmp_path / "text"))
    assert done.returncode == 0
    assert done.stdout.startswith(str(tmp_path / "text"))
    assert with_closed(2, "inspect", str(tmp_path / "none")).returncode == 1
    assert (tmp_path / "text").read_text() == "one\n"


def test_what_files_say_does_not_command_the_terminal(tmp_path: Path, toy_model: Path) -> None:
    for field in ("system", "source_language"):
        model = tmp_path / field
        shutil.copytree(toy_model, model)
        record = json.loads((model / "model.json").read_text())
        del record["sha256"]
        record[field] = "\x1b]0;title\x07\x9b2J\u202e\ud800"
        (model / "model.json").write_text(json.dumps(record))
    named = tmp_path / "\x1b[2J"
    named.write_text("<<\x9b2J")
    explained = "noun1 \x1b[2J \u202enoun2 \x9b2J"
    for arguments in (
        ["inspect", str(tmp_path / "system"), str(tmp_path / "source_language"), str(named)],
        ["inspect", str(tmp_path / "source_language"), "--format", "json"],
        ["translate", str(tmp_path / "system"), str(named)],
        ["translate", str(named), str(named)],
        ["explain", str(toy_model), explained],
        ["explain", str(toy_model), explained, "--format", "json"],
    ):
        done = subprocess.run([*COMMAND, *arguments], capture_output=True, check=False)
        both = (done.stdout + done.stderr).decode()  # surrogates would fail here
        assert both
        assert "Traceback" not in both, both
        assert not {"\x1b", "\x07", "\x9b", "\u202e"} & set(both), both


def test_half_characters_of_the_command_line_are_an_error_of_ours(toy_model: Path) -> None:
    done = subprocess.run(
        [*COMMAND, "explain", str(toy_model), b"a \xff b"], capture_output=True, check=False
    )
    assert done.returncode == 1
    assert b"half of a character" in done.stderr


def test_a_reader_that_has_seen_enough_causes_no_complaint(tmp_path: Path) -> None:
    for number in range(300):
        (tmp_path / f"{number:03}").write_text("one\n" * 50)
    with subprocess.Popen(
        [*COMMAND, "inspect", *map(str, sorted(tmp_path.iterdir()))],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
