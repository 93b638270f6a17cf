"""Decided translations: put in once, in the case that the sentence asks for, and counted."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demotic.corpus import Encoded, Orthography, OrthographyConfig
from demotic.corpus.casing import Casing
from demotic.glossary.placing import Decided, uses, with_decided

PLAIN = Orthography("de", OrthographyConfig(casing="none"))
TRUE = Orthography(
    "de", OrthographyConfig(casing="truecase"), casing=Casing("truecase", {}, frozenset({"alte"}))
)


def test_one_token_stands_for_the_words_and_keeps_the_marks_around_them() -> None:
    encoded = PLAIN.encode("see %d (old file)!")
    first = [token.strip("￭") for token in encoded.tokens].index("old")
    given, names = with_decided(encoded, [Decided(first, first + 1, "alte Datei")])
    assert names == {0: "⟦term1⟧"}
    assert PLAIN.decode(given.tokens, given) == "see %d (alte Datei)!"
    assert len(given.tokens) == len(encoded.tokens) - 1


def test_a_class_of_tokens_stands_for_them() -> None:
    given, names = with_decided(PLAIN.encode("a file"), [Decided(1, 1, "Datei")])
    assert names == {0: "⟦term1⟧"}
    assert given.tokens == ("a", "⟦term1⟧")


def test_what_the_decoder_lost_comes_back() -> None:
    given, _ = with_decided(PLAIN.encode("a file"), [Decided(1, 1, "Datei")])
    assert PLAIN.decode(["eine"], given, alignment=[(0, 0)]) == "eine Datei"
    assert PLAIN.decode(["⟦term1⟧", "⟦term1⟧"], given) == "Datei"


def test_a_sentence_begins_with_a_capital() -> None:
    given, _ = with_decided(TRUE.encode("Old file"), [Decided(0, 1, "alte Datei")])
    assert TRUE.decode(given.tokens, given) == "Alte Datei"
    loud, _ = with_decided(TRUE.encode("DELETE THE OLD FILE"), [Decided(2, 3, "alte Datei")])
    assert TRUE.decode(loud.tokens, loud).endswith("ALTE DATEI")


@given(
    st.lists(st.sampled_from(["a", "b", "%d", "(", "!"]), min_size=1, max_size=7),
    st.integers(0, 6),
    st.integers(0, 2),
)
def test_what_is_around_stays_in_its_place(words: list[str], at: int, more: int) -> None:
    encoded = PLAIN.encode("  ".join(words))
    first = min(at, len(encoded.tokens) - 1)
    last = min(first + more, len(encoded.tokens) - 1)
    if any("⟦" in token for token in encoded.tokens[first : last + 1]):
        return
    given, _ = with_decided(encoded, [Decided(first, last, "T")])
    assert PLAIN.decode(given.tokens, given).count("T") == 1
    assert len(given.tokens) == len(encoded.tokens) - (last - first)
    assert [s.text for s in given.spans if not s.words] == [s.text for s in encoded.spans]
    assert all(0 <= place < len(given.tokens) for place, _ in given.layout.gaps)


@pytest.mark.parametrize(
    ("text", "form", "language", "count"),
    [
        ("Die Datei, die DATEI", "Datei", "de", 2),
        ("Die Dateien", "Datei", "fr", 0),
        ("Der Dateiname der Quelldatei", "Datei", "de", 2),
        ("alte Datei", "alte Datei", "de", 1),
        ("die alten Dateien", "alte Datei", "de", 0),
        ("文件夹和文件", "文件", "zh", 2),
        ("", "Datei", "de", 0),
    ],
)
def test_terms_are_counted_as_words_and_within_compounds(
    text: str, form: str, language: str, count: int
) -> None:
    assert uses(text, [form], language) == count


def test_nothing_to_decide_changes_nothing() -> None:
    encoded = PLAIN.encode("a  b")
    assert with_decided(encoded, []) == (encoded, {})
    assert isinstance(encoded, Encoded)


def test_signs_count_where_a_form_has_nothing_else() -> None:
    assert uses("a ⇒ b ⇒ c", ["⇒"], "de") == 2
    assert uses("50 %", ["%", "Prozent"], "de") == uses("50 Prozent", ["%", "Prozent"], "de") == 1


def test_forms_within_others_count_once_where_no_spaces_separate_words() -> None:
    assert uses("打开文件夹和文件", ["文件", "文件夹"], "zh") == 2
