"""What a translator reads first: a small model on messages that went wrong for no statistical
reason.  The decoder speaks, not the memory."""

from __future__ import annotations

import pytest

import demotic
from demotic.corpus import Bitext
from demotic.systems.model import Model

NOUNS = [
    ("page", "Seite", "die"), ("pages", "Seiten", "die"), ("user", "Benutzer", "den"),
    ("file", "Datei", "die"), ("files", "Dateien", "die"), ("image", "Bild", "das"),
    ("group", "Gruppe", "die"), ("index", "Verzeichnis", "das"), ("tab", "Reiter", "den"),
]  # fmt: skip
PAIRS = [
    *((noun, german) for noun, german, _ in NOUNS),
    *((f"Delete {noun}", f"{german} löschen") for noun, german, _ in NOUNS),
    *((f"Add {noun}", f"{german} hinzufügen") for noun, german, _ in NOUNS),
    *((f"Delete the {noun}", f"{the} {german} löschen") for noun, german, the in NOUNS),
    *((f"Delete all {noun}", f"Alle {german} löschen") for noun, german, _ in NOUNS),
    *((f"all {noun}", f"alle {german}") for noun, german, _ in NOUNS),
    ("to delete", "löschen"),
    ("to add", "hinzufügen"),
    ("This page has changes.", "Diese Seite hat Änderungen."),
    ("This group has changes.", "Diese Gruppe hat Änderungen."),
    ("changes", "Änderungen"),
    ("here", "hier"),
    ("home", "Startseite"),
    ("The page is here.", "Die Seite ist hier."),
    ("The page “Home” is here.", "Die Seite „Startseite“ ist hier."),
    ("We’re sorry", "Es tut uns leid"),
    ("We’re sorry, the page is here.", "Es tut uns leid, die Seite ist hier."),
]


@pytest.fixture(scope="module", params=["hiero", "phrase", "amasis"])
def model(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Model:
    bitext = Bitext.from_pairs(PAIRS, source_language="en", target_language="de")
    out = tmp_path_factory.mktemp("quoted") / "model"
    trained = demotic.train(bitext, system=request.param, out=out)
    return trained.with_memory({"use": False})


@pytest.mark.parametrize(
    ("text", "translation"),
    [
        # Words at the edge of markup.
        ("Add <b>page</b>", "<b>Seite</b> hinzufügen"),
        ("<p>This page has changes.</p>", "<p>Diese Seite hat Änderungen.</p>"),
        ("{% if x %}Delete{% endif %}", "{% if x %}Löschen{% endif %}"),
        ("Delete %(link)sall%(end_link)s pages", "%(link)sAlle%(end_link)s Seiten löschen"),
        # Names and codes.
        ("index.html", "index.html"),
        ("config.yaml", "config.yaml"),
        ("example.com", "example.com"),
        ("wagtail.admin.panels", "wagtail.admin.panels"),
        ("Delete index.html", "index.html löschen"),
        (r"Tab\there", r"Reiter\thier"),
        ("&Delete", "&Löschen"),
        ("_Delete", "_Löschen"),
        ("{n, select, a {page} other {pages}}", "{n, select, a {Seite} other {Seiten}}"),
        # Marks in pairs.
        ("'Home'", "'Startseite'"),
        ("Delete (all) pages", "(Alle) Seiten löschen"),
        # Clitics.
        ("We're sorry", "Es tut uns leid"),
        # Numbers, case, letters.
        ("1. Delete page", "1. Seite löschen"),
        ("DELETE", "LÖSCHEN"),
        ("ALL PAGES", "ALLE SEITEN"),
        ("Dèlete page", "Seite löschen"),
        # White space.
        ("  Delete page \n", "  Seite löschen \n"),
        ("Delete  page", "Seite  löschen"),
        ("Delete page\r\n\r\nAdd user", "Seite löschen\r\n\r\nBenutzer hinzufügen"),
    ],
)  # fmt: skip
def test_what_a_translator_reads_first(model: Model, text: str, translation: str) -> None:
    assert model.translate(text).text == translation


@pytest.mark.parametrize(
    ("text", "translations"),
    [
        ('"Home"', ['"Startseite"', "„Startseite“"]),
        ('"Delete" page', ["Seite „löschen“", "„Löschen“ Seite"]),
        ("(Delete) page", ["Seite (löschen)", "(Löschen) Seite"]),
    ],
)
def test_marks_enclose_what_they_enclosed(model: Model, text: str, translations: list[str]) -> None:
    assert model.translate(text).text in translations


@pytest.mark.parametrize("system", ["hiero", "phrase"])
def test_no_pair_of_marks_is_left_empty(
    system: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Words beside a tag are sometimes lost in the training text."""
    lost = [(f"See <i>{noun}</i>", "<i></i> sehen") for noun in ("group", "user", "tab")]
    pairs = [
        *PAIRS,
        *lost,
        ("See <i>x</i>", "<i>x</i> sehen"),
        ("all <i>group</i>", "alle <i></i>"),
    ]
    bitext = Bitext.from_pairs(pairs, source_language="en", target_language="de")
    out = tmp_path_factory.mktemp("emptied") / "model"
    model = demotic.train(bitext, system=system, out=out).with_memory({"use": False})
    for text in ("Add <i>group</i>", "Delete <i>user</i>"):
        best = model.translate(text)
        assert "<i></i>" not in best.text
        assert model.nbest(text, 3)[0].text == best.text
