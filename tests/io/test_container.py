"""Binary parts: what is written is read, and what was damaged or forged is refused."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demotic import _core
from demotic.errors import ArgumentError, CorruptFileError, FileAccessError, FormatError
from tests.oracles import container as layout

ROOM = 64 + 80 * 48
SECTIONS = {b"words": b"some bytes", b"empty": b"", b"numbers": bytes(range(256)) * 3}


def write(path: Path, sections: dict[bytes, bytes], pieces: int = 1) -> None:
    out = _core.ContainerWriter(str(path), "test", 7)
    for name, content in sections.items():
        out.begin(name.decode())
        step = max(1, len(content) // pieces)
        for begin in range(0, len(content), step):
            out.write(content[begin : begin + step])
    out.finish()


@pytest.fixture
def good(tmp_path: Path) -> Path:
    path = tmp_path / "good"
    write(path, SECTIONS)
    return path


def test_what_is_written_is_read(good: Path) -> None:
    part = _core.Container(str(good))
    part.verify()
    assert (part.kind, part.version, part.file_size) == ("test", 7, good.stat().st_size)
    assert part.sections == [(name.decode(), len(content)) for name, content in SECTIONS.items()]
    assert {name: part.section(name) for name, _ in part.sections} == {
        name.decode(): content for name, content in SECTIONS.items()
    }
    assert _core.Container(str(good), "test", 7).kind == "test"


def test_bytes_equal_the_documented_layout(good: Path, tmp_path: Path) -> None:
    assert good.read_bytes() == layout.container(b"test", 7, SECTIONS)
    write(tmp_path / "none", {})
    assert (tmp_path / "none").read_bytes() == layout.container(b"test", 7, {})


@pytest.mark.parametrize("size", [layout.BLOCK - 1, layout.BLOCK, 2 * layout.BLOCK + 65])
def test_sections_beyond_a_block_do_not_depend_on_how_they_are_written(
    tmp_path: Path, size: int
) -> None:
    content = os.urandom(997) * (size // 997 + 1)
    sections = {b"large": content[:size]}
    for pieces in (1, 3, 50):
        write(tmp_path / str(pieces), sections, pieces)
        _core.Container(str(tmp_path / str(pieces))).verify()
    assert (tmp_path / "3").read_bytes() == (tmp_path / "1").read_bytes()
    assert (tmp_path / "50").read_bytes() == (tmp_path / "1").read_bytes()
    if size < layout.BLOCK:
        assert (tmp_path / "1").read_bytes() == layout.container(b"test", 7, sections)


def test_every_truncation_is_refused(good: Path, tmp_path: Path) -> None:
    whole = good.read_bytes()
    cut = tmp_path / "cut"
    for size in [*range(0, 130), *range(130, len(whole), 97), len(whole) - 1]:
        cut.write_bytes(whole[:size])
        with pytest.raises((CorruptFileError, FormatError)):
            _core.Container(str(cut))
    cut.write_bytes(whole + b"\0")
    with pytest.raises(CorruptFileError, match="longer"):
        _core.Container(str(cut))


def test_a_flip_of_any_bit_is_found(good: Path, tmp_path: Path) -> None:
    whole = good.read_bytes()
    changed = tmp_path / "changed"
    used = [*range(64 + 3 * 48), *range(ROOM, len(whole))]
    for at in sorted({*used, *range(0, len(whole), 37)}):  # of the reserved room, some bytes
        content = bytearray(whole)
        content[at] ^= 1 << at % 8
        changed.write_bytes(content)
        with pytest.raises((CorruptFileError, FormatError)):
            _core.Container(str(changed)).verify()


@given(noise=st.binary(max_size=300), keep=st.integers(0, 300))
def test_noise_is_refused(
    noise: bytes, keep: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.getbasetemp() / "noise"
    path.write_bytes(layout.container(b"test", 7, SECTIONS)[:keep] + noise)
    with pytest.raises((CorruptFileError, FormatError)):
        _core.Container(str(path))


HOSTILE = {
    "more sections than the table holds": (b"test", 81, layout.entry(b"a", ROOM, 0) * 81, 0),
    "four thousand million sections": (b"test", 2**32 - 1, b"", 0),
    "a section that ends outside": (b"test", 1, layout.entry(b"a", ROOM, 129), 0),
    "a section that begins outside": (b"test", 1, layout.entry(b"a", ROOM + 192, 0), 0),
    "an offset near 2^64": (b"test", 1, layout.entry(b"a", 2**64 - 64, 128), 0),
    "a size near 2^64": (b"test", 1, layout.entry(b"a", ROOM, 2**64 - 1), 0),
    "a section inside the header": (b"test", 1, layout.entry(b"a", 0, 64), 0),
    "sections that overlap": (b"test", 2, layout.entry(b"a", ROOM, 128) * 2, 0),
    "an offset that is not aligned": (b"test", 1, layout.entry(b"a", ROOM + 4, 8), 0),
    "a name without an end": (b"test", 1, layout.entry(b"a" * 24, ROOM, 8), 0),
    "a name that is not text": (b"test", 1, layout.entry(b"\xff\xfe", ROOM, 8), 0),
    "no name": (b"test", 1, layout.entry(b"", ROOM, 8), 0),
    "a kind that is not text": (b"\x1b[2J", 0, b"", 0),
    "no kind": (b"", 0, b"", 0),
    "something in the unused field": (b"test", 0, b"", 1),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_forged_headers_with_right_checksums_are_refused(case: str, tmp_path: Path) -> None:
    kind, sections, table, unused = HOSTILE[case]
    path = tmp_path / "forged"
    size = ROOM + 128
    head = layout.header(kind, 7, sections, size, table, unused) + table
    path.write_bytes(head.ljust(size, b"\0")[:size])
    with pytest.raises(CorruptFileError):
        _core.Container(str(path))


def test_the_forger_is_able_to_make_good_files(tmp_path: Path) -> None:
    table = layout.entry(b"a", ROOM, 128, layout.section_check(bytes(128)))
    head = layout.header(b"test", 7, 1, ROOM + 128, table) + table
    (tmp_path / "fine").write_bytes(head.ljust(ROOM + 128, b"\0"))
    _core.Container(str(tmp_path / "fine")).verify()


def test_other_kinds_and_versions_are_refused_by_name(good: Path) -> None:
    with pytest.raises(FormatError, match="holds 'test', expected 'lm'"):
        _core.Container(str(good), "lm", 7)
    with pytest.raises(FormatError, match="newer") as newer:
        _core.Container(str(good), "test", 6)
    assert "upgrade" in newer.value.remedy
    with pytest.raises(FormatError, match="no longer read"):
        _core.Container(str(good), "test", 8)


def test_a_missing_section_is_named(good: Path) -> None:
    with pytest.raises(CorruptFileError, match="'scores' is missing"):
        _core.Container(str(good)).section("scores")


@pytest.mark.parametrize("content", [b"", b"DEMO", b"plain text, and quite a lot of it" * 9])
def test_other_files_are_not_ours(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "other").write_bytes(content)
    with pytest.raises(FormatError, match="not a Demotic binary file"):
        _core.Container(str(tmp_path / "other"))


def test_files_that_cannot_be_opened(tmp_path: Path) -> None:
    with pytest.raises(FileAccessError, match="No such file"):
        _core.Container(str(tmp_path / "missing"))
    with pytest.raises(FileAccessError, match="not a regular file"):
        _core.Container(str(tmp_path))
    with pytest.raises(FileAccessError, match="cannot write"):
        _core.ContainerWriter(str(tmp_path / "no" / "folder"), "test", 1)


@pytest.mark.parametrize("name", ["", "x" * 24, "two words", "zero\0", "naïve"])
def test_bad_names_are_not_written(tmp_path: Path, name: str) -> None:
    out = _core.ContainerWriter(str(tmp_path / "x"), "test", 1)
    with pytest.raises(ArgumentError):
        out.begin(name)
    with pytest.raises(ArgumentError):
        _core.ContainerWriter(str(tmp_path / "y"), name, 1)


def test_calls_out_of_order_are_refused(tmp_path: Path) -> None:
    out = _core.ContainerWriter(str(tmp_path / "x"), "test", 1)
    with pytest.raises(ArgumentError, match="no section"):
        out.write(b"x")
    out.finish()
    with pytest.raises(ArgumentError, match="complete"):
        out.begin("late")
    with pytest.raises(ArgumentError, match="complete"):
        out.finish()


def test_a_full_disk_is_an_error() -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full")
    with pytest.raises(FileAccessError, match="No space left"):
        write(Path("/dev/full"), {b"large": bytes(1_000_000)}, pieces=9)


def test_a_file_size_limit_is_an_error(tmp_path: Path) -> None:
    program = (
        "import signal, sys\n"
        "from demotic._core import ContainerWriter\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "out = ContainerWriter(sys.argv[1], 'test', 1)\n"
        "out.begin('large')\n"
        "out.write(bytes(1 << 20))\n"
        "out.finish()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "x")],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "FileAccessError: cannot write: File too large" in done.stderr
