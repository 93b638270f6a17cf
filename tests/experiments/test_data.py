"""Folders of corpora are found by the names of their files."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from demotic.errors import ArgumentError, FileAccessError, FormatError
from demotic.experiments.data import claim, read_folder


def fill(folder: Path, *names: str, lines: int = 3) -> None:
    for name in names:
        text = "".join(f"{name} {number}\n" for number in range(lines)).encode()
        if name.endswith(".gz"):
            (folder / name).write_bytes(gzip.compress(text))
        else:
            (folder / name).write_bytes(text)


@pytest.mark.parametrize(
    ("dev", "test"), [("dev", "test"), ("val", "test2016"), ("dev", "devtest")]
)
def test_parts_are_found(tmp_path: Path, dev: str, test: str) -> None:
    fill(tmp_path, "train.de.gz", "train.en.gz", "train.fr", f"{dev}.de", f"{dev}.en")
    fill(tmp_path, f"{test}.de", f"{test}.en.gz")
    found = read_folder(tmp_path, "de", "en", train_lines=2)
    assert found.names == ("train", dev, test)
    assert [len(found.train), len(found.dev), len(found.test)] == [2, 3, 3]
    assert list(found.test.target_lines()) == [f"{test}.en.gz {i}" for i in range(3)]


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileAccessError, match="no such folder"):
        read_folder(tmp_path / "none", "de", "en")
    fill(tmp_path, "train.de", "dev.de", "test.de", "train.en", "dev.en")
    with pytest.raises(FileAccessError, match=r"no file test\.en"):
        read_folder(tmp_path, "de", "en")
    with pytest.raises(FileAccessError, match=r"no file train\.fr"):
        read_folder(tmp_path, "fr", "en")


def test_sides_of_different_length_are_refused(tmp_path: Path) -> None:
    fill(tmp_path, "train.de", "dev.de", "test.de", "dev.en", "test.en")
    fill(tmp_path, "train.en", lines=4)
    with pytest.raises(FormatError, match=r"3 lines, and 4 in train\.en"):
        read_folder(tmp_path, "de", "en")


def test_a_folder_belongs_to_the_data_of_its_first_results(tmp_path: Path) -> None:
    fill(tmp_path, "train.de", "dev.de", "test.de", "train.en", "dev.en", "test.en")
    out = tmp_path / "out"
    claim(out, read_folder(tmp_path, "de", "en"))
    claim(out, read_folder(tmp_path, "de", "en"))
    with pytest.raises(ArgumentError, match="on another part of it"):
        claim(out, read_folder(tmp_path, "de", "en", train_lines=2))
    fill(tmp_path, "test.en", lines=4)
    fill(tmp_path, "test.de", lines=4)
    with pytest.raises(ArgumentError, match="results on other data"):
        claim(out, read_folder(tmp_path, "de", "en"))
