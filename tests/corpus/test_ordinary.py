"""What is looked up for ordinary text is what the long way gives."""

from __future__ import annotations

from copy import copy

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from demotic.corpus import Orthography, OrthographyConfig
from demotic.corpus.marks import JOINER
from tests.corpus.texts import tricky_text

TEXTS = {
    "en": ["The cat sat on the mat. The dog is in the House", "Does the cat sit? The IBM does."],
    "de": ["Der Mann ruft. Die Frau ruft den Mann an.", "Das Haus ist groß", "er sagt „ja“"],
    "fr": ["L'eau est froide. L'homme dit « oui ».", "Où est-elle ?", "c'est l'été"],
    "zh": ["你好。", "我 在 家"],
    "ja": ["これは本です。"],
}
ORTHOGRAPHIES = {
    (language, casing): Orthography.learn(
        lines, language, config=OrthographyConfig(casing=casing, segment="characters")
    )
    for language, lines in TEXTS.items()
    for casing in ("truecase", "lower", "none")
}


def without(orthography: Orthography) -> Orthography:
    """The same, going the long way always."""
    other = copy(orthography)
    object.__setattr__(other, "_ordinary", None)
    return other


LONG_WAY = {name: without(orthography) for name, orthography in ORTHOGRAPHIES.items()}
NAMES = st.sampled_from(sorted(ORTHOGRAPHIES))
_SOME = """Delete the cat House IBM iPhone max. Mr. e.g. U.S. a) (b) - -- --x www. mailto: x.y l'eau
    don't it's The, end! really?! well... wait… (see all) A CAT é É ﬁ Å ١٢ 12 &File _x 你 page:
    o'clock 'tis s' rock-n-roll -5 ß . , ? !"""
_PIECES = st.sampled_from(_SOME.split())
_LINES = st.lists(_PIECES, max_size=9).map(" ".join) | tricky_text


@settings(max_examples=500)
@given(text=_LINES, name=NAMES)
@example(text="Delete  page", name=("en", "truecase"))
@example(text=" Delete page", name=("en", "truecase"))
@example(text="a) Delete page", name=("en", "truecase"))
@example(text="THE CAT SAT", name=("en", "truecase"))
def test_text_is_taken_apart_alike(text: str, name: tuple[str, str]) -> None:
    assert ORTHOGRAPHIES[name].encode(text) == LONG_WAY[name].encode(text)


_MARKED = """delete the Cat ￭. ￭, ￭? … . ... ! !!! (￭ ￭) "￭ ￭" „￭ ￭“ - ￭-￭ ￭- l'￭ ￭'s ￭'re n't ￭n't
        don't ⟦num1⟧ ￭⟦tag1⟧ ⁀s⁀ ▁x 你 好 &amp; &#91;￭ x￭ ￭x ｗ 12 é — ￭…"""
_TOKENS = st.lists(st.sampled_from([*_MARKED.split(), "", JOINER]), max_size=8)


@settings(max_examples=500)
@given(
    tokens=_TOKENS,
    text=_LINES,
    name=NAMES,
    links=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=4),
)
def test_tokens_are_written_alike(
    tokens: list[str], text: str, name: tuple[str, str], links: list[tuple[int, int]]
) -> None:
    source = LONG_WAY["en", "truecase"].encode(text)
    links = [
        (one, other) for one, other in links if one < len(source.tokens) and other < len(tokens)
    ]
    found = ORTHOGRAPHIES[name].decode(tokens, source, alignment=links)
    assert found == LONG_WAY[name].decode(tokens, source, alignment=links)


@pytest.mark.parametrize(
    ("text", "ordinary"),
    [
        ("Delete the page?", True),
        ("Don't delete it: Mr. Smith's page (and all others)!", True),
        ("Öffne das Menü…", True),
        ("Delete %s", False),
        ("12 pages", False),
        ('"Home"', False),
        ("Delete  page", False),
        ("index.html", False),
        ("iPhone", False),
        ("a) Delete", False),
        ("&File", False),
        ("", False),
    ],
)
def test_most_text_is_ordinary(text: str, ordinary: bool) -> None:
    english = ORTHOGRAPHIES["en", "truecase"]._ordinary
    assert english is not None
    assert (english.tokens(text) is not None) == ordinary
