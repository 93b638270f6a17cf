"""Glossaries from tables and TBX."""

from __future__ import annotations

from pathlib import Path

import pytest

from demotic.errors import DemoticError
from demotic.glossary import Glossary, Term, read_glossary

TBX = """<?xml version="1.0"?>
<{root}><text><body>
<{entry} id="1"><{part} xml:lang="en-GB"><tig><term>shipping
  address</term></tig></{part}><{part} xml:lang="de"><tig><term>Lieferadresse</term></tig>
  <tig><term>Versandadresse</term></tig></{part}></{entry}>
<{entry} id="2"><{part} xml:lang="en"><tig><term>basket</term></tig></{part}>
  <{part} xml:lang="fr"><tig><term>panier</term></tig></{part}></{entry}>
</body></text></{root}>
"""


def test_a_table_has_terms_their_translations_and_words_that_stay(tmp_path: Path) -> None:
    path = tmp_path / "terms.tsv"
    path.write_text("\ufeff# ours\nfile\tDatei\tnoun\n\nOscar\nfile\tAkte\n\x20page \t Seite\n")
    terms = read_glossary([path]).terms
    assert terms == (
        Term("file", ("Datei", "Akte")),
        Term("Oscar", ("Oscar",)),
        Term("page", ("Seite",)),
    )
    assert [term.stays for term in terms] == [False, True, False]


@pytest.mark.parametrize("head", ["source\ttarget", "en\tde", "EN-gb\tDE"])
def test_a_line_of_names_is_no_term(tmp_path: Path, head: str) -> None:
    path = tmp_path / "terms.tsv"
    path.write_text(f"{head}\nfile\tDatei\n")
    assert len(read_glossary([path], source="en", target="de")) == 1


def test_csv_may_be_quoted_and_have_semicolons(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text('"file, old","Datei, alte"\n')
    (tmp_path / "b.csv").write_text("page;Seite\n")
    glossary = read_glossary([tmp_path / "a.csv", tmp_path / "b.csv"])
    assert glossary.terms == (Term("file, old", ("Datei, alte",)), Term("page", ("Seite",)))


@pytest.mark.parametrize(
    ("root", "entry", "part"),
    [("martif", "termEntry", "langSet"), ("tbx", "conceptEntry", "langSec")],
)
def test_tbx_of_both_kinds(tmp_path: Path, root: str, entry: str, part: str) -> None:
    path = tmp_path / "terms.tbx"
    path.write_text(TBX.format(root=root, entry=entry, part=part))
    glossary = read_glossary([path], source="en", target="de")
    assert glossary.terms == (Term("shipping address", ("Lieferadresse", "Versandadresse")),)


def test_what_was_written_is_read_again(tmp_path: Path) -> None:
    path, again = tmp_path / "terms.tsv", tmp_path / "again.tsv"
    path.write_text("file\tDatei\nfile\tAkte\nOscar\n")
    others = Glossary.of([("source", "Quelle"), ("<b>", "<i>"), ("#1", "Nr. 1"), ("en", "de")])
    for glossary in (read_glossary([path]), others):
        again.write_text("".join(f"{line}\n" for line in glossary.lines()))
        assert read_glossary([again]) == glossary


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.tsv", b"file\tDatei\n\tSeite\n", "a.tsv:2: a translation without a term"),
        ("a.tsv", b"file\t\xff\n", "a.tsv:1"),
        ("a.csv", b"file,Datei\na\rb,Seite\n", "a.csv:2: no CSV"),
        ("a.csv", b"a" * 200_000, "a.csv:1: no CSV"),
        ("a.tbx", b"<html><body/></html>", "a.tbx:1: not a TBX file: its root is <html>"),
        ("a.tbx", b"<tbx><term>x</tbx>", "broken XML"),
        ("a.tbx", b"<tbx></tbx>", "no terms in en and de"),
        (
            "a.tbx",
            b'<!DOCTYPE tbx [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><tbx>&b;</tbx>',
            "refused XML that declares entities",
        ),
    ],
)
def test_what_is_no_glossary_is_refused(
    tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DemoticError) as caught:
        read_glossary([tmp_path / name], source="en", target="de")
    assert message in str(caught.value)
    assert name in str(caught.value)


def test_later_terms_replace_those_of_the_model(tmp_path: Path) -> None:
    one, other = tmp_path / "one.tsv", tmp_path / "other.tsv"
    one.write_text("file\tAkte\npage\tSeite\n")
    other.write_text("file\tDatei\n")
    both = read_glossary([one]).with_terms(read_glossary([other]))
    assert both.terms == (Term("file", ("Datei",)), Term("page", ("Seite",)))
