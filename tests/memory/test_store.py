"""The memory file: what is put in comes out, in order; what is similar is found."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demotic import _core
from demotic.corpus import Bitext, Encoded, Orthography, OrthographyConfig
from demotic.errors import ArgumentError, CorruptFileError
from demotic.memory import TranslationMemory, build
from tests.oracles import memory as oracle

WORDS = st.lists(st.sampled_from("abcdefg"), min_size=1, max_size=6)
MESSAGES = st.lists(WORDS, min_size=1, max_size=25)


def stored(tmp: Path, pairs: list[tuple[str, str]]) -> TranslationMemory:
    """A memory of English and German pairs."""
    english = Orthography.learn([one for one, _ in pairs], "en", config=OrthographyConfig())
    german = Orthography.learn([other for _, other in pairs], "de", config=OrthographyConfig())
    bitext = Bitext.from_pairs(
        pairs, source_language="en", target_language="de", file="some/long/way/to/site.po"
    )
    build(bitext, english, out=tmp / "memory.bin")
    return TranslationMemory.load(tmp / "memory.bin", english, german, verify=True)


def encoded(text: str) -> Encoded:
    """Words as the memory knows them, the first one small."""
    return Encoded(tuple((text[0].lower() + text[1:]).split()))


@given(st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from("xyz")), max_size=30))
def test_translations_stand_by_frequency_then_by_age(
    tmp_path_factory: pytest.TempPathFactory, pairs: list[tuple[str, str]]
) -> None:
    memory = stored(tmp_path_factory.mktemp("memory"), pairs)
    assert len(memory) == len({one for one, _ in pairs})
    for source in "abcde":
        found = [(each.text, each.count) for each in memory.answers(source)]
        assert found == oracle.translations(pairs, source)


@given(MESSAGES, WORDS, st.sampled_from([0.3, 0.5, 0.6, 0.75, 1.0]))
def test_similar_messages_are_those_that_a_look_at_all_finds(
    tmp_path_factory: pytest.TempPathFactory,
    messages: list[list[str]],
    words: list[str],
    least: float,
) -> None:
    different = [list(each) for each in dict.fromkeys(map(tuple, messages))]
    path = str(tmp_path_factory.mktemp("memory") / "memory.bin")
    builder = _core.MemoryBuilder()
    rows = [[" ".join(each), "x", "", "", "", "", " ".join(each), "", ""] for each in different]
    builder.add(rows)
    builder.save(path)
    found = _core.Memory(path, True).similar(words, least, 100)
    assert [tuple(each) for each in found] == oracle.similar(different, words, least)


def test_a_match_says_where_it_stands_and_what_differs(tmp_path: Path) -> None:
    memory = stored(
        tmp_path, [("Delete the old page", "Alte Seite löschen"), ("to delete", "löschen")]
    )
    (exact,) = memory.answers("Delete  the old page")
    assert (exact.kind, exact.similarity, exact.place) == ("exact", 1.0, "…/way/to/site.po:1")
    (similar,) = memory.similar(encoded("Delete the new page"), least=0.7)
    assert (similar.kind, similar.similarity) == ("similar", 0.75)
    assert similar.marked() == "delete the [-old-]{+new+} page"
    assert similar.to_record()["difference"][1] == {"stored": ("old",), "given": ("new",)}
    assert memory.similar(encoded("Delete the new page"), least=0.8) == []


def test_words_that_nobody_knows_are_unlike_each_other(tmp_path: Path) -> None:
    memory = stored(tmp_path, [("one two", "eins zwei")])
    assert memory.similar(encoded("three four"), least=0.1) == []


def test_the_same_pairs_give_the_same_bytes(tmp_path: Path) -> None:
    pairs = [(f"message {n % 7} of {n}", f"Nachricht {n % 5}") for n in range(50)]
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        stored(tmp_path / name, pairs)
    one, other = ((tmp_path / name / "memory.bin").read_bytes() for name in ("one", "other"))
    assert one == other


def test_a_memory_without_messages_answers_nothing(tmp_path: Path) -> None:
    memory = stored(tmp_path, [])
    assert (
        memory.answers("Home")
        == memory.answers("")
        == memory.similar(encoded("Home"), least=0.1)
        == []
    )


def test_entries_have_nine_texts() -> None:
    with pytest.raises(ArgumentError, match="nine texts"):
        _core.MemoryBuilder().add([["a", "b"]])


def test_a_changed_byte_is_found(tmp_path: Path) -> None:
    stored(tmp_path, [("Home", "Start")])
    path = tmp_path / "memory.bin"
    content = bytearray(path.read_bytes())
    content[content.index(b"Start")] ^= 1
    path.write_bytes(content)
    with pytest.raises(CorruptFileError):
        _core.Memory(str(path), True)


@pytest.mark.parametrize(
    ("given", "answer"),
    [
        ("Delete page", "Seite löschen"),
        ("Delete  page", "Seite  löschen"),
        ("Delete\npage now", "Seite\njetzt löschen"),
        ("Delete page\r\nnow", "Seite\r\njetzt löschen"),
        ("Two  lines", "Zwei\nZeilen"),  # gaps of its own
    ],
)
def test_wide_gaps_of_a_message_come_back(tmp_path: Path, given: str, answer: str) -> None:
    english = Orthography.learn(["to delete the page", "delete it"], "en")
    german = Orthography.learn(["die Seite jetzt löschen"], "de")
    builder = _core.MemoryBuilder()
    for source, target, words, tokens, links in [
        ("Delete page", "Seite löschen", "delete page", "Seite löschen", "0-1 1-0"),
        ("Delete page now", "Seite jetzt löschen", "delete page now", "Seite jetzt löschen",
         "0-2 1-0 2-1"),
        ("Two lines", "Zwei\nZeilen", "two lines", "zwei Zeilen", "0-0 1-1"),
    ]:  # fmt: skip
        builder.add([[source, target, "", source.lower(), "", "", words, tokens, links]])
    builder.save(str(tmp_path / "memory.bin"))
    memory = TranslationMemory.load(tmp_path / "memory.bin", english, german)
    assert memory.answers(given)[0].text == answer
