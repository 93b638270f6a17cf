from __future__ import annotations

import gzip
import os
import threading
from pathlib import Path

import pytest

from demotic.align.text import Text, check_parallel
from demotic.errors import EncodingError, FileAccessError, FormatError


@pytest.mark.parametrize("packed", [False, True])
def test_a_file_reads_the_same_as_often_as_needed(tmp_path: Path, packed: bool) -> None:
    content = b"das  Haus\r\n\nein Buch"
    path = tmp_path / "text"
    path.write_bytes(gzip.compress(content) if packed else content)
    text = Text.read(path)
    assert b"".join(text.chunks()) == b"".join(text.chunks()) == b"das  Haus\n\nein Buch\n"
    assert len(text) == len(text.lines) == 3
    assert list(text.sentences()) == [["das", "Haus"], [], ["ein", "Buch"]]


def test_sentences_at_hand_stay_one_line_each() -> None:
    text = Text.of(f"line {n}\nof two" for n in range(20_000))
    assert len(text) == len(text.lines) == 20_000
    assert text.sentence(19_999) == ["line", "19999", "of", "two"]
    assert len(list(text.chunks())) > 1


def test_a_pipe_is_read_once_and_kept(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=("a b\nc\n",))
    writer.start()
    text = Text.read(pipe)
    writer.join()
    assert len(text) == 2
    assert list(text.sentences()) == [["a", "b"], ["c"]]


def test_unequal_line_counts_name_the_shorter_file(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("1\n2\n")
    with pytest.raises(FormatError, match="a:3: ends after 2 lines, but the text has 3"):
        check_parallel(Text.of("xyz"), Text.read(tmp_path / "a"))
    with pytest.raises(FormatError, match="no sentences"):
        check_parallel(Text.of([]), Text.of([]))


def test_what_is_no_text_is_refused_with_its_place(tmp_path: Path) -> None:
    (tmp_path / "latin1").write_bytes(b"fine\n\xfcber\n")
    with pytest.raises(EncodingError, match="latin1:2: invalid UTF-8"):
        len(Text.read(tmp_path / "latin1"))
    for missing in (tmp_path / "none", tmp_path):
        with pytest.raises(FileAccessError):
            Text.read(missing)
