from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demotic._core import TokenLines, Vocab
from demotic.align import Links, pharaoh
from demotic.errors import FileAccessError, FormatError


def text(*lines: str) -> TokenLines:
    encoded = TokenLines()
    encoded.append("".join(f"{line}\n" for line in lines).encode(), Vocab())
    return encoded


def written(folder: Path, content: str) -> Path:
    path = folder / "links"
    path.write_text(content)
    return path


@pytest.mark.parametrize("one_based", [False, True])
@pytest.mark.parametrize("name", ["a.align", "a.align.gz"])
@given(
    lines=st.lists(
        st.lists(st.tuples(st.integers(0, 300), st.integers(0, 300)), max_size=9), max_size=9
    )
)
def test_what_is_written_reads_back_sorted_and_once(
    tmp_path_factory: pytest.TempPathFactory,
    one_based: bool,
    name: str,
    lines: list[list[tuple[int, int]]],
) -> None:
    links = Links()
    for line in lines:
        links.append(line)
    path = tmp_path_factory.mktemp("pharaoh") / name
    pharaoh.write(path, links, one_based=one_based)
    back = pharaoh.read(path, one_based=one_based)
    assert [list(line) for line in back] == [sorted(set(line)) for line in lines]
    assert back == links
    raw = path.read_bytes()
    shown = gzip.decompress(raw) if name.endswith("gz") else raw
    base = int(one_based)
    assert shown.decode() == "".join(
        " ".join(f"{i + base}-{j + base}" for i, j in sorted(set(line))) + "\n" for line in lines
    )


def test_possible_links_come_in_both_notations_and_include_the_sure(tmp_path: Path) -> None:
    gold = pharaoh.read_gold(written(tmp_path, "1-1 2?3 3p3\n\n1?1"), one_based=True)
    assert list(gold.sure) == [[(0, 0)], [], []]
    assert list(gold.possible) == [[(0, 0), (1, 2), (2, 2)], [], [(0, 0)]]


def test_streaming_gives_the_pieces_of_the_whole(data: Path) -> None:
    path = data / "europarl-fr-en-giza10k/train.fr-en.align.gz"
    pieces = list(pharaoh.stream(path))
    assert len(pieces) > 1
    whole = Links()
    for piece in pieces:
        whole.extend(piece)
    assert whole == pharaoh.read(path)
    assert len(whole) == 10000
    assert whole.count == 291223


@pytest.mark.parametrize("bad", ["1", "a-b", "1-", "-1", "1-2-3", "1:2", "1--2", "1-2x", "+1-2"])
def test_a_bad_token_is_shown_with_file_and_line(tmp_path: Path, bad: str) -> None:
    path = written(tmp_path, f"0-0\n0-0 {bad}\n")
    with pytest.raises(FormatError) as caught:
        pharaoh.read(path)
    assert str(caught.value).startswith(f"{path}:2: '{bad}' is not a link")


def test_line_numbers_count_through_the_pieces_of_a_large_file(tmp_path: Path) -> None:
    lines = 400_000
    path = written(tmp_path, "0-0 1-1\n" * lines + "broken\n")
    with pytest.raises(FormatError) as caught:
        pharaoh.read(path)
    assert caught.value.line == lines + 1


@pytest.mark.parametrize("huge", ["4294967295-0", "0-99999999999999999999999", "1048577-0"])
def test_a_position_beyond_any_sentence_is_refused(tmp_path: Path, huge: str) -> None:
    with pytest.raises(FormatError, match="beyond any sentence"):
        pharaoh.read(written(tmp_path, huge))


def test_position_zero_in_a_one_based_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="count from 1"):
        pharaoh.read(written(tmp_path, "1-1\n0-1\n"), one_based=True)


def test_possible_links_are_refused_where_links_are_to_be_used(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="only reference alignments"):
        pharaoh.read(written(tmp_path, "0?1"))


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        ("0-0\n0-2\n", 2, "target position 2 is outside a sentence of 2 words"),
        ("0-0\n1-1\n", 2, "source position 1 is outside a sentence of 1 words"),
        ("0-0\n", 2, "1 lines of links for 2 sentence pairs"),
        ("0-0\n0-0\n0-0\n", 3, "3 lines of links for 2 sentence pairs"),
    ],
)
def test_links_that_do_not_fit_the_texts_are_refused(
    tmp_path: Path, content: str, line: int, message: str
) -> None:
    path = written(tmp_path, content)
    with pytest.raises(FormatError, match=message) as caught:
        pharaoh.read(path, source=text("a b c", "d"), target=text("x", "y z"))
    assert (caught.value.path, caught.value.line) == (str(path), line)


def test_real_links_fit_their_texts(data: Path) -> None:
    folder = data / "europarl-fr-en-giza10k"
    texts = []
    for side in ("fr", "en"):
        lines = TokenLines()
        lines.append(gzip.decompress((folder / f"train.{side}.gz").read_bytes()), Vocab())
        texts.append(lines)
    path = folder / "train.fr-en.align.gz"
    pharaoh.read(path, source=texts[0], target=texts[1])
    with pytest.raises(FormatError, match="outside a sentence"):
        pharaoh.read(path, source=texts[1], target=texts[0])


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileAccessError, match="nowhere"):
        pharaoh.read(tmp_path / "nowhere")
