"""Text passes between Python and the core without errors that are not ours."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from demotic import _core


@given(st.text())
def test_text_comes_back(text: str) -> None:
    vocab = _core.Vocab()
    assert vocab.word(vocab.add(text)) == text


@given(st.text(st.characters(exclude_categories=())))
def test_halves_of_characters_become_one_sign(text: str) -> None:
    vocab = _core.Vocab()
    expected = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    assert vocab.word(vocab.add(text)) == expected
    assert vocab.find(text) == vocab.add(expected)


@given(st.binary())
def test_bytes_that_are_no_text_are_shown_as_such(content: bytes) -> None:
    word = content.replace(b" ", b"").replace(b"\n", b"")
    vocab, lines = _core.Vocab(), _core.TokenLines()
    lines.append(word + b"\n", vocab)
    if lines.tokens:
        assert vocab.word(lines[0][0]) == word.decode(errors="replace")
