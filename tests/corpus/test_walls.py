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
