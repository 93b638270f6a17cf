"""Signs are mended before a translation is written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demotic.corpus import Orthography, OrthographyConfig
from demotic.corpus.mark_pairs import pairs

ENGLISH = Orthography("en", OrthographyConfig(casing="none"))
GERMAN = Orthography.learn(["Er sagt „ja“ und „nein“.", "ein 'x'"], "de")


def german(text: str, tokens: str, links: str) -> str:
    pairs = [(int(one), int(other)) for one, other in (link.split("-") for link in links.split())]
    return GERMAN.decode(tokens.split(), ENGLISH.encode(text), alignment=pairs)


@pytest.mark.parametrize(
    ("text", "tokens", "links", "mended"),
    [
        # What was between marks is between marks again.
        ('"Delete" page', '"￭ ￭" Seite löschen', "0-0 2-1 3-2 1-3", "Seite „löschen“"),
        ("(Delete) page", "(￭ ￭) Seite löschen", "0-0 2-1 3-2 1-3", "Seite (löschen)"),
        ("(Delete) page", "(￭ Seite ￭) löschen", "0-0 3-1 2-2 1-3", "Seite (löschen)"),
        ("Add <b>page</b>", "⟦tag1⟧￭ Seite hinzufügen ￭⟦tag2⟧", "1-0 2-1 0-2 3-3",
         "<b>Seite</b> hinzufügen"),
        ("'Home'", "'￭ Home", "0-0 1-1", "'Home'"),
        ("a (b [c] d)", "a (￭ b ￭) c &#91;￭ ￭&#93; d", "0-0 1-1 2-2 7-3 4-4 3-5 5-6 6-7",
         "A (b [c] d)"),
        # Where nothing is linked to what they enclosed: around words that nothing gave, or nowhere.
        ("(Delete) page", "(￭ ￭) Seite löschen", "0-0 2-1 3-2", "Seite (löschen)"),
        ("(Delete) page", "(￭ ￭) Seite", "0-0 2-1 3-2", "Seite"),
        # What a mark gave is no word.
        ('"Home" page', "Abbruch Start von Seite", "0-0 1-1 2-2 3-3", "„Start“ Seite"),
        # Full-width ones are of the same kind, and 「」 are quotation marks, but not German ones.
        ("(all) pages", "（￭ alle ￭） Seiten", "0-0 1-1 2-2 3-3", "（Alle） Seiten"),
        ('"Home" page', "「￭ Start ￭」 Seite", "0-0 1-1 2-2 3-3", "„Start“ Seite"),
        ("(all) pages", "（￭ Seiten ￭） alle", "0-0 3-1 2-2 1-3", "Seiten （alle）"),
        # Good ones stay as the decoder wrote them, in whatever style.
        ('"Home"', '"￭ Home ￭"', "0-0 1-1 2-2", '"Home"'),
        ('"Home"', "„￭ Home ￭“", "0-0 1-1 2-2", "„Home“"),
        # Marks of two styles become one pair.
        ('"Home"', '„￭ Home ￭"', "0-0 1-1 2-2", "„Home“"),
        # Clitics do not cross over.
        ("We're sorry", "Wir ￭'re leider", "0-0 1-1 2-2", "Wir leider"),
        # A number that nothing gave stands for the one that was lost, or goes.
        ("Price €6,00", "Preis von 10,00", "0-0 1-2", "Preis von 6,00"),
        ("Price €6,00", "Preis von 10,00 ⟦num1⟧", "0-0 1-2 2-3", "Preis von 6,00"),
        ("two of 7", "2 von ⟦num1⟧", "0-0 1-1 2-2", "2 von 7"),
    ],
)  # fmt: skip
def test_signs_are_mended(text: str, tokens: str, links: str, mended: str) -> None:
    assert german(text, tokens, links) == mended


@pytest.mark.parametrize(
    ("tokens", "links", "mended"),
    [
        ("下 書 き を (￭ ￭) ページ", "0-4 1-1 2-5 3-6", "(下書き)をページ"),
        ("の ページ を (￭ ￭) 編 集", "0-3 1-1 2-4 3-5 3-6", "の(ページ)を編集"),
        ("(￭ ￭) 草 稿 的 页", "0-0 1-3 2-1 3-5 3-4", "(草稿)的页"),
    ],
)
def test_marks_stand_around_whole_words(tokens: str, links: str, mended: str) -> None:
    """Links often find one character of several."""
    japanese = Orthography("ja", OrthographyConfig(casing="none"))
    pairs = [(int(one), int(other)) for one, other in (link.split("-") for link in links.split())]
    source = ENGLISH.encode("(draft) page")
    assert japanese.decode(tokens.split(), source, alignment=pairs) == mended


@pytest.mark.parametrize(
    ("text", "tokens", "links", "mended"),
    [
        ("页面“首页”已删除。", "page “ home ” deleted ￭.", "0-0 1-1 2-2 3-3 4-4 5-4 6-5",
         "page “home” deleted."),
        ("页面“首页”", "page Cancel home some", "0-0 1-1 2-2 3-3", 'page "home"'),
        ('页面"首页"', "page ￭\" home ￭\"", "0-0 1-1 2-2 3-3", 'page "home"'),
        ("《首页》", "》 《 home", "2-0 0-1 1-2", '"home"'),
        ("%(start_a)s和%(end_a)s", "⟦var1⟧ and ⟦var2⟧", "0-0 1-1 2-2", "%(start_a)s and %(end_a)s"),
        ("<em>首页</em>", "⟦tag1⟧ home ⟦tag2⟧", "0-0 1-1 2-2", "<em>home</em>"),
        ("「首页」页面", "page 「 home 」", "0-1 1-2 2-3 3-0", 'page "home"'),
        ("页面“首页”和“页面”", "“ home ” page and “ page ”", "1-0 2-1 3-2 0-3 4-4 5-5 6-6 7-7",
         "“home” page and “page”"),
    ],
)  # fmt: skip
def test_marks_pair_where_no_space_tells(text: str, tokens: str, links: str, mended: str) -> None:
    pytest.importorskip("jieba")
    chinese = Orthography("zh", OrthographyConfig(segment="jieba"))
    english = Orthography("en", OrthographyConfig(casing="none"), quotes={"double": '""'})
    links_ = [(int(one), int(other)) for one, other in (link.split("-") for link in links.split())]
    assert english.decode(tokens.split(), chinese.encode(text), alignment=links_) == mended


def test_english_keeps_its_own_clitics() -> None:
    source = ENGLISH.encode("We're")
    assert ENGLISH.decode(["we", "￭'re"], source, alignment=[(0, 0), (1, 1)]) == "we're"


_INNER = st.lists(st.sampled_from(["a", "b", "%s", "(xx)", '"y"', "<b>z</b>", "[q]"]), min_size=1)


@given(words=_INNER, order=st.randoms(use_true_random=False))
def test_marks_of_a_shuffled_translation_enclose_the_same_words(
    words: list[str], order: object
) -> None:
    source = ENGLISH.encode(" ".join(words))
    places = list(range(len(source.tokens)))
    order.shuffle(places)  # type: ignore[attr-defined]
    tokens = [source.tokens[place] for place in places]
    links = [(place, at) for at, place in enumerate(places)]
    again = ENGLISH.encode(ENGLISH.decode(tokens, source, alignment=links))

    def enclosed(tokens: tuple[str, ...]) -> list[str]:
        tags = {"⟦tag1⟧": "<b>", "⟦tag2⟧": "</b>"}
        return sorted(
            " ".join(each.strip("￭") for each in tokens[pair.first + 1 : pair.last])
            for pair in pairs(tokens, tags)
        )

    if words.count("<b>z</b>") <= 1:
        assert enclosed(again.tokens) == enclosed(source.tokens)


def test_styles_are_learned_and_saved() -> None:
    assert GERMAN.quotes == {"double": "„“", "single": "''"}
    assert Orthography.from_json(GERMAN.to_json()) == GERMAN
