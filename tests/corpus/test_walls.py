"""Nothing moves across the end of a sentence, of a paragraph, or a break."""

from __future__ import annotations

import pytest

from demotic.corpus import Orthography, OrthographyConfig


@pytest.mark.parametrize(
    ("language", "text", "behind"),
    [
        ("en", "Are you sure? This is final.", ["this"]),
        ("en", "See “this.” See (that!) Now…", ["see", "Now"]),
        ("en", "Version 2.5 of Mr. Smith costs 3.", []),
        ("en", "No end...", []),
        ("en", "One\n\ntwo\nthree", ["two"]),
        (r"en", r"Tab\there\nthere", [r"⟦escape1⟧", "here", r"⟦escape2⟧", "there"]),
        ("zh", "你好。我在。", ["我"]),
        # A line that was not wrapped, since what follows would have had room in it.
        ("en", "Delete page\r\nEdit page", ["Edit"]),
        ("en", "See:\nthis", ["this"]),
        ("en", "See that\nthis is here", []),
        ("en", "1. See\n2. That\n- this", ["⟦num1⟧", "That", "-"]),
        ("en", "This is a line that was wrapped at some width or\nOther since it was long", []),
        # Tags of blocks part what they stand between, and sentences end before closing ones.
        ("en", "See this.<br>See that", ["⟦tag1⟧", "see"]),
        ("en", "<p>See</p><P class='x'>That</p>", ["see", "⟦tag2⟧", "⟦tag3⟧", "That", "⟦tag4⟧"]),
        ("en", "<b>See this.</b> That", ["That"]),
        ("en", "See <b>this</b> <i>here</i>", []),
    ],
)
def test_walls_stand_behind_what_has_ended(language: str, text: str, behind: list[str]) -> None:
    side = Orthography.learn(
        ["this see here"], language, config=OrthographyConfig(segment="characters")
    )
    encoded = side.encode(text)
    found = [encoded.tokens[at].strip("￭") for at in side.walls(encoded)]
    assert found == behind


def test_given_tokens_have_no_walls() -> None:
    side = Orthography("en", OrthographyConfig(tokeniser="none"))
    assert side.walls(side.encode("a . b")) == []


def test_a_line_of_its_own_begins_with_a_capital() -> None:
    side = Orthography.learn(["See this", "delete it", "Edit it"] * 40, "en")
    source = side.encode("Delete\nEdit")
    assert side.decode(["delete", "edit"], source, alignment=[(0, 0), (1, 1)]) == "Delete\nEdit"
