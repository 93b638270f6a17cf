"""Suggestions: the file keeps them all, the memory answers as one that was trained on the last."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demotic.corpus import Bitext, Orthography
from demotic.corpus.normalise import plain_spaces
from demotic.errors import FileAccessError, FormatError
from demotic.memory import Match, SuggestedMemory, Suggestion, SuggestionFile, TranslationMemory
from demotic.memory import build as build_memory
from demotic.memory.suggestions import read_suggestions, with_suggestions
from tests.oracles import memory as oracle

ENGLISH = Orthography.learn(["open the file", "a b c d"], "en")
GERMAN = Orthography.learn(["öffne die datei", "x y z"], "de")
MESSAGES = st.lists(
    st.sampled_from(["a", "b", "c", "The", "the", "file", "3", "17", "%s", "<b>", "file."]),
    min_size=1, max_size=5,
).map(" ".join)  # fmt: skip
PAIRS = st.lists(
    st.tuples(MESSAGES, st.sampled_from(["x", "y 3", "z %s", "X <b>", "x 17."])), max_size=20
)


def suggested(pairs: list[tuple[str, str]]) -> SuggestedMemory:
    memory = SuggestedMemory(ENGLISH, GERMAN)
    for number, (source, target) in enumerate(pairs, 1):
        memory.add(Suggestion(source, target, "en", "de", line=number), "said")
    return memory


def trained(pairs: list[tuple[str, str]], folder: Path) -> TranslationMemory:
    bitext = Bitext.from_pairs(pairs, source_language="en", target_language="de", file="said")
    build_memory(bitext, ENGLISH, out=folder / "memory.bin")
    return TranslationMemory.load(folder / "memory.bin", ENGLISH, GERMAN)


@given(PAIRS, MESSAGES)
def test_it_answers_as_a_memory_of_the_last_suggestions(
    tmp_path_factory: pytest.TempPathFactory, pairs: list[tuple[str, str]], message: str
) -> None:
    last: dict[str, tuple[str, str]] = {}
    for source, target in pairs:
        last.pop(plain_spaces(source), None)
        last[plain_spaces(source)] = source, target
    live = suggested(pairs)
    stored = trained(list(last.values()), tmp_path_factory.mktemp("memory"))

    def bare(found: list[Match]) -> list[Match]:
        return [replace(each, unit="") for each in found]

    assert len(live) == len(last)
    for text in (message, f" {message}\n", message.upper(), f"{message}!"):
        assert bare(live.answers(text)) == bare(stored.answers(text))


@given(PAIRS, MESSAGES, st.sampled_from([0.3, 0.6, 0.75]))
def test_similar_ones_are_those_that_a_look_at_all_finds(
    pairs: list[tuple[str, str]], message: str, least: float
) -> None:
    live = suggested(pairs)
    sources = list(reversed(dict.fromkeys(plain_spaces(each) for each, _ in reversed(pairs))))
    messages = [ENGLISH.encode(each).tokens for each in sources]
    words = ENGLISH.encode(message).tokens
    expected = [
        (sources[number], 1 - away / length)
        for number, away, length in oracle.similar(messages, words, least)
        if set(words) & set(messages[number])
    ]
    found = live.similar(ENGLISH.encode(message), least=least, most=100)
    assert [(each.source, each.similarity) for each in found] == expected


@given(st.lists(st.tuples(st.text(min_size=1), st.text(min_size=1)), max_size=8), st.data())
def test_what_is_written_is_read_also_behind_a_torn_line(
    tmp_path_factory: pytest.TempPathFactory, pairs: list[tuple[str, str]], data: st.DataObject
) -> None:
    sound = [
        (source.encode("utf-8", "replace").decode(), target.encode("utf-8", "replace").decode())
        for source, target in pairs
    ]
    path = tmp_path_factory.mktemp("said") / "said.jsonl"
    for source, target in sound:
        SuggestionFile(path).append(Suggestion(source, target, "en", "de"))
    assert [(each.text, each.translation) for each in SuggestionFile(path).read()] == sound
    if not sound:
        return
    whole = path.read_bytes()
    cut = data.draw(st.integers(0, len(whole)))
    path.write_bytes(whole[:cut])
    kept = whole[:cut].count(b"\n") + (whole[cut : cut + 1] == b"\n")
    again = SuggestionFile(path)
    again.append(Suggestion("new", "neu", "en", "de"))
    texts = [(each.text, each.translation) for each in again.read()]
    assert texts == [*sound[:kept], ("new", "neu")]


def test_lines_that_are_none_are_passed_over_and_files_of_nothing_else_refused(
    tmp_path: Path,
) -> None:
    path = tmp_path / "said.jsonl"
    good = {"q": "a", "s": "b", "source": "en", "target": "de", "more": 1}
    bad = [
        "null", "[]", '{"q": "a"}', json.dumps({**good, "s": ""}), json.dumps({**good, "s": 3}),
        json.dumps({**good, "q": "\ud800"}), "[" * 100_000,
    ]  # fmt: skip
    path.write_text("\n".join([*bad, json.dumps(good), "", "{"]), encoding="utf-8")
    assert [(each.text, each.line) for each in read_suggestions(path)] == [("a", len(bad) + 1)]
    path.write_text("\n".join(bad), encoding="utf-8")
    with pytest.raises(FormatError, match="no line holds a suggestion"):
        list(read_suggestions(path))
    with pytest.raises(FileAccessError, match="said2"):
        list(read_suggestions(tmp_path / "said2"))


def test_a_bitext_learns_the_last_of_its_languages_and_forgets_others(tmp_path: Path) -> None:
    path = tmp_path / "said.jsonl"
    file = SuggestionFile(path)
    for source, target, one, other in (
        ("one", "eins!", "en", "de"), ("one", "EINS", "en-GB", "de"), ("two", "deux", "en", "fr"),
        ("three\nlines", "drei\nZeilen", "en", "de"),
    ):  # fmt: skip
        file.append(Suggestion(source, target, one, other))
    bitext = Bitext.from_pairs(
        [("two", "zwei"), (" one ", "eins"), ("one", "EINS"), ("two", "zwei")],
        source_language="en", target_language="de", file="memory.tsv",
    )  # fmt: skip
    learned, count = with_suggestions(bitext, path)
    assert count == 2
    assert [(each.source, each.target, each.file, each.unit) for each in learned] == [
        ("two", "zwei", "memory.tsv", "1"), ("one", "EINS", "memory.tsv", "3"),
        ("two", "zwei", "memory.tsv", "4"), ("one", "EINS", str(path), "2"),
        ("three lines", "drei Zeilen", str(path), "4"),
    ]  # fmt: skip
    assert (learned.source_language, learned.target_language) == ("en", "de")
    assert with_suggestions(learned, path)[0].source_language == "en"
    others = Bitext.from_pairs([("a", "b")], source_language="en", target_language="es")
    assert with_suggestions(others, path) == (others, 0)
