"""Casing."""

from __future__ import annotations

import pytest
from hypothesis import given

from demotic.corpus import Orthography, OrthographyConfig
from demotic.corpus.casing import CaseCounts, sentence_starts
from demotic.corpus.normalise import plain_spaces
from tests.corpus.texts import slice_of, tricky_text

GERMAN = ["Der Hund schläft, und der Mann liest.", "Das ist das Haus.", "Hier liest der Mann."]


def learned(lines: list[str], language: str, casing: str) -> Orthography:
    return Orthography.learn(lines, language, config=OrthographyConfig(casing=casing))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Der Mann liest. Der Hund?", "der Mann liest ￭. der Hund ￭?"),
        ("Mann und Hund", "Mann und Hund"),  # a noun keeps its capital
        ("Unbekanntes Haus", "Unbekanntes Haus"),  # so does an unknown word
        ("DER MANN LIEST %s", "der Mann liest ⟦var1⟧"),
        ("„Der Mann“", "„￭ der Mann ￭“"),
        ("%s Der Mann", "⟦var1⟧ Der Mann"),
        ("EU und USA", "EU und USA"),
    ],
)
def test_truecasing_undoes_only_forced_capitals(text: str, tokens: str) -> None:
    german = learned(GERMAN, "de", "truecase")
    encoded = german.encode(text)
    assert str(encoded) == tokens
    assert german.decode(encoded.tokens, encoded) == text


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("<p>Der Mann liest.</p>", "⟦tag1⟧￭ der Mann liest ￭. ￭⟦tag2⟧"),
        ("<p><b>Der</b> Mann", "⟦tag1⟧￭ ⟦tag2⟧￭ der ￭⟦tag3⟧ Mann"),
        ("Da. <br/> Der Mann", "Da ￭. ⟦tag1⟧ der Mann"),
    ],
)
def test_sentences_begin_behind_markup(text: str, tokens: str) -> None:
    german = learned([*GERMAN, "<b>Der</b> Mann"], "de", "truecase")
    encoded = german.encode(text)
    assert str(encoded) == tokens
    assert german.decode(encoded.tokens, encoded) == text


def test_text_without_capitals_teaches_to_write_none() -> None:
    small = [f"the man reads number {number}." for number in range(120)]
    english, german = learned(small, "en", "truecase"), learned(GERMAN, "de", "truecase")
    source = german.encode("Der Mann liest.")
    tokens = ["the", "man", "reads", "￭."]
    assert english.decode(tokens, source) == "the man reads."
    assert Orthography.from_json(english.to_json()).decode(tokens, source) == "the man reads."
    # A small beginning is no label, then.
    assert german.decode(["der", "Mann", "liest"], english.encode("the man")) == "Der Mann liest"
    # Words that nobody knows are no exception.
    copied, links = ["the", "Hund", "reads", "￭."], [(0, 0), (1, 1), (2, 2), (3, 3)]
    given = german.encode("Der Hund liest.")
    assert english.decode(copied, given, alignment=links) == "the hund reads."
    names = learned([*small, "he met Anna"], "en", "truecase")
    assert names.decode(copied, given, alignment=links) == "the Hund reads."
    few = learned(small[:50], "en", "truecase")
    assert few.decode(tokens, source) == "The man reads."


def test_lower_case_is_recased_with_usual_forms() -> None:
    german = learned(GERMAN, "de", "lower")
    encoded = german.encode("Der Mann liest.")
    assert str(encoded) == "der mann liest ￭."
    assert german.decode(encoded.tokens, encoded) == "Der Mann liest."


def test_small_beginnings_stay_small_in_translation() -> None:
    german, english = learned(GERMAN, "de", "truecase"), learned(["see the man"], "en", "truecase")
    assert english.decode(["the", "man"], german.encode("der Mann")) == "the man"
    assert english.decode(["the", "man"], german.encode("Der Mann")) == "The man"
    assert english.decode(["the", "man"]) == "The man"


def test_no_casing_changes_nothing() -> None:
    plain = learned(GERMAN, "de", "none")
    assert str(plain.encode("Der HUND")) == "Der HUND"
    assert plain.decode(["der", "Hund"]) == "der Hund"


def test_forms_are_counted_where_no_rule_forces_a_capital() -> None:
    counts = CaseCounts()
    for line in ("The the cat", "The END", "THE WHOLE LINE SHOUTS", "see the End", "the End"):
        counts.add(line.split())
    assert counts.best_forms()["the"] == "the"
    assert counts.best_forms()["end"] == "End"
    assert "shouts" not in counts.best_forms()


def test_sentence_starts_follow_stops_and_skip_brackets() -> None:
    words = ["(", "a", "b", ".", "c", "?", '"', "d", None, ".", None, "e"]
    assert list(sentence_starts(words)) == [1, 4, 7]


@given(text=tricky_text)
def test_casing_changes_nothing_but_case(text: str) -> None:
    german = learned(GERMAN, "de", "truecase")
    encoded = german.encode(text)
    back = " ".join(german.decode(encoded.tokens, encoded).split())
    assert back.casefold() == plain_spaces(text).casefold()


@pytest.mark.parametrize(
    ("language", "corpus", "truecase", "lower"),
    [
        ("en", "europarl-de-en/train.en.gz", 0.999, 0.96),
        ("de", "europarl-de-en/train.de.gz", 0.998, 0.92),
        ("fr", "europarl-fr-en/train.fr.gz", 0.998, 0.96),
        ("de", "multi30k/train.de.gz", 0.999, 0.94),
    ],
)
def test_unseen_text_gets_its_case_back(
    language: str, corpus: str, truecase: float, lower: float, data
) -> None:
    lines = [plain_spaces(line) for line in slice_of(data, corpus, 5000)]
    for mode, bound in (("truecase", truecase), ("lower", lower)):
        orthography = learned(lines[:4000], language, mode)
        right = total = 0
        for line in lines[4000:]:
            encoded = orthography.encode(line)
            back = orthography.decode(encoded.tokens, encoded)
            assert back.lower() == line.lower()
            pairs = list(zip(back.split(), line.split(), strict=True))
            right += sum(ours == theirs for ours, theirs in pairs)
            total += len(pairs)
        assert right / total >= bound
