"""Files: nothing misread, nothing half-written, and every fault named with its place."""

from __future__ import annotations

import errno
import gzip
import io
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demotic import files
from demotic.errors import EncodingError, FileAccessError, FormatError

LONG = files.CHUNK + 3


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "file"


# -- reading ----------------------------------------------------------------------------------


@given(st.lists(st.text(st.characters(exclude_characters="\n\r\0", codec="utf-8")), min_size=1))
def test_lines_survive_writing_and_reading(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str]
) -> None:
    for name in ("plain", "packed.gz"):
        target = tmp_path_factory.getbasetemp() / name
        assert files.write_lines(target, lines) == len(lines)
        expected = [lines[0].removeprefix("\ufeff"), *lines[1:]]
        assert list(files.read_lines(target)) == expected


def test_gzip_is_found_by_content_not_by_name(path: Path) -> None:
    path.write_bytes(gzip.compress(b"one\n") + gzip.compress(b"two\n"))
    assert list(files.read_lines(path)) == ["one", "two"]
    named = path.with_suffix(".gz")
    named.write_bytes(b"not packed\n")
    assert list(files.read_lines(named)) == ["not packed"]


@pytest.mark.parametrize("content", [b"", b"x", b"\x1f", b"\n", b"xy"])
def test_very_short_files(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    assert b"".join(files.read_bytes(path)) == content


def test_byte_order_mark_and_carriage_returns_are_dropped(path: Path) -> None:
    path.write_bytes(b"\xef\xbb\xbfone\r\ntwo\rmiddle\n\xef\xbb\xbfthree\r\n")
    assert list(files.read_lines(path)) == ["one", "two\rmiddle", "\ufeffthree"]


def test_only_newlines_end_lines(path: Path) -> None:
    path.write_text("a\u2028b\x0bc\x85d\n\ne", newline="")
    assert list(files.read_lines(path)) == ["a\u2028b\x0bc\x85d", "", "e"]


def test_text_comes_in_chunks_of_whole_lines(path: Path) -> None:
    text = b"".join(b"line %d\n" % number for number in range(400_000))
    path.write_bytes(text)
    chunks = list(files.read_text(path))
    assert len(chunks) > 1
    assert all(chunk.endswith(b"\n") for chunk in chunks)
    assert b"".join(chunks) == text


def test_a_line_longer_than_several_chunks(path: Path) -> None:
    path.write_bytes(b"a\n" + b"x" * (3 * LONG) + b"\nb")
    assert [len(line) for line in files.read_lines(path)] == [1, 3 * LONG, 1]


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("before", [0, 1, 7, 300_000])
@pytest.mark.parametrize(
    ("bad", "message"),
    [(b"\xff", "byte 0xff"), (b"\xc3", "byte 0xc3"), (b"\xed\xa0\x80", "0xed"), (b"\0", "NUL")],
)
def test_bad_bytes_are_named_with_their_line(
    path: Path, packed: bool, before: int, bad: bytes, message: str
) -> None:
    content = "größer\n".encode() * before + b"then " + bad + b"\nfine\n"
    path.write_bytes(gzip.compress(content, 1) if packed else content)
    with pytest.raises(EncodingError, match=message) as error:
        list(files.read_text(path))
    assert (error.value.path, error.value.line) == (str(path), before + 1)


@pytest.mark.parametrize("shift", range(-2, 3))
def test_characters_across_a_chunk_border_are_whole(path: Path, shift: int) -> None:
    line = "x" * (files.CHUNK - 1 + shift) + "ü€😀"
    path.write_text(line + "\n" + line)
    assert list(files.read_lines(path)) == [line, line]


def test_a_character_cut_off_at_the_end_is_bad(path: Path) -> None:
    path.write_bytes(b"fine\ncut \xe2\x82")
    with pytest.raises(EncodingError) as error:
        list(files.read_text(path))
    assert error.value.line == 2


def test_a_binary_file_without_newlines_is_refused_at_once(path: Path) -> None:
    class Endless(io.RawIOBase):
        def readinto(self, buffer: object) -> int:
            return len(buffer)  # type: ignore[arg-type]

        def readable(self) -> bool:
            return True

    stdin = sys.stdin
    sys.stdin = io.TextIOWrapper(io.BufferedReader(Endless()))
    try:
        with pytest.raises(EncodingError, match="NUL"):
            list(files.read_text("-"))
    finally:
        sys.stdin = stdin


@pytest.mark.parametrize("read", [files.read_lines, files.read_sound_lines, files.raw_lines])
@pytest.mark.parametrize("packed", [False, True])
def test_a_line_without_end_is_refused_soon(
    path: Path,
    monkeypatch: pytest.MonkeyPatch,
    read: Callable[[Path], Iterator[object]],
    packed: bool,
) -> None:
    monkeypatch.setattr(files, "LONGEST_LINE", 1000)
    monkeypatch.setattr(files, "CHUNK", 100)
    text = b"one\n" + b"x" * 50_000
    path.write_bytes(gzip.compress(text) if packed else text)
    lines = read(path)
    next(lines)
    chunks = list(files.read_bytes(path))
    seen = []

    def few(_: Path) -> Iterator[bytes]:
        for chunk in chunks:
            seen.append(chunk)
            yield chunk

    monkeypatch.setattr(files, "read_bytes", few)
    with pytest.raises(FormatError, match=r"more than 1,000 bytes") as caught:
        list(read(path))
    assert caught.value.line == 2
    assert sum(map(len, seen)) < 1000 + 2 * max(map(len, chunks))


def test_a_file_that_must_be_in_memory_is_refused_when_it_is_too_large(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "MOST_BYTES", 3000)
    path.write_bytes(gzip.compress(bytes(3000)))
    assert files.read_whole(path) == bytes(3000)
    path.write_bytes(gzip.compress(bytes(3001)))
    with pytest.raises(FormatError, match="split it"):
        files.read_whole(path)


@pytest.mark.parametrize("size", [2, 3, 12, 40, -1])
def test_truncated_gzip_is_damage(path: Path, size: int) -> None:
    path.write_bytes(gzip.compress(os.urandom(200))[:size])
    with pytest.raises(FormatError, match="damaged gzip") as error:
        list(files.read_bytes(path))
    assert error.value.path == str(path)


def test_changed_gzip_is_damage(path: Path) -> None:
    packed = bytearray(gzip.compress(b"some text\n" * 100))
    packed[-6] ^= 1
    path.write_bytes(packed)
    with pytest.raises(FormatError, match="damaged gzip"):
        list(files.read_bytes(path))


def test_missing_files_and_folders(tmp_path: Path) -> None:
    with pytest.raises(FileAccessError, match="No such file") as error:
        list(files.read_lines(tmp_path / "missing"))
    assert error.value.path == str(tmp_path / "missing")
    with pytest.raises(FileAccessError, match="directory"):
        list(files.read_lines(tmp_path))


@pytest.mark.parametrize("packed", [False, True])
def test_standard_streams(packed: bool) -> None:
    text = b"one\ntwo\n"
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "from demotic import files; files.write_lines('-', files.read_lines('-'))",
        ],
        input=gzip.compress(text) if packed else text,
        capture_output=True,
        check=True,
    )
    assert done.stdout == text


# -- writing ----------------------------------------------------------------------------------


def test_a_failure_leaves_the_earlier_file_and_nothing_else(path: Path) -> None:
    path.write_text("earlier\n")

    def lines() -> Iterator[str]:
        yield "new"
        raise KeyboardInterrupt

    for name in (path, path.with_suffix(".gz")):
        with pytest.raises(KeyboardInterrupt):
            files.write_lines(name, lines())
    assert path.read_text() == "earlier\n"
    assert list(path.parent.iterdir()) == [path]


def test_the_target_appears_only_when_complete(path: Path) -> None:
    with files.write_bytes(path) as out:
        out.write(b"x")
        assert not path.exists()
    assert path.read_bytes() == b"x"


def test_mode_is_kept_or_follows_the_umask(path: Path) -> None:
    before = os.umask(0o027)
    try:
        files.write_lines(path, ["a"])
    finally:
        os.umask(before)
    assert path.stat().st_mode & 0o777 == 0o640
    path.chmod(0o604)
    files.write_lines(path, ["b"])
    assert path.stat().st_mode & 0o777 == 0o604


def test_a_link_stays_and_its_target_is_replaced(path: Path) -> None:
    folder = path.parent / "folder"
    folder.mkdir()
    (folder / "real").write_text("old\n")
    path.symlink_to(folder / "real")
    files.write_lines(path, ["new"])
    assert path.is_symlink()
    assert (folder / "real").read_text() == "new\n"


def test_the_same_text_gives_the_same_gzip_bytes(tmp_path: Path) -> None:
    files.write_lines(tmp_path / "a.gz", ["x"] * 100)
    files.write_lines(tmp_path / "b.gz", ["x"] * 100)
    assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.gz").read_bytes()


def test_unwritable_places_are_named(tmp_path: Path) -> None:
    cases = {
        tmp_path: "is a directory",
        tmp_path / "no" / "file": "no such folder",
        tmp_path / ("n" * 300): "too long",
        # Not even root may create a file there.
        Path("/proc/self/nothing"): "",
    }
    for target, message in cases.items():
        with pytest.raises(FileAccessError) as error:
            files.write_lines(target, ["x"])
        assert message in str(error.value)
        assert error.value.path == str(target)  # not the name of a temporary file
    assert list(tmp_path.iterdir()) == []


def test_binary_files_do_not_go_to_standard_output() -> None:
    with pytest.raises(FileAccessError, match="standard output"), files.atomic_path("-"):
        pass
    assert not Path("-").exists()


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="no /dev/fd")
def test_a_file_behind_a_descriptor_is_written_in_place(path: Path) -> None:
    path.write_text("earlier\n")
    with path.open("ab") as stream:
        number = path.stat().st_ino
        files.write_lines(f"/dev/fd/{stream.fileno()}", ["x"])
    assert path.stat().st_ino == number


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_a_full_device_is_an_error() -> None:
    with pytest.raises(FileAccessError, match="No space left") as error:
        files.write_lines("/dev/full", ["x"] * 100_000)
    assert error.value.path == "/dev/full"
    assert not Path("/dev/full").is_file()


def test_a_disk_that_fills_up_leaves_the_earlier_file(path: Path) -> None:
    path.write_text("earlier\n")
    program = (
        "import resource, signal, sys\n"
        "from demotic import files\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))\n"
        "files.write_lines(sys.argv[1], ['x' * 100] * 10_000)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=False
    )
    assert f"FileAccessError: {path}: File too large" in done.stderr
    assert path.read_text() == "earlier\n"
    assert list(path.parent.iterdir()) == [path]


def test_a_closed_pipe_is_not_an_error_of_the_file() -> None:
    program = "from demotic import files; files.write_lines('-', ['x' * 100] * 100_000)"
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(10)
        process.stdout.close()
        assert b"BrokenPipeError" in process.stderr.read()


# -- folders ----------------------------------------------------------------------------------


def test_a_folder_is_replaced_as_a_whole(tmp_path: Path) -> None:
    target = tmp_path / "deep" / "model"
    for name in ("old", "new"):
        with files.atomic_folder(target) as folder:
            (folder / name).write_text(name)
    assert [entry.name for entry in target.iterdir()] == ["new"]
    assert list(target.parent.iterdir()) == [target]


def test_a_failure_leaves_the_earlier_folder(tmp_path: Path) -> None:
    target = tmp_path / "model"
    with files.atomic_folder(target) as folder:
        (folder / "part").write_text("old")

    def fail() -> None:
        with files.atomic_folder(target) as folder:
            (folder / "part").write_text("new")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert (target / "part").read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


KILLED = """
import os, signal, sys
from pathlib import Path
from demotic import files

target = Path(sys.argv[1])
with files.atomic_folder(target) as folder:
    (folder / "part").write_text("old")
status, change = 1, 0
while status:
    change += 1
    if (child := os.fork()) == 0:
        left = change
        def die(event, arguments):
            global left
            left -= event in ("open", "os.rename", "os.rmdir", "os.remove", "ctypes.dlsym")
            if not left:
                os.kill(os.getpid(), signal.SIGKILL)
        sys.addaudithook(die)
        with files.atomic_folder(target) as folder:
            (folder / "part").write_text("new")
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    print((target / "part").read_text())
"""


def test_whoever_is_killed_leaves_one_of_both_folders(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(tmp_path / "model")],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    found = done.stdout.split()
    assert len(found) > 4
    assert found == sorted(found, reverse=True)
    assert set(found) == {"old", "new"}


def test_where_names_cannot_be_swapped_a_folder_is_replaced_in_two_steps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "_exchanged", lambda one, other: False)
    test_a_folder_is_replaced_as_a_whole(tmp_path)


def test_a_link_to_a_folder_stays(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("folder")
    with files.atomic_folder(tmp_path / "link") as folder:
        (folder / "part").write_text("new")
    assert (tmp_path / "folder" / "part").read_text() == "new"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder", "link"]


def test_errors_name_what_was_asked_for_not_the_temporary_folder(tmp_path: Path) -> None:
    (tmp_path / "source").write_text("x")
    target = tmp_path / "target"
    with pytest.raises(FileAccessError) as caught, files.atomic_folder(target) as folder:
        raise OSError(
            errno.ENOSPC, "No space left", str(tmp_path / "source"), None, str(folder / "x")
        )
    assert caught.value.path == str(target)


def test_a_folder_does_not_replace_a_file(path: Path) -> None:
    path.write_text("precious")

    def replace() -> None:
        with files.atomic_folder(path):
            pass

    with pytest.raises(FileAccessError):
        replace()
    assert path.read_text() == "precious"
    assert list(path.parent.iterdir()) == [path]
