"""Raw text in, raw text out."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demotic.corpus import Encoded, Orthography, OrthographyConfig, encode_pair
from demotic.corpus.normalise import normalise, plain_spaces
from demotic.errors import ArgumentError, FormatError
from tests.corpus.texts import CORPORA, catalogue, slice_of, tricky_text

EXACT = {
    language: Orthography(language, OrthographyConfig(casing="none", segment="characters"))
    for language in ("en", "fr", "it", "de", "zh", "ja", "th", "hi", "xx")
}


def collapsed(text: str) -> str:
    return " ".join(text.split())


def round_trip(orthography: Orthography, text: str) -> str:
    encoded = orthography.encode(text)
    return orthography.decode(encoded.tokens, encoded)


@settings(max_examples=400)
@given(text=tricky_text, language=st.sampled_from(sorted(EXACT)))
def test_decoding_gives_the_text_back(text: str, language: str) -> None:
    assert collapsed(round_trip(EXACT[language], text)) == plain_spaces(text)


@given(text=tricky_text)
def test_round_trip_holds_without_protection(text: str) -> None:
    bare = Orthography("en", OrthographyConfig(casing="none", protect=()))
    assert collapsed(round_trip(bare, text)) == plain_spaces(text)


@given(text=tricky_text)
def test_already_tokenised_text_keeps_its_tokens(text: str) -> None:
    orthography = Orthography("en", OrthographyConfig(tokeniser="none", casing="none", protect=()))
    encoded = orthography.encode(text)
    assert len(encoded.tokens) == len(normalise(text).split())
    assert collapsed(orthography.decode(encoded.tokens, encoded)) == plain_spaces(text)


@given(text=tricky_text, mode=st.sampled_from(["reversible", "none"]))
def test_no_token_can_be_taken_for_a_symbol_of_a_model_file(text: str, mode: str) -> None:
    orthography = Orthography("en", OrthographyConfig(tokeniser=mode, casing="none"))
    for token in orthography.encode(text).tokens:
        assert token
        assert not set(token) & set("|<>[]")
        assert token.split() == [token]


@pytest.mark.parametrize("language", sorted(CORPORA))
def test_round_trip_is_exact_on_real_text(language: str, data) -> None:
    orthography = Orthography(language, OrthographyConfig(casing="none"))
    lines = slice_of(data, CORPORA[language], 1000)
    assert len(lines) >= 10
    for line in lines:
        assert collapsed(round_trip(orthography, line)) == plain_spaces(line)


@pytest.mark.parametrize("language", ["fr", "de", "ja", "zh_CN", "ru", "hi"])
def test_round_trip_is_exact_on_interface_messages(language: str) -> None:
    messages = catalogue(language, 1000)
    if not messages:
        pytest.skip("no message catalogues on this machine")
    orthography = Orthography(language[:2], OrthographyConfig(casing="none", segment="characters"))
    for message in messages:
        assert collapsed(round_trip(orthography, message)) == plain_spaces(message)


def test_saved_orthography_is_equal_and_stable(data) -> None:
    lines = slice_of(data, "multi30k/train.de.gz", 500)
    config = OrthographyConfig(compounds="on")
    learned = Orthography.learn(lines, "de", config=config)
    text = learned.to_json()
    again = Orthography.from_json(text)
    assert again.to_json() == text
    assert Orthography.learn(lines, "de", config=config).to_json() == text
    assert [again.encode(line) for line in lines] == list(learned.encode_lines(lines))
    assert any("⁀" in str(encoded) for encoded in learned.encode_lines(lines))


@given(
    change=st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=3),
        lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=2), inner),
        max_leaves=4,
    ),
    key=st.sampled_from(["format", "language", "config", "forms", "small", "counts"]),
)
def test_damaged_json_is_a_typed_error(change: object, key: str) -> None:
    record = json.loads(Orthography("en", OrthographyConfig()).to_json())
    record[key] = change
    try:
        Orthography.from_json(json.dumps(record))
    except (FormatError, ArgumentError):
        return
    fitting = {"format": int, "language": str, "small": list, "counts": type(None)}.get(key, dict)
    assert type(change) is fitting


@pytest.mark.parametrize("text", ["", "[]", "{", "null", "[" * 100_000, '{"format": 3}'])
def test_text_that_is_no_orthography_is_a_format_error(text: str) -> None:
    with pytest.raises(FormatError):
        Orthography.from_json(text)


@pytest.mark.parametrize(
    "wrong",
    [
        {"tokeniser": "x"},
        {"casing": "x"},
        {"compounds": "x"},
        {"segment": "x"},
        {"protect": ("x",)},
    ],
)
def test_unknown_choices_name_the_remedy(wrong: dict[str, str]) -> None:
    with pytest.raises(ArgumentError, match="choose"):
        OrthographyConfig(**wrong)


def test_joints_of_the_source_never_show_in_a_language_that_has_none() -> None:
    english = Orthography.learn(["a house boat"], "en")
    assert english.decode(["house", "⁀⁀", "boat", "⁀s⁀"]) == "House boat"


def test_translation_takes_over_spans_and_style() -> None:
    german = Orthography.learn(["die Datei ist da", "der Fehler"], "de")
    english = Orthography.learn(["the file is here", "an error"], "en")
    source = german.encode("Die Datei <b>%s</b> hat 12 Fehler.")
    hypothesis = ["the", "file", "⟦tag1⟧￭", "⟦var1⟧", "￭⟦tag2⟧", "has", "⟦num1⟧", "errors", "￭."]
    assert english.decode(hypothesis, source) == "The file <b>%s</b> has 12 errors."
    shouted = german.encode("DIE DATEI IST DA")
    assert shouted.tokens == ("die", "Datei", "ist", "da")
    assert english.decode(["the", "file", "is", "here"], shouted) == "THE FILE IS HERE"


def test_pairs_share_class_tokens_and_orphans_are_dropped() -> None:
    plain = EXACT["en"]
    source, target = encode_pair(plain, plain, "%d files, 3 kB: {x}", "{x}: %d of three, %s")
    assert str(source) == "⟦var1⟧ files ￭, 3 kB ￭: ⟦var2⟧"
    assert str(target) == "⟦var2⟧ ￭: ⟦var1⟧ of three ￭, ⟦var0⟧"
    assert plain.decode(target.tokens, target) == "{x}: %d of three, %s"
    assert plain.decode(["a", "⟦var0⟧", "b"], Encoded(("a", "b"))) == "a b"


@given(source=tricky_text, target=tricky_text)
def test_both_sides_of_a_pair_round_trip(source: str, target: str) -> None:
    plain = EXACT["en"]
    for text, side in zip((source, target), encode_pair(plain, plain, source, target), strict=True):
        assert collapsed(plain.decode(side.tokens, side)) == plain_spaces(text)
