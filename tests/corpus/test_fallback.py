"""Known words for unknown ones, and their case back."""

from __future__ import annotations

import pytest

from demotic.corpus import Orthography, OrthographyConfig

ENGLISH = Orthography.learn(["see the page", "we are not here", "delete pages of a cafe"], "en")
GERMAN = Orthography.learn(
    ["der Mann liest", "das Haus", "die Türen", "ein Boot", "ein Haus", "ein Boot", "Haus Boot"],
    "de",
    config=OrthographyConfig(compounds="on"),
)
KNOWN = {
    "en": {"see", "the", "page", "pages", "we", "are", "not", "delete", "cafe", "it", "can", "of"},
    "de": {"der", "Mann", "Haus", "Türen", "Boot", "ein"},
}


def known_forms(side: Orthography, text: str) -> str:
    return str(side.fallback(KNOWN[side.language].__contains__).known_forms(side.encode(text)))


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("DELETE", "delete"),
        ("see DELETE PAGES", "see delete pages"),
        ("the IT of WHO", "the IT of WHO"),  # acronyms
        ("IT", "it"),
        ("Delete Pages", "delete pages"),
        ("the Pages of", "the Pages of"),  # a name, for all we know
        ("See the page of Pages here", "see the page of Pages here"),
        ("we're", "we are"),
        ("can't", "can not"),
        ("the café", "the cafe"),
        ("the zzz %s", "the zzz ⟦var1⟧"),
    ],
)
def test_english_falls_back(text: str, tokens: str) -> None:
    assert known_forms(ENGLISH, text) == tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("ein mann", "ein Mann"),
        ("die Tueren", "die Türen"),
        ("ein Hausboot", "ein Haus ⁀⁀ Boot"),
        ("Bootsmann", "Boot ⁀s⁀ Mann"),
    ],
)
def test_german_falls_back(text: str, tokens: str) -> None:
    assert known_forms(GERMAN, text) == tokens


def test_case_comes_back() -> None:
    fallback = ENGLISH.fallback(KNOWN["en"].__contains__)
    source = fallback.known_forms(ENGLISH.encode("DELETE  the PAGES"))
    assert str(source) == "delete the pages"
    links = [(0, 2), (1, 0), (2, 1)]
    assert GERMAN.decode(["die", "Seiten", "löschen"], source, alignment=links) == (
        "Die  SEITEN LÖSCHEN"
    )


def test_natural_text_is_cut_into_the_words_of_segmented_text() -> None:
    given = Orthography("zh", OrthographyConfig(tokeniser="none", casing="none"))
    known = {"我们", "喜欢", "水"}.__contains__
    assert (
        str(given.fallback(known).known_forms(given.encode("我们喜欢水Latin"))) == "我们喜欢水Latin"
    )
    assert str(given.fallback(known).known_forms(given.encode("我们喜欢水 LATIN"))) == (
        "我们 喜欢 水 LATIN"
    )
