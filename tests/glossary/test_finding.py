"""Terms in sentences: the same words, other forms of them, names."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from demotic.corpus import Orthography, OrthographyConfig
from demotic.glossary import Finder, Glossary
from demotic.glossary.term import alike, plain, stem_of

ENGLISH = Orthography("en", OrthographyConfig(casing="none"))
GERMAN = Orthography("de", OrthographyConfig(casing="none"))
LEARNED: dict[tuple[str, ...], list[tuple[str, ...]]] = {
    ("files",): [("Dateien",), ("die", "Akten")],
    ("file",): [("Datei",), ("der", "Datei")],
    ("filed",): [("abgelegt",)],
    ("old", "files"): [("alten", "Dateien")],
}


def shown(tokens: Sequence[str]) -> list[tuple[str, ...]]:
    return LEARNED.get(tuple(tokens), [])


def found(text: str, *pairs: tuple[str, str], known: bool = True) -> list[tuple[str, list[str]]]:
    finder = Finder(Glossary.of(pairs), ENGLISH, GERMAN, shown, lambda token: known)
    encoded = ENGLISH.encode(text)
    return [
        (" ".join(encoded.tokens[each.first : each.last + 1]), [" ".join(f) for f in each.forms])
        for each in finder.terms_in(encoded)
    ]


def test_a_term_has_its_translation_and_the_forms_that_were_learned() -> None:
    assert found("Delete the file.", ("file", "Datei")) == [("file", ["Datei"])]
    assert found("FILE and File", ("file", "Datei")) == [("FILE", ["Datei"]), ("File", ["Datei"])]


def test_other_forms_are_found_where_they_were_learned_as_forms_of_the_translation() -> None:
    assert found("Delete the files", ("file", "Datei")) == [("files", ["Dateien"])]
    assert found("Delete the files", ("file", "Feile")) == []
    assert found("it was filed", ("file", "Datei")) == []


def test_or_where_nobody_knows_them() -> None:
    assert found("two vouchers", ("voucher", "Gutschein")) == []
    assert found("two vouchers", ("voucher", "Gutschein"), known=False) == [
        ("vouchers", ["Gutschein"])
    ]


def test_the_longest_term_counts() -> None:
    pairs = [("file", "Datei"), ("old file", "alte Datei")]
    assert found("the old file", *pairs) == [("old file", ["alte Datei"])]
    assert found("the old files", *pairs) == [("old files", ["alten Dateien"])]


def test_the_case_of_names_counts() -> None:
    assert found("use it, IT does", ("IT", "EDV")) == [("IT", ["EDV"])]
    assert found("oscar and Oscar", ("Oscar", "Oscar")) == [("Oscar", ["Oscar"])]


def test_words_beside_signs_are_found_and_protected_spans_are_not_words() -> None:
    assert found("(file)", ("file", "Datei")) == [("file", ["Datei"])]
    assert found("see %(file)s and file.txt", ("file", "Datei")) == []


def test_forms_share_their_beginning() -> None:
    assert alike("Datei", "Dateien")
    assert alike("Haus", "Häuser")
    assert alike("category", "categories")
    assert not alike("Seite", "Senf")
    assert not alike("of", "off")


@given(st.lists(st.sampled_from(["file", "files", "old", "page", "(", "x"]), max_size=8))
def test_occurrences_do_not_overlap_and_come_in_order(words: list[str]) -> None:
    pairs = [("file", "Datei"), ("old file", "alte Datei"), ("file page", "Dateiseite")]
    finder = Finder(Glossary.of(pairs), ENGLISH, GERMAN, shown)
    encoded = ENGLISH.encode(" ".join(words))
    at = -1
    for each in finder.terms_in(encoded):
        assert at < each.first <= each.last < len(encoded.tokens)
        assert each.forms
        at = each.last


def test_numbers_and_names_of_programs_are_part_of_terms() -> None:
    assert found("for Windows 11", ("Windows 11", "Fenster 11")) == [
        ("Windows ⟦num1⟧", ["Fenster 11"])
    ]
    assert found("for Windows 10", ("Windows 11", "Fenster 11")) == []
    assert found("with an iPhone", ("iPhone", "Telefon")) == [("⟦name1⟧", ["Telefon"])]
    assert found("delete {name}", ("delete {name}", "{name} [löschen]")) == [
        ("delete ⟦var1⟧", ["{name} &#91;￭ löschen ￭&#93;"])
    ]


@given(st.text("aäB", max_size=9), st.text("abÄ", max_size=9))
def test_words_that_are_alike_begin_with_the_stems_of_both(one: str, other: str) -> None:
    if alike(one, other):
        assert plain(one).startswith(stem_of(other))
        assert plain(other).startswith(stem_of(one))
