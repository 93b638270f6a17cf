"""The binary form: same scores, quick to load, and no damage goes further than an error."""

from __future__ import annotations

import contextlib
import os
import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

from demotic.errors import CorruptFileError, FileAccessError, FormatError
from demotic.lm import LanguageModel, arpa
from demotic.lm.model import ngram_sink
from tests.lm import models
from tests.lm.test_arpa import PLAIN
from tests.lm.test_model import PEER_MODELS, arpa_text, folder_is_shared, random_sentences
from tests.oracles import backoff


@pytest.fixture
def saved(tmp_path: Path, data: Path) -> Path:
    LanguageModel.load(data / "decoder-tests/kenlm/test.arpa").save(tmp_path / "test.bin")
    return tmp_path / "test.bin"


@pytest.mark.parametrize("name", PEER_MODELS)
def test_mapped_model_is_the_model_from_arpa(name: str, data: Path, tmp_path: Path) -> None:
    lm = LanguageModel.load(data / name)
    lm.save(tmp_path / "lm.bin")
    mapped = LanguageModel.load(tmp_path / "lm.bin")
    assert (mapped.order, mapped.counts) == (lm.order, lm.counts)
    assert list(mapped.vocabulary) == list(lm.vocabulary)
    for sentence in random_sentences(data / name, 100):
        assert mapped.full_scores(sentence) == lm.full_scores(sentence)


@folder_is_shared
@given(models.ngrams())
def test_arpa_to_binary_to_arpa_loses_nothing(tmp_path: Path, ngrams: backoff.Ngrams) -> None:
    lm = models.load(ngrams, tmp_path)
    lm.save(tmp_path / "direct.arpa")
    lm.save(tmp_path / "lm.bin")
    LanguageModel.load(tmp_path / "lm.bin").save(tmp_path / "mapped.arpa")
    assert (tmp_path / "mapped.arpa").read_text() == (tmp_path / "direct.arpa").read_text()


def test_same_arpa_gives_same_bytes(saved: Path, data: Path) -> None:
    before = saved.read_bytes()
    LanguageModel.load(data / "decoder-tests/kenlm/test.arpa").save(saved)
    assert saved.read_bytes() == before
    LanguageModel.load(saved).save(saved)  # over the file that it is mapped from
    assert saved.read_bytes() == before


SENTENCE = "looking on a little more loin also would consider higher looking xyzzy . <unk> </s>"


def use(lm: LanguageModel) -> list[float]:
    """Everything that reads the file's content."""
    words = SENTENCE.split()
    parts = [lm.fragment(words[i : i + 3])[0] for i in range(0, len(words), 3)]
    return [
        lm.score(SENTENCE),
        lm.fragment(parts, bos=True)[1],
        lm.score_ngram(words, "little").log10,
        float(len(lm.vocabulary[0])),
    ]


def test_any_flipped_bit_is_an_error_or_harmless(saved: Path) -> None:
    original = saved.read_bytes()
    expected = use(LanguageModel.load(saved))
    choose = random.Random(5)
    refused = 0
    for _ in range(400):
        at, bit = choose.randrange(len(original)), choose.randrange(8)
        damaged = bytearray(original)
        damaged[at] ^= 1 << bit
        saved.write_bytes(damaged)
        try:
            # Only padding between sections and room for more of them is outside all checksums.
            assert use(LanguageModel.load(saved)) == expected, at
        except (CorruptFileError, FormatError):
            refused += 1
    assert refused > 100


def test_unverified_damage_costs_an_error_or_a_wrong_score_at_most(saved: Path) -> None:
    original = saved.read_bytes()
    choose = random.Random(6)
    for round in range(600):
        damaged = bytearray(original)
        for _ in range(1 + round % 40):
            damaged[choose.randrange(4000, len(original))] = choose.randrange(256)
        saved.write_bytes(damaged)
        with contextlib.suppress(CorruptFileError, FormatError):
            lm = LanguageModel.load(saved, verify=False)
            assert all(isinstance(each, float) for each in use(lm))
            lm.save(saved.with_suffix(".arpa"))


def test_full_tables_end_every_search(saved: Path) -> None:
    original = saved.read_bytes()
    for begin in (4096, *range(4096, len(original) - 2048, 1024)):
        size = len(original) - begin if begin == 4096 else 2048
        saved.write_bytes(original[:begin] + b"\x7f" * size + original[begin + size :])
        with contextlib.suppress(CorruptFileError):
            use(LanguageModel.load(saved, verify=False))


def test_truncation_anywhere_is_an_error(saved: Path) -> None:
    original = saved.read_bytes()
    for size in np.linspace(8, len(original) - 1, 60).astype(int):
        saved.write_bytes(original[:size])
        with pytest.raises(CorruptFileError):
            LanguageModel.load(saved, verify=False)


def test_swapped_content_is_an_error(saved: Path, tmp_path: Path) -> None:
    (tmp_path / "model.arpa").write_text(PLAIN)
    LanguageModel.load(tmp_path / "model.arpa").save(tmp_path / "other.bin")
    other, mine = (tmp_path / "other.bin").read_bytes(), saved.read_bytes()
    saved.write_bytes(other[:4096] + mine[4096:])
    with pytest.raises(CorruptFileError):
        LanguageModel.load(saved)
    saved.write_bytes(b"DEMOTIC\0" + os.urandom(5000))
    with pytest.raises(CorruptFileError):
        LanguageModel.load(saved)


def test_missing_file_is_an_error_with_its_name(tmp_path: Path) -> None:
    with pytest.raises(FileAccessError, match=r"none\.bin"):
        LanguageModel.load(tmp_path / "none.bin")


@pytest.mark.parametrize("name", ["lm.bin", "lm.arpa", "lm.arpa.gz"])
def test_failure_leaves_the_earlier_file(name: str, tmp_path: Path, data: Path) -> None:
    target = tmp_path / name
    target.write_text("earlier")
    text = arpa_text(data / "decoder-tests/kenlm/test.arpa")
    (tmp_path / "bad.arpa").write_text(text.replace("\\end\\", ""))
    with pytest.raises(FormatError), ngram_sink(target) as sink:
        arpa.read(tmp_path / "bad.arpa", sink)
    assert target.read_text() == "earlier"
    assert sorted(each.name for each in tmp_path.iterdir()) == sorted(["bad.arpa", name])


@pytest.mark.parametrize("name", ["lm.bin", "lm.arpa", "lm.arpa.gz"])
def test_sink_writes_by_the_name_of_the_file(name: str, tmp_path: Path) -> None:
    (tmp_path / "in.arpa").write_text(PLAIN)
    with ngram_sink(tmp_path / name) as sink:
        arpa.read(tmp_path / "in.arpa", sink)
    head = (tmp_path / name).read_bytes()[:2]
    assert head == {"lm.bin": b"DE", "lm.arpa": b"\\d", "lm.arpa.gz": b"\x1f\x8b"}[name]
    assert LanguageModel.load(tmp_path / name).counts == (5, 3, 1)
