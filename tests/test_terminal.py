"""What files and models say cannot command the terminal that it is shown on."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demotic.explain.explanation import isolated
from demotic.terminal import json_shown, shown, shown_line

ESCAPES = (
    "\x1b]0;title\x07",
    "\x9b2J",
    "\r\x08",
    "\u202egpj.exe",
    "\u2066a\u2069",
    "\ud800",
    "\x7f",
)


@pytest.mark.parametrize("text", ESCAPES)
def test_controls_and_directions_are_spelt_out(text: str) -> None:
    assert shown(text).isprintable()
    assert shown(f"before {text} after").startswith("before \\")


@given(st.text())
def test_nothing_that_is_shown_commands_anything(text: str) -> None:
    for safe in (shown(text), json_shown(json.dumps(text, ensure_ascii=False))):
        assert not {"\x1b", "\x9b", "\r", "\n", "\x07", "\u202e", "\u2067"} & set(safe)
    assert "\x9b" not in shown_line(text)


@given(st.text(st.characters(exclude_categories=())))
def test_json_reads_as_before(text: str) -> None:
    assert json.loads(json_shown(json.dumps(text, ensure_ascii=False))) == text


@pytest.mark.parametrize(
    "text", ["", "plain", "déjà vu", "漢字", "a\tb", "דף", "e\u0301", "👩\u200d🚀"]
)
def test_text_stays_as_it_is(text: str) -> None:
    assert shown(text) == shown_line(text) == text


def test_words_from_right_to_left_keep_their_marks_and_lose_those_of_the_text() -> None:
    assert isolated("\u202eדף\u2069") == "\u2068\\u202eדף\\u2069\u2069"
