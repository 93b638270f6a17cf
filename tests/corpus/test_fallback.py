"""Known words for unknown ones, and their case back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import pytest

from demotic.corpus import Orthography, OrthographyConfig
from demotic.corpus.fallback import Fallback
from demotic.errors import ArgumentError

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


def lacking(known: Iterable[str]) -> Callable[[Sequence[str]], list[int]]:
    """A model that translates single words."""
    words = set(known)
    return lambda tokens: [at for at, token in enumerate(tokens) if token not in words]


def of_words(side: Orthography, known: Iterable[str]) -> Fallback:
    words = set(known)
    return side.fallback(words.__contains__, lacking(words))


def known_forms(side: Orthography, text: str) -> str:
    return str(of_words(side, KNOWN[side.language]).known_forms(side.encode(text)))


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
        ("See/It", "see ￭/￭ it"),  # short words alone, all of them with a capital: a title
        ("zzz? Pages", "zzz ￭? pages"),  # a sentence begins
        ("zzz\nPages", "zzz pages"),
        ("we're", "we are"),
        ("can't", "can not"),
        ("the café", "the cafe"),
        ("%s Delete", "⟦var1⟧ delete"),  # the first word, behind what may be no word
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
    fallback = of_words(ENGLISH, KNOWN["en"])
    source = fallback.known_forms(ENGLISH.encode("DELETE  the PAGES"))
    assert str(source) == "delete the pages"
    links = [(0, 2), (1, 0), (2, 1)]
    assert GERMAN.decode(["die", "Seiten", "löschen"], source, alignment=links) == (
        "Die  SEITEN LÖSCHEN"
    )


def test_natural_text_is_cut_into_the_words_of_segmented_text() -> None:
    given = Orthography("zh", OrthographyConfig(tokeniser="none", casing="none"))
    fallback = of_words(given, ["我们", "喜欢", "水"])
    assert str(fallback.known_forms(given.encode("我们喜欢水Latin"))) == "我们喜欢水Latin"
    assert str(fallback.known_forms(given.encode("我们喜欢水 LATIN"))) == ("我们 喜欢 水 LATIN")


def test_a_word_that_is_known_in_phrases_alone_falls_back_outside_them() -> None:
    """``￭'re`` is translated behind ``you``, ``￭’re`` behind ``we``."""

    def stranded(tokens: Sequence[str]) -> list[int]:
        pairs = {("you", "￭'re"), ("we", "￭’re")}
        return [
            at
            for at, token in enumerate(tokens)
            if token not in ("you", "we", "sorry") and tuple(tokens[at - 1 : at + 1]) not in pairs
        ]

    fallback = ENGLISH.fallback(lambda word: True, stranded)

    def forms(text: str) -> str:
        return str(fallback.known_forms(ENGLISH.encode(text)))

    assert forms("you're sorry") == "you ￭'re sorry"
    assert forms("we're sorry") == "we ￭’re sorry"
    assert forms("sorry we're") == "sorry we ￭’re"


@pytest.mark.parametrize(
    ("ways", "text", "tokens"),
    [
        (("case",), "DELETE a café we're", "delete a café we ￭'re"),
        (("letters",), "DELETE a café we're", "DELETE a cafe we ￭'re"),
        (("clitics",), "DELETE a café we're", "DELETE a café we are"),
        ((), "DELETE a café we're", "DELETE a café we ￭'re"),
    ],
)
def test_words_fall_back_in_the_ways_that_are_allowed(
    ways: tuple[str, ...], text: str, tokens: str
) -> None:
    side = Orthography("en", OrthographyConfig(fallback=ways))
    fallback = of_words(side, {*KNOWN["en"], "a"})
    assert str(fallback.known_forms(side.encode(text))) == tokens
    assert Orthography.from_json(side.to_json()).config == side.config


def test_words_keep_their_parts_together_where_these_are_no_way() -> None:
    config = OrthographyConfig(compounds="on", fallback=("case",))
    side = Orthography.learn(["ein Boot", "ein Haus", "Haus Boot"], "de", config=config)
    assert str(of_words(side, KNOWN["de"]).known_forms(side.encode("ein Hausboot"))) == (
        "ein Hausboot"
    )


def test_an_unknown_way_is_refused() -> None:
    with pytest.raises(ArgumentError, match="no word falls back to guesses"):
        OrthographyConfig(fallback=("guesses",))
