from __future__ import annotations

import gzip
import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demotic._core import Links
from demotic.align import pharaoh
from demotic.align.lexical import LexicalTable
from demotic.align.text import Text
from demotic.errors import CorruptFileError, FileAccessError, FormatError

Pair = tuple[list[str], list[str], set[tuple[int, int]]]
NULL = "NULL"  # the empty word


@st.composite
def sentence_pair(draw: st.DrawFn) -> Pair:
    source = draw(st.lists(st.sampled_from(["a", "b", "c", "NULL"]), min_size=1, max_size=5))
    target = draw(st.lists(st.sampled_from(["x", "y", "a", "NULL"]), min_size=1, max_size=5))
    link = st.tuples(st.integers(0, len(source) - 1), st.integers(0, len(target) - 1))
    return source, target, draw(st.sets(link, max_size=6))


def events(pairs: list[Pair]) -> Iterator[tuple[str, str]]:
    """Every pair of words that counts once: each link, and each word without one beside NULL."""
    for source, target, links in pairs:
        yield from ((source[i], target[j]) for i, j in links)
        for i, word in enumerate(source):
            if all(link[0] != i for link in links):
                yield word, NULL
        for j, word in enumerate(target):
            if all(link[1] != j for link in links):
                yield NULL, word


def estimated(pairs: list[Pair]) -> LexicalTable:
    links = Links()
    for _, _, line in pairs:
        links.append(sorted(line))
    source = Text.of(" ".join(source) for source, _, _ in pairs)
    target = Text.of(" ".join(target) for _, target, _ in pairs)
    return LexicalTable.estimate(source, target, links)


PAIRS = st.lists(sentence_pair(), min_size=1, max_size=6)
EXAMPLE: list[Pair] = [
    (["das", "Haus"], ["the", "house", "."], {(0, 0), (1, 1)}),
    (["ein", "Haus"], ["a", "home"], {(1, 1)}),
]


@given(pairs=PAIRS)
def test_probabilities_are_shares_of_the_counts(pairs: list[Pair]) -> None:
    table = estimated(pairs)
    counts = Counter(events(pairs))
    assert len(table) == len(counts)
    for (f, e), count in counts.items():
        from_f = sum(n for (other, _), n in counts.items() if other == f)
        from_e = sum(n for (_, other), n in counts.items() if other == e)
        assert table.target_given_source(f, e) == count / from_f
        assert table.source_given_target(f, e) == count / from_e


@given(pairs=PAIRS)
def test_text_and_binary_forms_keep_the_table(
    tmp_path_factory: pytest.TempPathFactory, pairs: list[Pair]
) -> None:
    folder = tmp_path_factory.mktemp("lexical")
    table = estimated(pairs)
    table.write(folder / "lex")
    again = LexicalTable.read(folder / "lex")
    table.save(folder / "lex.bin")
    loaded = LexicalTable.load(folder / "lex.bin")
    loaded.save(folder / "copy.bin")
    assert (folder / "copy.bin").read_bytes() == (folder / "lex.bin").read_bytes()
    assert len(again) == len(loaded) == len(table)
    for f, e in set(events(pairs)):
        exact = table.target_given_source(f, e), table.source_given_target(f, e)
        assert (loaded.target_given_source(f, e), loaded.source_given_target(f, e)) == exact
        rounded = again.target_given_source(f, e), again.source_given_target(f, e)
        assert rounded == pytest.approx(exact, abs=5.1e-8)  # seven decimals


def test_words_that_were_never_linked_have_probability_zero() -> None:
    table = estimated(EXAMPLE)
    assert table.target_given_source("Haus", "house") == 0.5
    assert table.target_given_source("das", "house") == 0
    assert table.target_given_source("Hund", "house") == 0
    assert table.source_given_target("Haus", "dog") == 0
    assert table.target_given_source("ein", NULL) == 1
    assert table.source_given_target(NULL, ".") == 1


def test_equals_moses_own_test(data: Path, tmp_path: Path) -> None:
    # Moses prints in the order of a hash table and its test sorts both files into one; the numbers
    # are compared as text, all seven decimals.
    folder = data / "decoder-tests/moses/tests/misc.lexical-weights"
    source, target = Text.read(folder / "fr"), Text.read(folder / "en")
    links = pharaoh.read(folder / "align.fr-en", source=source.lines, target=target.lines)
    paths = LexicalTable.estimate(source, target, links).write(tmp_path / "lex")
    lines = [line for path in paths for line in path.read_text().splitlines()]
    assert sorted(lines) == sorted((folder / "truth/results.txt").read_text().splitlines())


def test_real_text_gives_distributions_that_sum_to_one(data: Path, tmp_path: Path) -> None:
    folder = data / "europarl-fr-en-giza10k"

    def first(name: str) -> list[str]:
        with gzip.open(folder / name, "rt", encoding="utf-8") as lines:
            return [line.rstrip("\n") for line in islice(lines, 2000)]

    links = pharaoh.read(folder / "train.fr-en.align.gz").slice(0, 2000)
    source, target = Text.of(first("train.fr.gz")), Text.of(first("train.en.gz"))
    table = LexicalTable.estimate(source, target, links)
    for path in table.write(tmp_path / "lex", compress=True):
        sums: Counter[str] = Counter()
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                _, given, probability = line.split(" ")
                sums[given] += float(probability)
        assert all(abs(total - 1) < 1e-3 for total in sums.values())
        assert len(sums) > 1000
    assert len(LexicalTable.read(tmp_path / "lex")) == len(table)


@pytest.mark.parametrize(
    ("f2e", "message"),
    [
        ("house Haus 1.0\nthe das\n", r"lex\.f2e:2: a line of 2 fields"),
        ("house Haus 1.5\n", r"lex\.f2e:1: '1\.5' is not a probability"),
        ("house Haus nan\n", "'nan' is not a probability"),
        ("house Haus 0.5x\n", "is not a probability"),
        ("house Haus 0.5\nhouse Haus 0.5\n", "twice in the f2e file"),
        ("home Haus 1.0\n", "do not hold the same word pairs"),
        ("", "do not hold the same word pairs"),
    ],
)
def test_bad_text_is_refused_with_its_place(tmp_path: Path, f2e: str, message: str) -> None:
    (tmp_path / "lex.f2e").write_text(f2e)
    (tmp_path / "lex.e2f").write_text("Haus house 1.0\n")
    with pytest.raises(FormatError, match=message):
        LexicalTable.read(tmp_path / "lex")


def test_a_missing_half_is_named(tmp_path: Path) -> None:
    (tmp_path / "lex.f2e").write_text("house Haus 1.0\n")
    with pytest.raises(FileAccessError, match=re.escape("lex.e2f")):
        LexicalTable.read(tmp_path / "lex")


def test_links_outside_the_texts_are_refused() -> None:
    links = Links()
    links.append([(0, 1)])
    with pytest.raises(FormatError, match="target position 1"):
        LexicalTable.estimate(Text.of(["a"]), Text.of(["x"]), links)


def test_a_changed_byte_or_a_missing_end_is_found(tmp_path: Path) -> None:
    path = tmp_path / "lex.bin"
    estimated(EXAMPLE).save(path)
    whole = path.read_bytes()
    found = 0
    for at in range(0, len(whole), 37):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0x10]) + whole[at + 1 :])
        try:
            table = LexicalTable.load(path)
        except (CorruptFileError, FormatError):
            found += 1
        else:  # the room between sections holds nothing
            assert table.target_given_source("Haus", "house") == 0.5
    assert found > len(whole) // 37 // 2
    for size in (0, 10, 100, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:size])
        with pytest.raises((CorruptFileError, FormatError), match=r"lex\.bin"):
            LexicalTable.load(path)
