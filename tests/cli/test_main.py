"""What every command has in common: exit codes, and output that cannot be written."""

from __future__ import annotations

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
