"""Words, ids and lines of ids."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demotic import _core

WORDS = st.text(st.characters(codec="utf-8"), max_size=20)


@given(st.lists(WORDS))
def test_ids_count_in_order_of_first_appearance(words: list[str]) -> None:
    vocab = _core.Vocab()
    expected = {"<unk>": 0}
    for word in words:
        assert vocab.add(word) == expected.setdefault(word, len(expected))
    assert len(vocab) == len(expected)
    for word, number in expected.items():
        assert vocab.find(word) == number
        assert vocab.word(number) == word


def test_unknown_words_have_id_zero() -> None:
    vocab = _core.Vocab()
    assert vocab.add("house") == 1
    assert vocab.find("huose") == 0
    assert vocab.find("<unk>") == 0
    assert vocab.add("<unk>") == 0
    assert vocab.word(99) == "<unk>"


def test_many_words_stay_apart() -> None:
    vocab = _core.Vocab()
    words = [f"{number:x}" * (1 + number % 4) for number in range(50_000)]
    expected = {word: number for number, word in enumerate(dict.fromkeys(words), start=1)}
    for word in words:
        vocab.add(word)
    assert len(vocab) == len(expected) + 1
    assert all(vocab.find(word) == number for word, number in expected.items())
    assert vocab.find("nothing") == 0


def test_words_that_share_bytes_stay_apart() -> None:
    vocab = _core.Vocab()
    words = ["", "a", "aa", "aaa", "aaaa", "a" * 8, "a" * 9, "a" * 16, "a" * 17, "a" * 65, "a\0"]
    ids = [vocab.add(word) for word in words]
    assert ids == list(range(1, len(words) + 1))
    assert [vocab.word(number) for number in ids] == words


@given(st.lists(st.lists(st.sampled_from(["a", "bc", "ü", "\t", "\u00a0"]))), st.data())
def test_lines_equal_splitting_at_spaces(lines: list[list[str]], data: st.DataObject) -> None:
    spaces = st.integers(1, 3).map(lambda count: " " * count)
    text = "".join(
        data.draw(st.sampled_from(["", "  "])) + data.draw(spaces).join(line) + "\n"
        for line in lines
    )
    vocab, found = _core.Vocab(), _core.TokenLines()
    found.append(text.encode(), vocab)
    assert len(found) == len(lines)
    assert found.tokens == sum(map(len, lines))
    assert [[vocab.word(id) for id in found[at]] for at in range(len(lines))] == lines


def test_pieces_append_and_a_missing_last_newline_counts() -> None:
    vocab, lines = _core.Vocab(), _core.TokenLines()
    lines.append(b"a b\n\n", vocab)
    lines.append(b"b c", vocab)
    lines.append(b"", vocab)
    assert [lines[at] for at in range(len(lines))] == [[1, 2], [], [2, 3]]
    with pytest.raises(IndexError):
        lines[3]
