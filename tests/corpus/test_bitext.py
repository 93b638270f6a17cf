"""Bitext: ids, provenance, saving, selecting, writing, and memory that does not grow."""

from __future__ import annotations

import contextlib
import gzip
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from demotic.corpus import Bitext, Pair, read_bitext
from demotic.corpus.ids import Occurrences
from demotic.corpus.storage import BATCH_ROWS, BitextWriter, MappedStorage
from demotic.errors import CorruptFileError, EncodingError, FileAccessError

SENTENCES = st.text(st.characters(blacklist_categories=("Cs",)), max_size=20)
PAIRS = st.lists(st.tuples(SENTENCES, SENTENCES), max_size=30)


def test_pairs_have_text_and_provenance() -> None:
    bitext = Bitext.from_pairs([("a b", "c"), ("d", "e")], source_language="en", file="memory")
    assert len(bitext) == 2
    assert (bitext.source_language, bitext.target_language) == ("en", "und")
    first, second = bitext
    assert first == Pair(first.id, "a b", "c", "memory", "1")
    assert second.unit == "2"
    assert list(bitext.source_lines()) == ["a b", "d"]
    assert list(bitext.target_lines()) == ["c", "e"]


def test_ids_are_the_same_on_every_run_and_machine() -> None:
    # Fixed for good, as models refer to them: printf 'house\nHaus' | b2sum -l 64
    pairs = list(Bitext.from_pairs([("house", "Haus"), ("house", "Haus"), ("", "é")]))
    assert [pair.id for pair in pairs] == [
        "405245152ca50998",
        "405245152ca50998-2",
        "867eca058a9bccab",
    ]


@given(PAIRS, st.randoms())
def test_ids_are_unique_and_independent_of_the_order(
    pairs: list[tuple[str, str]], random: object
) -> None:
    ids = [pair.id for pair in Bitext.from_pairs(pairs)]
    assert len(set(ids)) == len(ids)
    shuffled = pairs.copy()
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert sorted(pair.id for pair in Bitext.from_pairs(shuffled)) == sorted(ids)


@given(st.lists(st.lists(st.integers(0, 20), max_size=12), max_size=12))
def test_occurrences_counts_like_a_dictionary(batches: list[list[int]]) -> None:
    seen = Occurrences()
    counts: dict[int, int] = {}
    for batch in batches:
        expected = []
        for value in batch:
            expected.append(counts.get(value, 0))
            counts[value] = expected[-1] + 1
        assert seen.add(np.array(batch, dtype=np.uint64)).tolist() == expected


@given(PAIRS)
def test_sentences_are_single_lines(pairs: list[tuple[str, str]]) -> None:
    for (source, target), pair in zip(pairs, Bitext.from_pairs(pairs), strict=True):
        space = str.maketrans("\t\r\n", "   ")
        assert (pair.source, pair.target) == (source.translate(space), target.translate(space))


def test_surrogates_are_an_error_of_ours() -> None:
    with pytest.raises(EncodingError, match="surrogates"):
        Bitext.from_pairs([("a", "\ud800")])


@given(PAIRS)
def test_saved_bitext_opens_unchanged(
    tmp_path_factory: pytest.TempPathFactory, pairs: list[tuple[str, str]]
) -> None:
    path = tmp_path_factory.mktemp("bitext") / "b.arrow"
    bitext = Bitext.from_pairs(pairs, source_language="en", target_language="fr", file="x")
    bitext.save(path)
    opened = Bitext.open(path)
    assert list(opened) == list(bitext)
    assert (opened.source_language, opened.target_language) == ("en", "fr")
    before = path.read_bytes()
    opened.save(path)  # onto the file that is mapped
    assert path.read_bytes() == before


def test_saved_bitext_is_an_ordinary_arrow_file(tmp_path: Path) -> None:
    Bitext.from_pairs([("a", "b")]).save(tmp_path / "b.arrow")
    table = pa.ipc.open_file(tmp_path / "b.arrow").read_all()
    assert table.column_names == ["id", "source", "target", "file", "unit"]


def test_damaged_file_is_an_error_never_a_crash(tmp_path: Path) -> None:
    path = tmp_path / "b.arrow"
    Bitext.from_pairs([(f"source {n}", f"target {n}") for n in range(50)]).save(path)
    good = path.read_bytes()
    accepted = 0
    for position in range(0, len(good), 13):
        for damaged in (good[:position], _flipped(good, position)):
            path.write_bytes(damaged)
            with contextlib.suppress(CorruptFileError):
                accepted += len(list(Bitext.open(path)))
    assert accepted  # a changed letter of a sentence cannot be noticed


def _flipped(data: bytes, position: int) -> bytes:
    return data[:position] + bytes([data[position] ^ 0x55]) + data[position + 1 :]


def test_other_arrow_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.arrow"
    table = pa.table({"x": [1, 2]})
    with pa.ipc.new_file(path, table.schema) as sink:
        sink.write_table(table)
    with pytest.raises(CorruptFileError, match="not of sentence pairs"):
        Bitext.open(path)
    with pytest.raises(FileAccessError, match=r"missing.arrow"):
        Bitext.open(tmp_path / "missing.arrow")


def test_filter_and_select_keep_ids_and_order() -> None:
    bitext = Bitext.from_pairs([(str(n), str(-n)) for n in range(20_000)])
    pairs = list(bitext)
    assert list(bitext.filter(lambda pair: pair.source.endswith("7"))) == pairs[7::10]
    assert list(bitext.select(range(9000, 9003))) == pairs[9000:9003]
    assert list(bitext.select([5, 3, 5])) == [pairs[3], pairs[5]]
    with pytest.raises(IndexError):
        bitext.select([20_000])
    assert len(bitext.select([])) == 0


def test_batches_are_of_fixed_size_also_after_filtering() -> None:
    bitext = Bitext.from_pairs([(str(n), "x") for n in range(5 * BATCH_ROWS)])
    assert {batch.num_rows for batch in bitext.batches()} == {BATCH_ROWS}
    half = bitext.filter(lambda pair: int(pair.source) % 2 == 0)
    assert [batch.num_rows for batch in half.batches()][:-1] == [BATCH_ROWS] * 2


def test_very_long_sentences_close_a_batch_early() -> None:
    bitext = Bitext.from_pairs([("x" * (1 << 20), "y")] * 40)
    assert len(list(bitext.batches())) > 1
    assert len(bitext) == 40


def test_spilled_bitext_equals_one_in_memory() -> None:
    rows = [(f"source {n % 7000}", f"target {n % 7000}", str(n)) for n in range(30_000)]
    storages = []
    for spill_bytes in (0, 1 << 30):
        writer = BitextWriter(["f"], spill_bytes=spill_bytes)
        for _ in writer.add(rows, "f"):
            pass
        storages.append(writer.finish())
    assert isinstance(storages[0], MappedStorage)
    assert not isinstance(storages[1], MappedStorage)
    assert list(Bitext(storages[0])) == list(Bitext(storages[1]))


def test_written_files_read_back(tmp_path: Path) -> None:
    bitext = Bitext.from_pairs([("a  b", "é"), ("tab\there", "")])
    plain = tmp_path / "s.en", tmp_path / "t.fr.gz"
    assert bitext.write(*plain) == bitext.write(tmp_path / "b.tsv") == 2
    assert plain[0].read_text() == "a  b\ntab here\n"
    assert gzip.decompress(plain[1].read_bytes()).decode() == "é\n\n"
    texts = [(pair.source, pair.target) for pair in bitext]
    for again in (read_bitext(*plain), read_bitext(tmp_path / "b.tsv")):
        assert [(pair.source, pair.target) for pair in again] == texts


def test_unwritable_output_is_named(tmp_path: Path) -> None:
    bitext = Bitext.from_pairs([("a", "b")])
    for write in (bitext.save, bitext.write):
        with pytest.raises(FileAccessError, match="no such folder"):
            write(tmp_path / "missing" / "b.tsv")


def test_full_disk_under_the_temporary_file_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full")
    monkeypatch.setattr("tempfile.TemporaryFile", lambda **_: Path("/dev/full").open("r+b"))  # noqa: SIM115
    pairs = ((f"{number} {'x' * 1000}", "y") for number in range(40_000))
    with pytest.raises(FileAccessError, match=f"{tempfile.gettempdir()}: No space left"):
        Bitext.from_pairs(pairs)


def test_full_disk_leaves_the_earlier_file(tmp_path: Path) -> None:
    path = tmp_path / "b.arrow"
    Bitext.from_pairs([("old", "alt")]).save(path)
    before = path.read_bytes()
    large = Bitext.from_pairs([("x" * 100_000, "y")] * 10)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, limits[1]))
    try:
        for write in (large.save, large.write):
            with pytest.raises(FileAccessError, match=r"b\.arrow: File too large"):
                write(path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_import_is_light() -> None:
    code = "import demotic, sys; sys.exit(any(m in sys.modules for m in ('pyarrow', 'polib')))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


MEMORY = """
import sys
from demotic.corpus import clean, read_bitext
def peak():
    # Not ru_maxrss, which a process inherits from the one that started it.
    status = open("/proc/self/status").read()
    return int(status.split("VmHWM:")[1].split()[0]) * 1024
def work(path):
    bitext, _ = clean(read_bitext(path))
    return sum(1 for pair in bitext)
assert work(sys.argv[1]) == 60_000
before = peak()
assert work(sys.argv[2]) == 200_000
print(peak() - before)
"""


@pytest.mark.memory
def test_peak_memory_does_not_grow_with_lines(tmp_path: Path) -> None:
    """Three times the lines: only their hashes are added, 8 bytes each and twice for a while."""
    paths = []
    for lines in (60_000, 200_000):
        paths.append(tmp_path / f"{lines}.tsv")
        with paths[-1].open("w") as out:
            words = "word " * 40
            out.writelines(f"{number} {words}\t{words}{number}\n" for number in range(lines))
    command = [sys.executable, "-c", MEMORY, *map(str, paths)]
    grown = int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    added = paths[1].stat().st_size - paths[0].stat().st_size
    assert grown < added / 2  # measured: an eighth, mostly slack of the allocator
