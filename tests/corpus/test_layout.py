"""White space, labels of lists and accelerators come back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demotic.corpus import Orthography, OrthographyConfig, encode_pair
from demotic.corpus.accelerators import with_mark, without_mark
from demotic.corpus.layout import gap_places, label_of

ENGLISH = Orthography("en", OrthographyConfig(casing="none"))
GERMAN = Orthography("de", OrthographyConfig(casing="none"))

_WORDS = st.sampled_from(
    ["page", "Seite,", "<b>x</b>", "{{ a  b }}", "%s", "don't", "12", "index.html"]
)
_GAPS = st.sampled_from([" ", "  ", "\t", "\n", "\r\n", " \n  ", "\n\n"])


@given(
    words=st.lists(st.tuples(_WORDS, _GAPS), min_size=1, max_size=8),
    before=st.sampled_from(["", " ", "\n", "\t  "]),
    after=st.sampled_from(["", " ", "\r\n", "  "]),
    tokeniser=st.sampled_from(["reversible", "none"]),
)
def test_white_space_comes_back_as_it_was(
    words: list[tuple[str, str]], before: str, after: str, tokeniser: str
) -> None:
    text = "".join(word + gap for word, gap in words[:-1]) + words[-1][0]
    orthography = Orthography("en", OrthographyConfig(casing="none", tokeniser=tokeniser))
    encoded = orthography.encode(before + text + after)
    again = orthography.decode(encoded.tokens, encoded)
    if tokeniser == "none":  # a placeholder with spaces is several tokens, or one
        assert again.split() == text.split()
        assert again.startswith(before)
        assert again.endswith(after)
    else:
        assert again == before + text + after


def test_gaps_go_where_the_fewest_links_cross_them() -> None:
    source = ENGLISH.encode("Hello.\r\nDelete the  page ")
    links = [(0, 0), (1, 1), (2, 3), (3, 2), (4, 2)]
    tokens = ["Hallo", "￭.", "Seite", "löschen"]
    assert GERMAN.decode(tokens, source, alignment=links) == "Hallo.\r\nSeite  löschen "


def test_line_ends_come_back_in_scripts_without_spaces() -> None:
    """Double spaces mean nothing there, as single ones."""
    japanese = Orthography("ja", OrthographyConfig(casing="none"))
    source = ENGLISH.encode("Delete  page\r\n\r\nAdd\tuser")
    tokens = ["ページ", "を", "削", "除", "す", "る", "。", "追", "加", "者"]
    links = [(0, 2), (0, 3), (1, 0), (2, 7), (2, 8), (3, 9)]
    text = japanese.decode(tokens, source, alignment=links)
    assert text == "ページを削除する。\r\n\r\n追加\t者"
    again = japanese.encode(text)
    assert japanese.decode(again.tokens, again) == text


@given(
    links=st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=8),
    at=st.integers(1, 5),
)
def test_the_place_of_a_gap_is_the_best_of_all(links: list[tuple[int, int]], at: int) -> None:
    def crossings(place: int) -> int:
        return sum((source < at) != (target < place) for source, target in links)

    [place] = gap_places([(at, "  ")], links, range(1, 6), 6, 6)
    assert crossings(place) == min(map(crossings, range(1, 6)))


def test_labels_of_lists_stay_in_front() -> None:
    source = ENGLISH.encode("1. Delete page")
    assert source.tokens == ("Delete", "page")
    links = [(0, 1), (1, 0)]
    assert GERMAN.decode(["Seite", "löschen"], source, alignment=links) == "1. Seite löschen"
    assert label_of("3 pages") == label_of("1.5 pages") == label_of("-") == label_of("a b") == ""
    assert GERMAN.encode("1. Januar").tokens == ("⟦num1⟧", "￭.", "Januar")


def test_labels_that_both_sides_have_are_no_words_to_learn() -> None:
    pair = encode_pair(ENGLISH, GERMAN, "- delete", "- löschen")
    assert [str(side) for side in pair] == ["delete", "löschen"]
    pair = encode_pair(ENGLISH, GERMAN, "- delete", "löschen")
    assert str(pair[0]) == "- delete"


@pytest.mark.parametrize(
    ("text", "plain", "mark"),
    [
        ("&File", "File", "&F"),
        ("E&xit", "Exit", "&x"),
        ("_File", "File", "_F"),
        ("E_xit", "Exit", "_x"),
        ("Save _As…", "Save As…", "_A"),
        ("&amp; so", "&amp; so", ""),
        ("R&D and Q&A", "R&D and Q&A", ""),
        ("a & b", "a & b", ""),
        ("max_size", "max_size", ""),
        ("_private", "_private", ""),
        ("&One &Two", "&One &Two", ""),
        ("http://a.b/?c&d", "http://a.b/?c&d", ""),
    ],
)
def test_accelerators_are_taken_off_and_put_back(text: str, plain: str, mark: str) -> None:
    assert without_mark(text)[0] == plain
    assert without_mark(text)[2] == mark
    encoded = ENGLISH.encode(text)
    assert ENGLISH.decode(encoded.tokens, encoded) == text


def test_an_accelerator_follows_its_word_or_its_letter() -> None:
    source = ENGLISH.encode("Save &As")
    links = [(0, 0), (1, 1)]
    assert GERMAN.decode(["Speichern", "als"], source, alignment=links) == "Speichern &als"
    assert with_mark([None, "Ende", "Exit"], -1, "&x") == [None, "Ende", "E&xit"]
    assert with_mark([None, "Ende", "gut"], 2, "&x") == [None, "Ende", "&gut"]
    assert with_mark([None], 0, "&x") == [None]
