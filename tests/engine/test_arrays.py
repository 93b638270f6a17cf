"""Arrays in files, and the core's lines as arrays."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from demotic._core import Links, TokenLines, Vocab
from demotic.engine.arrays import as_array, read_arrays, write_arrays
from demotic.errors import ArgumentError, CorruptFileError, FileAccessError


def test_arrays_come_back(tmp_path: Path) -> None:
    given_arrays = {
        "ids": np.array([1, 2, 3], np.uint32),
        "none": np.zeros(0, np.float64),
        "weights": np.array([0.5, -1.0], np.float32),
        "big": np.array([2**63 - 1], np.int64),
        "every other": np.arange(6)[::2],
        "text": as_array("ä\n".encode()),
    }
    write_arrays(tmp_path / "file", given_arrays)
    found = read_arrays(tmp_path / "file")
    assert list(found) == list(given_arrays)
    for name, array in given_arrays.items():
        assert found[name].dtype == array.dtype
        assert found[name].tolist() == array.tolist()
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    write_arrays(tmp_path / "empty", {})
    assert read_arrays(tmp_path / "empty") == {}


def test_damaged_and_missing_files_are_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"no arrays")
    with pytest.raises(CorruptFileError, match="damaged"):
        read_arrays(tmp_path / "file")
    with pytest.raises(FileAccessError):
        read_arrays(tmp_path / "nothing")


LINES = st.lists(st.lists(st.sampled_from("abc"), max_size=4), max_size=6)


@given(lines=LINES, begin=st.integers(0, 7), end=st.integers(0, 7))
def test_lines_are_made_again_of_their_arrays(lines: list[list[str]], begin: int, end: int) -> None:
    vocab, whole = Vocab(), TokenLines()
    whole.append("".join(" ".join(line) + "\n" for line in lines).encode(), vocab)
    part = TokenLines.of(*whole.arrays(begin, end))
    wanted = [[vocab.find(word) for word in line] for line in lines[begin:end]]
    assert [part[at] for at in range(len(part))] == wanted


@given(
    pairs=st.lists(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5))), max_size=6),
    begin=st.integers(0, 7),
    end=st.integers(0, 7),
)
def test_links_are_made_again_of_their_arrays(
    pairs: list[list[tuple[int, int]]], begin: int, end: int
) -> None:
    whole = Links()
    for each in pairs:
        whole.append(each)
    part = Links.of(*whole.arrays(begin, end))
    assert [part[at] for at in range(len(part))] == [sorted(set(e)) for e in pairs[begin:end]]


@pytest.mark.parametrize("ends", [[2, 1, 3], [1, 2], [4], []])
def test_ends_that_do_not_fit_are_refused(ends: list[int]) -> None:
    borders = np.array(ends, np.uint64)
    with pytest.raises(ArgumentError, match="ends do not fit"):
        TokenLines.of(np.zeros(3, np.uint32), borders)
    with pytest.raises(ArgumentError, match="ends do not fit"):
        Links.of(np.zeros(6, np.uint32), borders)
