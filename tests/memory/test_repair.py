"""Similar messages are repaired where the links tell how, and left alone where they do not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demotic.memory.repair import planned

STORED = ["delete", "the", "old", "page"]
TOKENS = ["alte", "seite", "löschen"]
LINKS = "0-2 2-0 3-1"


@pytest.mark.parametrize(
    ("sentence", "pieces", "tokens"),
    [
        ("delete the new page", ["new"], "<new> seite löschen"),
        ("delete the page", [], "seite löschen"),
        ("delete the old page now", ["now"], "alte seite <now> löschen"),
        ("move the old image", ["move", "image"], "alte <image> <move>"),
        ("delete the old page", [], "alte seite löschen"),
    ],
)
def test_what_differs_is_translated_and_the_rest_stays(
    sentence: str, pieces: list[str], tokens: str
) -> None:
    plan = planned(STORED, TOKENS, LINKS, sentence.split())
    assert plan is not None
    assert [" ".join(piece) for piece in plan.pieces] == pieces
    assert " ".join(plan.filled([[f"<{' '.join(p)}>"] for p in plan.pieces])) == tokens


def test_only_the_end_of_a_sentence_gets_its_mark() -> None:
    """The decoder takes each piece for a sentence."""
    plan = planned(STORED, TOKENS, LINKS, ["delete", "the", "new", "page"])
    assert plan is not None
    assert plan.filled([["neue", "￭."]]) == ("neue", "seite", "löschen")
    assert plan.filled([["."]]) == (".", "seite", "löschen")
    plan = planned(STORED, TOKENS, LINKS, ["delete", "the", "old", "image", "￭."])
    assert plan is not None
    assert plan.pieces == (("image",), ("￭.",))
    for mark in (["￭."], ["bitte", "￭."], ["bitte"]):
        assert plan.filled([["bild", "￭."], mark]) == ("alte", "bild", "löschen", "￭.")


@pytest.mark.parametrize(
    ("links", "sentence"),
    [
        ("", "delete the new page"),
        ("0-9", "delete the new page"),
        ("nonsense", "delete the new page"),
        ("0-0 0-2 2-1 3-1", "remove the old page"),  # its words stand around others
        ("3-1", "now delete the old page"),  # nobody knows where it begins
    ],
)
def test_doubt_makes_no_plan(links: str, sentence: str) -> None:
    assert planned(STORED, TOKENS, links, sentence.split()) is None


WORDS = st.lists(st.sampled_from("abcd"), min_size=1, max_size=6)


@given(WORDS, WORDS)
def test_word_by_word_links_make_the_given_words(stored: list[str], sentence: list[str]) -> None:
    tokens = [word.upper() for word in stored]
    links = " ".join(f"{i}-{i}" for i in range(len(stored)))
    plan = planned(stored, tokens, links, sentence)
    if plan is not None:
        filled = plan.filled([[word.upper() for word in piece] for piece in plan.pieces])
        assert [*filled] == [word.upper() for word in sentence]
