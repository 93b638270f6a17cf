"""Two plain files: pairing, compression, and what can be wrong with them."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from demotic.corpus import read_bitext
from demotic.errors import EncodingError, FileAccessError, FormatError


def write(path: Path, text: str | bytes) -> Path:
    data = text.encode() if isinstance(text, str) else text
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


def test_lines_are_paired_and_numbered(tmp_path: Path) -> None:
    source = write(tmp_path / "a.de", "eins\nzwei drei\n")
    target = write(tmp_path / "a.en.gz", "one\ntwo three\n")
    bitext = read_bitext(source, target)
    pairs = [(pair.source, pair.target, pair.file, pair.unit) for pair in bitext]
    assert pairs == [
        ("eins", "one", str(source), "1"),
        ("zwei drei", "two three", str(source), "2"),
    ]
    assert (bitext.source_language, bitext.target_language) == ("de", "en")


def test_languages_given_win_over_suffixes(tmp_path: Path) -> None:
    paths = write(tmp_path / "a.txt", "x\n"), write(tmp_path / "b.en", "y\n")
    bitext = read_bitext(*paths, target="en-GB")
    assert (bitext.source_language, bitext.target_language) == ("und", "en-GB")


def test_byte_order_mark_carriage_returns_and_missing_last_newline(tmp_path: Path) -> None:
    source = write(tmp_path / "a", b"\xef\xbb\xbfeins\r\nzwei")
    target = write(tmp_path / "b", "one\ntwo\n")
    assert list(read_bitext(source, target).source_lines()) == ["eins", "zwei"]


@pytest.mark.parametrize("swapped", [False, True])
def test_unequal_line_counts_name_both_files_counts_and_the_line(
    tmp_path: Path, swapped: bool
) -> None:
    short = write(tmp_path / "short", "1\n2\n3\n")
    long = write(tmp_path / "long", "1\n2\n3\n4\n5\n")
    paths = (long, short) if swapped else (short, long)
    with pytest.raises(FormatError) as caught:
        read_bitext(*paths)
    assert str(caught.value).startswith(
        f"{short}:4: line 4 is missing: this file has 3 lines, {long} has 5"
    )


def test_invalid_utf8_is_named_with_its_line(tmp_path: Path) -> None:
    source = write(tmp_path / "a", b"gut\ngr\xfcn\n")
    target = write(tmp_path / "b", "good\ngreen\n")
    with pytest.raises(EncodingError, match=r"a:2: invalid UTF-8 \(byte 0xfc\)"):
        read_bitext(source, target)


def test_binary_file_is_refused(tmp_path: Path) -> None:
    source = write(tmp_path / "a", b"\x7fELF\x02\x01\x01\x00\x00\x00\n")
    with pytest.raises(EncodingError, match="a:1: a binary file"):
        read_bitext(source, write(tmp_path / "b", "x\n"))
    with pytest.raises(EncodingError, match="a binary file"):
        read_bitext(source, format="tsv")


def test_empty_corpus_is_an_error(tmp_path: Path) -> None:
    empty = write(tmp_path / "a", ""), write(tmp_path / "b", "")
    with pytest.raises(FormatError, match="a: no sentence pairs"):
        read_bitext(*empty)


def test_one_line_is_a_corpus(tmp_path: Path) -> None:
    assert len(read_bitext(write(tmp_path / "a", "x"), write(tmp_path / "b", "y"))) == 1


def test_line_of_five_thousand_words_is_read(tmp_path: Path) -> None:
    line = " ".join(str(number) for number in range(5000))
    bitext = read_bitext(write(tmp_path / "a", line), write(tmp_path / "b", "y\n"))
    assert next(iter(bitext)).source == line


def test_missing_and_truncated_files_are_named(tmp_path: Path) -> None:
    good = write(tmp_path / "good", "x\n")
    with pytest.raises(FileAccessError, match="missing"):
        read_bitext(good, tmp_path / "missing")
    cut = tmp_path / "cut.gz"
    cut.write_bytes(gzip.compress(b"x\n" * 9999)[:40])
    with pytest.raises(FormatError, match=r"cut.gz: damaged gzip"):
        read_bitext(cut, good)


def test_single_plain_file_asks_for_the_other(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="only one file of it"):
        read_bitext(write(tmp_path / "a", "just text\n"))
