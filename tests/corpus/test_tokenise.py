"""The reversible tokeniser, and Moses' beside Moses' own test data."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given

from demotic.corpus import Orthography, OrthographyConfig
from demotic.corpus.marks import JOINER, bare, escape, protected_class, unescape
from demotic.corpus.normalise import normalise
from demotic.corpus.tokenise import Tokeniser
from tests.corpus.texts import slice_of, tricky_text


@pytest.mark.parametrize(
    ("language", "text", "tokens"),
    [
        ("en", "Don't panic, it's Bob's.", "Do ￭n't panic ￭, it ￭'s Bob ￭'s ￭."),
        ("en", "“We’ll see” (soon)…", "“￭ We ￭’ll see ￭” (￭ soon ￭) ￭…"),
        (
            "en",
            "Mr. Smith, of D.C. etc.",
            "Mr. Smith ￭, of D.C. etc ￭.",
        ),
        ("en", "o'clock", "o'clock"),
        ("en", "well-known", "well ￭-￭ known"),
        ("en", "wait... what?!", "wait ￭... what ￭? ￭!"),
        ("en", "f(x) = a_b", "f ￭(￭ x ￭) = a_b"),
        ("en", "1,234.56 or 3.5mm", "1,234.56 or 3.5mm"),
        ("fr", "L'eau d’aujourd'hui", "L'￭ eau d’￭ aujourd'hui"),
        ("fr", "Qu'est-ce ?", "Qu'￭ est ￭-￭ ce ?"),
        ("it", "dell'arte", "dell'￭ arte"),
        ("de", "z.B. usw. und „so“.", "z.B. usw. und „￭ so ￭“ ￭."),
        ("es", "¿Qué?", "¿￭ Qué ￭?"),
        ("hi", "हिन्दी में।", "हिन्दी में ￭।"),
        ("ar", "نعم، العربيةُ؟", "نعم ￭، العربيةُ ￭؟"),
        ("en", "👩‍👩‍👧 🇫🇷!", "👩‍👩‍👧 🇫🇷 ￭!"),
        ("en", "---->", "---- ￭&gt;"),
        ("en", "a|||b", "a ￭&#124; ￭&#124; ￭&#124;￭ b"),
    ],
)
def test_tokens_are_what_a_reader_expects(language: str, text: str, tokens: str) -> None:
    assert " ".join(Tokeniser(language).tokens(normalise(text))) == tokens


@given(text=tricky_text)
def test_each_gap_carries_at_most_one_joiner(text: str) -> None:
    tokens = Tokeniser("en").tokens(normalise(text))
    for left, right in pairwise(tokens):
        assert not (left.endswith(JOINER) and right.startswith(JOINER))
    if tokens:
        assert not tokens[0].startswith(JOINER)
        assert not tokens[-1].endswith(JOINER)


@given(text=tricky_text)
def test_escaping_is_undone_and_hides_marks(text: str) -> None:
    assert unescape(escape(text)) == text
    assert protected_class(escape(text)) is None
    assert bare(escape(text)) == escape(text)


@given(text=tricky_text)
def test_cached_and_fresh_tokens_agree(text: str) -> None:
    tokeniser = Tokeniser("fr")
    text = normalise(text)
    first = tokeniser.tokens(text)
    assert tokeniser.tokens(text) == first == Tokeniser("fr").tokens(text)


def test_plain_words_take_the_same_way_as_the_lexer(data) -> None:
    quick, slow = Tokeniser("de"), Tokeniser("de")
    slow._simple = lambda chunk, *, final: ()  # type: ignore[method-assign]
    for line in slice_of(data, "europarl-de-en/train.de.gz", 500):
        assert quick.tokens(normalise(line)) == slow.tokens(normalise(line))


def moses(language: str, **changes: object) -> Orthography:
    pytest.importorskip("sacremoses")
    return Orthography(
        language,
        OrthographyConfig(tokeniser="moses", casing="none", **changes),  # type: ignore[arg-type]
    )


def test_moses_mode_equals_moses_on_its_own_test_data(data) -> None:
    folder = data / "decoder-tests/moses/tests/misc.tokenizer"
    truth = folder.joinpath("truth/results.txt").read_text(encoding="utf-8").splitlines()
    ours: list[str] = []
    for language in ("cs", "de", "en", "es", "fr", "ru"):
        orthography = moses(language, protect=())
        lines = folder.joinpath(f"{language}.txt").read_text(encoding="utf-8").splitlines()
        ours += [str(each) for each in orthography.encode_lines(lines)]
    assert ours == truth


def test_moses_mode_carries_spans_and_detokenises() -> None:
    orthography = moses("en")
    encoded = orthography.encode('Open "%s" <b>now</b>, it\'s 5 & ⟦num1⟧.')
    assert "⟦var1⟧" in encoded.tokens
    assert orthography.decode(encoded.tokens, encoded) == (
        'Open "%s" <b> now </b>, it\'s 5 & [num1].'
    )


@pytest.mark.parametrize(
    "text",
    [
        "<b>page</b>",
        "(page)",
        "&nbsp;page&nbsp;",
        "%spage",
        "\\npage\\n",
        "<i>page</i>, x",
        "<br/>page",
    ],
)
def test_a_word_is_the_same_token_whatever_stands_beside_it(text: str) -> None:
    orthography = Orthography("en", OrthographyConfig(casing="none"))
    encoded = orthography.encode(text)
    assert "page" in encoded.tokens
    assert orthography.decode(encoded.tokens, encoded) == text


@pytest.mark.parametrize(
    "unit", ["a_", "a.", "a/", "aB", "--a", "a-", "{n, plural, ", "<b", "&a", "1.", "\\", "(", "a@"]
)
def test_taking_apart_is_linear_in_the_length_of_a_line(unit: str) -> None:
    # Quadratic patterns would take minutes.
    orthography = Orthography("en", OrthographyConfig(casing="none"))
    assert orthography.encode(unit * (60_000 // len(unit))).tokens
