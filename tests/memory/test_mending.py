"""Messages that differ in numbers, placeholders, case or their last mark."""

from __future__ import annotations

from pathlib import Path

import pytest

from demotic.memory import TranslationMemory
from tests.memory.test_store import stored

PAIRS = [
    ("Delete 3 files", "3 Dateien löschen"),
    ("%s was renamed to %s", "%s wurde in %s umbenannt"),
    ("Add <b>page</b>", "<b>Seite</b> hinzufügen"),
    ("Toggle sidebar", "Seitenleiste ein-/ausblenden"),
    ("delete", "löschen"),
    ("We delete pages.", "Wir löschen Seiten."),
    ("Page", "Seite"),
    ("This site has a page.", "Diese Website hat eine Seite."),
    ("Published on %(date)s.", "Veröffentlicht am %(date)s."),
    ("Are you sure?", "Sind Sie sicher?"),
    ("They are here.", "Sie sind hier."),
    ("and so on", "usw."),
    ("2 pages, 2 images", "2 Seiten und Bilder"),
    ("HTTP", "HTTP"),
]


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> TranslationMemory:
    return stored(Path(tmp_path_factory.mktemp("memory")), PAIRS)


@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_what_is_stored_comes_back(memory: TranslationMemory, source: str, target: str) -> None:
    found = memory.answers(source.replace(" ", "  "))
    assert [(each.kind, each.text) for each in found] == [("exact", target)]


def test_white_space_around_a_message_stays(memory: TranslationMemory) -> None:
    assert [each.text for each in memory.answers("\t Page  ")] == ["\t Seite  "]


@pytest.mark.parametrize(
    ("text", "kind", "expected"),
    [
        ("Delete 17 files", "substituted", "17 Dateien löschen"),
        ("%(old)s was renamed to %(new)s", "substituted", "%(old)s wurde in %(new)s umbenannt"),
        ("Add <em>page</em>", "substituted", "<em>Seite</em> hinzufügen"),
        ("toggle sidebar", "mended", "Seitenleiste ein-/ausblenden"),
        ("TOGGLE SIDEBAR", "mended", "SEITENLEISTE EIN-/AUSBLENDEN"),
        ("Delete", "mended", "Löschen"),
        ("DELETE!", "mended", "LÖSCHEN!"),
        ("page", "mended", "Seite"),
        ("are you sure", "mended", "sind Sie sicher"),
        ("Are you sure!", "mended", "Sind Sie sicher!"),
        ("PUBLISHED ON %(when)s:", "mended", "VERÖFFENTLICHT AM %(when)s:"),
        ("delete 5 files.", "mended", "5 Dateien löschen."),
    ],
)
def test_what_differs_is_put_right(
    memory: TranslationMemory, text: str, kind: str, expected: str
) -> None:
    first, *_ = memory.answers(text)
    assert (first.kind, first.text) == (kind, expected)


@pytest.mark.parametrize(
    "text",
    [
        "3 pages, 4 images",  # the translation has one number for two
        "and so on!",  # its mark may belong to its last word
        "Delete three files",
        "!",
        "",
    ],
)
def test_what_cannot_be_put_right_is_not_answered(memory: TranslationMemory, text: str) -> None:
    assert memory.answers(text) == []


def test_matches_that_read_the_same_count_together(tmp_path: Path) -> None:
    pairs = [
        ("1 page", "1 Seite"), ("2 page", "2 Blatt"), ("3 page", "3 Blatt"), ("4 page", "4 Seite"),
        ("5 page", "5 Blatt"),
    ]  # fmt: skip
    found = stored(tmp_path, pairs).answers("6 page")
    assert [(each.text, each.count, each.source) for each in found] == [
        ("6 Blatt", 3, "5 page"),
        ("6 Seite", 2, "4 page"),
    ]


def test_marks_are_those_of_the_language() -> None:
    from demotic.memory.mending import repunctuated

    assert repunctuated("Save", "Save?", "保存", "zh") == "保存？"
    assert repunctuated("Save?", "Save", "保存？", "zh") == "保存"
    assert repunctuated("Save", "Save:", "Enregistrer", "fr") == "Enregistrer\u00a0:"
