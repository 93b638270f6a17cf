"""Warnings where a text is not in the language that it is said to be in."""

from __future__ import annotations

import pytest

from demotic.corpus import Bitext
from demotic.corpus.doubts import doubts

ENGLISH = ["The page is not the one that you want to see with your browser."] * 10
GERMAN = ["Die Seite ist nicht die, die Sie mit dem Browser sehen und die wir zeigen."] * 10
RUSSIAN = ["Эта страница не та, которую вы хотите увидеть."] * 10
CHINESE = ["这不是您想要在浏览器中看到的页面。"] * 10


def found(source: list[str], target: list[str], languages: str) -> list[str]:
    one, other = languages.split("-", 1)
    pairs = zip(source, target, strict=True)
    return list(doubts(Bitext.from_pairs(pairs, source_language=one, target_language=other)))


@pytest.mark.parametrize(
    ("source", "target", "languages"),
    [
        (ENGLISH, GERMAN, "en-de"),
        (ENGLISH, RUSSIAN, "en-ru"),
        (CHINESE, ENGLISH, "zh-en"),
        (ENGLISH, GERMAN, "und-und"),
        (["1"], ["2"], "en-de"),
    ],
)
def test_what_is_right_raises_no_doubt(
    source: list[str], target: list[str], languages: str
) -> None:
    assert found(source, target, languages) == []


@pytest.mark.parametrize(
    ("source", "target", "languages"),
    [(GERMAN, ENGLISH, "en-de"), (RUSSIAN, ENGLISH, "en-ru"), (ENGLISH, CHINESE, "zh-en")],
)
def test_swapped_sides_are_noticed(source: list[str], target: list[str], languages: str) -> None:
    (doubt,) = found(source, target, languages)
    assert "swapped" in doubt


def test_another_script_is_noticed() -> None:
    (doubt,) = found(ENGLISH, RUSSIAN, "en-de")
    assert doubt == "the target is said to be de, but is written in Cyrillic letters"


def test_impossible_languages_are_noticed() -> None:
    assert found(ENGLISH, GERMAN, "english-de") == ["'english' is no language code: write en"]
    (doubt,) = found(ENGLISH, GERMAN, "en-xx")
    assert "'xx' is no language code" in doubt
