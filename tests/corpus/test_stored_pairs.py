"""Pairs of a model read without pyarrow: what pyarrow would read, or an error of ours."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demotic.corpus import Bitext, StoredPairs
from demotic.corpus.storage import BitextWriter
from demotic.errors import CorruptFileError
from tests.systems import toys

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


@settings(deadline=None)
@given(st.lists(st.tuples(TEXTS, TEXTS), max_size=30))
def test_they_are_those_of_the_bitext(pairs: list[tuple[str, str]]) -> None:
    import tempfile

    bitext = Bitext.from_pairs(pairs, source_language="de", target_language="en", file="a.tsv")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pairs.arrow"
        bitext.save(path)
        found = StoredPairs(path)
        assert list(found) == list(bitext)
        assert list(found.source_lines()) == list(bitext.source_lines())
        assert list(found.target_lines()) == list(bitext.target_lines())


def many(path: Path) -> Bitext:
    """Several batches, of several files."""
    writer = BitextWriter(["a.po", "b.po", "c.po"])
    for name in ("a.po", "c.po", "b.po"):
        rows = [(f"{name} {i}", f"x{i}" * (i % 7), str(i)) for i in range(9000)]
        for _ in writer.add(rows, name):
            pass
    bitext = Bitext(writer.finish(), source_language="de", target_language="en")
    bitext.save(path)
    return bitext


def test_any_row_of_any_batch_is_found(tmp_path: Path) -> None:
    bitext = many(tmp_path / "pairs.arrow")
    found, expected = StoredPairs(tmp_path / "pairs.arrow"), list(bitext)
    assert len(found) == len(expected) == 27_000
    for row in random.Random(1).sample(range(27_000), 500):
        assert found[row] == expected[row]
    assert found[-1] == expected[-1]
    assert found[8190:8200] == expected[8190:8200]
    with pytest.raises(IndexError):
        found[27_000]


def test_damage_is_an_error_of_ours_or_other_text(tmp_path: Path) -> None:
    toys.memory(50).save(tmp_path / "pairs.arrow")
    sound = (tmp_path / "pairs.arrow").read_bytes()
    chance = random.Random(3)
    refused = 0
    for _ in range(3000):
        content = bytearray(sound)
        for _ in range(chance.choice([1, 1, 4])):
            # The end has what places everything.
            at = chance.randrange(len(content)) if chance.random() < 0.3 else -chance.randrange(700)
            content[at] = chance.choice([0, 1, 0x7F, 0x80, 0xFF, chance.randrange(256)])
        if chance.random() < 0.1:
            del content[chance.randrange(len(content)) :]
        path = tmp_path / "damaged.arrow"
        path.write_bytes(content)
        try:
            assert all(isinstance(pair.source, str) for pair in StoredPairs(path)[:100])
        except CorruptFileError:
            refused += 1
    assert 300 < refused < 3000


@pytest.mark.parametrize("content", [b"", b"ARROW1", b"ARROW1" * 3, b"no Arrow file at all"])
def test_what_is_no_such_file_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.arrow").write_bytes(content)
    with pytest.raises(CorruptFileError, match=r"a\.arrow"):
        StoredPairs(tmp_path / "a.arrow")
