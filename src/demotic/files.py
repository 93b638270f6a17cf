"""Files in and out: plain or gzip, ``-`` for the standard streams, nothing half-written.

Readers stream and say ``file:line`` when the text is bad.  Writers go to a temporary name beside
the target and are renamed when complete, so that a failure leaves what was there before.
"""

from __future__ import annotations

import codecs
import contextlib
import errno
import os
import sys
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePath
from typing import IO, BinaryIO, TextIO, cast

from demotic.errors import DemoticError, EncodingError, FileAccessError, FormatError

CHUNK = 1 << 20
LONGEST_LINE = 16 << 20
"""Bytes.  No line of text is as long; a small compressed file can hold one of gigabytes."""
MOST_BYTES = 256 << 20
"""Of a file that is read as a whole, once gzip is undone."""
_GZIP_MAGIC = b"\x1f\x8b"
_GZIP_MOST = 1032  # bytes that one byte can stand for
_MARKS = (_GZIP_MAGIC, codecs.BOM_UTF8)
_REMEDIES = {
    errno.ENOENT: "check the name",
    errno.EACCES: "check the permissions of the file and of its folder",
    errno.EISDIR: "name a file",
    errno.ENOTDIR: "check the name",
    errno.ENAMETOOLONG: "choose a shorter name",
    errno.EROFS: "write to another place",
    errno.ENOSPC: "free some space on the disk",
    errno.EDQUOT: "free some space on the disk",
    errno.EFBIG: "raise the limit on file sizes (ulimit -f)",
}


@contextlib.contextmanager
def naming(path: str | Path) -> Iterator[None]:
    """Add the file's name to errors that come up inside."""
    try:
        yield
    except DemoticError as error:
        error.at(path)
        raise
    except BrokenPipeError:  # `| head` has seen enough; the command line knows what to do
        raise
    except OSError as error:
        raise FileAccessError(
            error.strerror or str(error),
            path=error.filename2 or error.filename or path,  # the second is where a copy goes
            remedy=_REMEDIES.get(error.errno or 0, ""),
        ) from error


def _standard(stream: TextIO | None, name: str) -> BinaryIO:
    if stream is None:
        raise FileAccessError("is closed", path=f"standard {name}", remedy="name a file")
    return stream.buffer


def check_folder(path: Path) -> None:
    """Raise unless there is such a folder."""
    if not path.is_dir():
        raise FileAccessError("no such folder", path=path, remedy="create it first")


def read_bytes(path: str | Path) -> Iterator[bytes]:
    """The file's content in chunks, gzip undone whatever the file is called."""
    with naming(path), contextlib.ExitStack() as stack:
        if str(path) == "-":
            raw = _standard(sys.stdin, "input")
        else:
            raw = stack.enter_context(Path(path).open("rb"))
        # The first bytes are looked at and put back, since a pipe cannot be rewound.
        head = _first_bytes(raw)
        stream = cast(BinaryIO, _Prefixed(head, raw))
        if head.startswith(_GZIP_MAGIC):
            yield from _unzipped(stream, path)
        else:
            while chunk := stream.read(CHUNK):
                yield chunk


def most_bytes(path: str | Path) -> int | None:
    """No more than this is in the file once gzip is undone; None for pipes and the like."""
    if str(path) == "-" or not Path(path).is_file():
        return None
    with naming(path), Path(path).open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(0)
        return size * _GZIP_MOST if file.read(len(_GZIP_MAGIC)) == _GZIP_MAGIC else size


def read_whole(path: str | Path) -> bytes:
    """All of a file that must be in memory as a whole, gzip undone; refused if it is too large."""
    chunks, size = [], 0
    for chunk in read_bytes(path):
        size += len(chunk)
        if size > MOST_BYTES:
            raise FormatError(
                f"more than {MOST_BYTES >> 20} MB, which cannot be read as a whole",
                path=path,
                remedy="split it into several files",
            )
        chunks.append(chunk)
    return b"".join(chunks)


def check_length(size: int, path: str | Path, line: int) -> None:
    """Raise if so many bytes are too many for one line."""
    if size > LONGEST_LINE:
        raise FormatError(
            f"a line of more than {LONGEST_LINE:,} bytes",
            path=path,
            line=line,
            remedy="is it text, one sentence a line?",
        )


def _unzipped(stream: BinaryIO, path: str | Path) -> Iterator[bytes]:
    import gzip

    try:
        with gzip.GzipFile(fileobj=stream) as unpacked:
            while chunk := unpacked.read(CHUNK):
                yield chunk
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise FormatError(
            f"damaged gzip file: {error}", path=path, remedy="copy or compress it again"
        ) from error


def _first_bytes(raw: BinaryIO) -> bytes:
    """What is there to read, enough of it to tell gzip and a byte-order mark."""
    head = b""
    while more := raw.read1(CHUNK):  # type: ignore[attr-defined]
        head += more
        if not any(len(head) < len(mark) and mark.startswith(head) for mark in _MARKS):
            break
    return head


class _Prefixed:
    """A stream with a few bytes put back in front; it gives what is there and waits for no more."""

    def __init__(self, head: bytes, rest: BinaryIO) -> None:
        self._head = head
        self._rest = rest

    def read(self, size: int = -1) -> bytes:
        if not self._head:
            available: bytes = self._rest.read1(size)  # type: ignore[attr-defined]
            return available
        end = size if size >= 0 else len(self._head)
        head, self._head = self._head[:end], self._head[end:]
        return head


def read_text(path: str | Path) -> Iterator[bytes]:
    """Chunks of whole lines, checked to be UTF-8 text, each ending with a newline.

    A byte-order mark is dropped; a carriage return before a newline too.
    """
    line = 1
    rest: list[bytes] = []  # pieces of a line that has not ended yet
    held = 0  # bytes in them
    first = True
    for chunk in read_bytes(path):
        if first:
            chunk = chunk.removeprefix(codecs.BOM_UTF8)
            first = False
        cut = chunk.rfind(b"\n") + 1
        if cut == 0:
            _refuse_nul(chunk, path, line)  # at once, or a large binary file would fill the memory
            rest.append(chunk)
            held += len(chunk)
            check_length(held, path, line)
            continue
        block = b"".join([*rest, chunk[:cut]])
        rest, held = [chunk[cut:]], len(chunk) - cut
        yield _checked(block, path, line)
        line += block.count(b"\n")
    if last := b"".join(rest):
        yield _checked(last + b"\n", path, line)


def _refuse_nul(block: bytes, path: str | Path, first_line: int) -> None:
    if b"\0" in block:
        raise EncodingError(
            "a binary file, not text (it holds a NUL byte)",
            path=path,
            line=first_line + block.count(b"\n", 0, block.index(b"\0")),
            remedy="give a plain or gzip-compressed UTF-8 text file",
        )


def _checked(block: bytes, path: str | Path, first_line: int) -> bytes:
    _refuse_nul(block, path, first_line)
    try:
        block.decode("utf-8")
    except UnicodeDecodeError as error:
        line = first_line + block.count(b"\n", 0, error.start)
        raise EncodingError(
            f"invalid UTF-8 (byte 0x{block[error.start]:02x})",
            path=path,
            line=line,
            remedy="convert the file with iconv -t UTF-8",
        ) from None
    return block.replace(b"\r\n", b"\n") if b"\r" in block else block


def read_lines(path: str | Path) -> Iterator[str]:
    """The lines of a UTF-8 text, without their newlines."""
    for block in read_text(path):
        yield from block.decode("utf-8")[:-1].split("\n")


def read_sound_lines(path: str | Path) -> Iterator[str | None]:
    """The lines of a text, with None for each that is no UTF-8; binary files are refused."""
    for number, line in raw_lines(path):
        if number == 1:
            line = line.removeprefix(codecs.BOM_UTF8)
        yield _sound(line, path, number)


def raw_lines(path: str | Path) -> Iterator[tuple[int, bytes]]:
    """Numbered lines as they stand, good or bad."""
    rest: list[bytes] = []
    number, held = 1, 0
    for chunk in read_bytes(path):
        *whole, last = chunk.split(b"\n")
        for line in whole:
            yield number, b"".join([*rest, line])
            rest, held = [], 0
            number += 1
        rest.append(last)
        held += len(last)
        check_length(held, path, number)
    if any(rest):
        yield number, b"".join(rest)


def _sound(line: bytes, path: str | Path, number: int) -> str | None:
    _refuse_nul(line, path, number)
    try:
        return line.removesuffix(b"\r").decode("utf-8")
    except UnicodeDecodeError:
        return None


@contextlib.contextmanager
def atomic_path(path: str | Path) -> Iterator[Path]:
    """A temporary name beside ``path`` that takes its place when the block ends well."""
    target = Path(path)
    with naming(path):
        if str(path) == "-":
            raise FileAccessError(
                "a binary file cannot go to standard output", path=path, remedy="name a file"
            )
        if target.is_dir():
            raise FileAccessError("is a directory", path=path, remedy="name a file")
        if not target.parent.is_dir():
            raise FileAccessError(
                f"no such folder: {target.parent}", path=path, remedy="create the folder first"
            )
        if _is_device(target):
            yield target
            return
        if target.is_symlink():
            target = target.resolve()  # the link stays, what it points to is replaced
        import tempfile

        temporary: Path | None = None
        with speaking_of(path, target):
            try:
                prefix = temporary_prefix(target)
                handle, name = tempfile.mkstemp(prefix=prefix, dir=target.parent)
                temporary = Path(name)
                os.close(handle)
                yield temporary
                temporary.chmod(target.stat().st_mode if target.exists() else 0o666 & ~_umask())
                temporary.replace(target)
            finally:
                if temporary is not None:
                    temporary.unlink(missing_ok=True)


def temporary_prefix(target: Path) -> str:
    """How the names of temporary files and folders beside a target begin."""
    return f".{target.name}."


@contextlib.contextmanager
def speaking_of(path: str | Path, target: Path) -> Iterator[None]:
    """Errors about a temporary name beside ``target`` name what the user asked for, ``path``."""
    prefix = temporary_prefix(target)

    def is_temporary(name: str | None) -> bool:
        return any(part.startswith(prefix) for part in Path(name or "").parts)

    try:
        yield
    except OSError as error:
        if is_temporary(error.filename) or is_temporary(error.filename2):
            error.filename, error.filename2 = str(path), None
        raise
    except DemoticError as error:
        if is_temporary(error.path):
            error.path = str(path)
        raise


def _is_device(target: Path) -> bool:
    """Whether it is written in place: /dev/stdout or a named pipe cannot be replaced."""
    if not target.exists():
        return False
    # What is behind /dev/stdout may well be a file, to which others append.
    stream = any(map(target.is_relative_to, ("/dev", "/proc")))
    return not target.is_file() or (stream and not target.is_relative_to("/dev/shm"))


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


@contextlib.contextmanager
def write_bytes(path: str | Path) -> Iterator[IO[bytes]]:
    """A binary stream that replaces ``path`` when complete; ``.gz`` compresses, ``-`` is stdout."""
    if str(path) == "-":
        with naming("standard output"):
            stream = _standard(sys.stdout, "output")
            yield stream
            stream.flush()
        return
    with atomic_path(path) as temporary, temporary.open("wb") as raw:
        if str(path).endswith(".gz"):
            import gzip

            # No name and no time in the header: the same text gives the same bytes.
            with gzip.GzipFile(
                filename="", mode="wb", fileobj=raw, compresslevel=6, mtime=0
            ) as out:
                yield cast(IO[bytes], out)
        else:
            yield raw


def write_lines(path: str | Path, lines: Iterable[str]) -> int:
    """Write lines, each with a newline; the number written."""
    count = 0
    with write_bytes(path) as out:
        for line in lines:
            out.write(line.encode("utf-8"))
            out.write(b"\n")
            count += 1
    return count


@contextlib.contextmanager
def atomic_folder(path: str | Path) -> Iterator[Path]:
    """A temporary folder that takes the place of ``path`` when the block ends well."""
    import shutil
    import tempfile

    target = Path(path)
    if target.is_symlink():
        target = target.resolve()  # the link stays, what it points to is replaced
    prefix = temporary_prefix(target)
    with naming(path), speaking_of(path, target):
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(prefix=prefix, dir=target.parent))
        try:
            yield temporary
            temporary.chmod(0o777 & ~_umask())
            if target.is_dir():
                if not _exchanged(temporary, target):
                    _replace_folder(temporary, target)
            else:
                temporary.replace(target)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)


def _exchanged(one: Path, other: Path) -> bool:
    """Swap two names at once, so that whoever is killed leaves something whole under each; False
    where the system or the disk cannot."""
    import ctypes

    try:
        swap = ctypes.CDLL(None).renameat2
    except (OSError, AttributeError):
        return False
    here, exchange = -100, 2  # AT_FDCWD, RENAME_EXCHANGE
    return bool(swap(here, os.fsencode(one), here, os.fsencode(other), exchange) == 0)


def _replace_folder(temporary: Path, target: Path) -> None:
    """In two steps; between them there is nothing at the target's place."""
    import shutil
    import tempfile

    old = Path(tempfile.mkdtemp(prefix=temporary_prefix(target), dir=target.parent))
    target.replace(old)
    try:
        temporary.replace(target)
    except OSError:
        old.replace(target)
        raise
    shutil.rmtree(old, ignore_errors=True)


_SHOWN = 3  # parts of a path


def place_of(file: str, unit: str) -> str:
    """A place in a file for people: the end of its path, and the unit.

    >>> place_of("projects/site/locale/de/django.po", "12")
    '…/locale/de/django.po:12'
    """
    parts = PurePath(file).parts
    short = file if len(parts) <= _SHOWN else "/".join(["…", *parts[-_SHOWN:]])
    return f"{short}:{unit}" if short else unit
