"""TSV: columns, header lines, and lines with too few or too many tabs."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demotic.corpus import read_bitext
from demotic.errors import DemoticError, FormatError
from demotic.progress import Progress

CELLS = st.text(st.characters(blacklist_categories=("Cs",), blacklist_characters="\t\r\n\0\ufeff"))


def texts(path: Path, source: str | None = None, target: str | None = None) -> list[str]:
    return [
        f"{pair.source}|{pair.target}|{pair.unit}"
        for pair in read_bitext(path, source=source, target=target)
    ]


def test_first_two_columns_are_the_pair(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv.gz"
    path.write_bytes(gzip.compress(b'a "quoted"\tb\tnote\nc\t\tnote\n'))
    assert texts(path) == ['a "quoted"|b|1', "c||2"]


def test_header_names_columns(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_text("id\tTarget\tSource\n1\tb\ta\n")
    assert texts(path) == ["a|b|2"]
    path.write_text("fr\tde\ten_US\nf\td\te\n")
    assert texts(path, "en", "de") == ["e|d|2"]
    # Without languages asked for, the line could be a pair of sentences.
    assert texts(path) == ["fr|de|1", "f|d|2"]


@pytest.mark.parametrize("line", ["one", "one\ttwo\tthree"])
def test_wrong_number_of_columns_is_named_with_its_line(tmp_path: Path, line: str) -> None:
    path = tmp_path / "a.tsv"
    path.write_text(f"a\tb\nc\td\n{line}\n")
    count = line.count("\t") + 1
    with pytest.raises(FormatError, match=f"a.tsv:3: {count} columns, but the first line has 2"):
        read_bitext(path, strict=True)


class Said(Progress):
    """Remembers what was said."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def say(self, message: str) -> None:
        self.lines.append(message)


MESSY = b"source\ttranslation\na\tb\n\nc\nd\te\tf\n\xff\tg\n  \nh\ti\r\n"


def test_lines_of_a_messy_table_are_skipped_and_named(tmp_path: Path) -> None:
    path, said = tmp_path / "a.tsv", Said()
    path.write_bytes(MESSY)
    bitext = read_bitext(path, progress=said)
    assert [(pair.source, pair.target, pair.unit) for pair in bitext] == [
        ("a", "b", "2"),
        ("h", "i", "8"),
    ]
    assert bitext.skipped == {
        "blank": 2, "too few columns": 1, "too many columns": 1, "no UTF-8": 1,
    }  # fmt: skip
    (line,) = said.lines
    assert "2 blank (lines 3, 7), 1 too few columns (line 4)" in line
    path.write_bytes(MESSY.replace(b"\xff", b"x"))
    with pytest.raises(DemoticError, match=r"a\.tsv:3"):
        read_bitext(path, strict=True)
    path.write_bytes(b"a\tb\n\xff\tc\n")
    with pytest.raises(DemoticError, match=r"a\.tsv:2"):
        read_bitext(path, strict=True)


def test_headers_name_languages(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_text("German\tEnglish\nb\ta\n")
    assert texts(path, "en", "de") == ["a|b|2"]


def test_a_title_above_the_table_does_not_count(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_text("Our memory\na\tb\nc\td\n")
    assert texts(path) == ["a|b|2", "c|d|3"]


def test_single_column_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_text("no tab here\n")
    with pytest.raises(FormatError, match=r"a.tsv:1: one column"):
        read_bitext(path)


@given(st.lists(st.tuples(CELLS, CELLS), min_size=1))
def test_every_cell_survives(
    tmp_path_factory: pytest.TempPathFactory, pairs: list[tuple[str, str]]
) -> None:
    path = tmp_path_factory.mktemp("tsv") / "a.tsv"
    path.write_bytes("".join(f"{source}\t{target}\n" for source, target in pairs).encode())
    if [cell.strip().lower() for cell in pairs[0]] in (["source", "target"], ["target", "source"]):
        return
    assert [(pair.source, pair.target) for pair in read_bitext(path)] == pairs
