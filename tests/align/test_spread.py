"""An aligner trained on pieces is the one that is trained on all of the text."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from demotic import _core
from demotic.align import Text
from demotic.align.aligner import Aligner, AlignerOptions
from demotic.errors import ArgumentError
from tests.engine.in_pieces import InPieces
from tests.systems import toys


@pytest.mark.parametrize("piece", [1, 37, 1000])
@pytest.mark.parametrize(
    "options",
    [
        AlignerOptions(),
        AlignerOptions(agreement=False, lexical_prior=0.01, spelling_prior=0.0, max_length=9),
    ],
    ids=["agreement", "each way"],
)
def test_pieces_give_the_same_bytes(piece: int, options: AlignerOptions, tmp_path: Path) -> None:
    memory = toys.memory(120)
    source = Text.of([*memory.source_lines(), "", "one <unk> two", "only here"])
    target = Text.of([*memory.target_lines(), "nothing", "<unk> deux", ""])
    whole = Aligner.train(source, target, options=options)
    engine = InPieces(threads=1, piece=piece, temp=tmp_path)
    spread = Aligner.train(source, target, options=options, engine=engine)
    whole.save(tmp_path / "whole")
    spread.save(tmp_path / "spread")
    assert (tmp_path / "whole").read_bytes() == (tmp_path / "spread").read_bytes()
    assert whole.align(source, target) == spread.align(source, target, engine=engine)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["spread", "whole"]


def words(count: int) -> _core.Vocab:
    vocab = _core.Vocab()
    for number in range(1, count):
        vocab.add(str(number))
    return vocab


@pytest.mark.parametrize(
    ("ends", "targets", "size"),
    [
        ([1, 2], [0, 1], 3),  # fewer rows than words
        ([2, 2], [1, 0], 2),  # a row that is not sorted
        ([2, 2], [1, 1], 2),
        ([1, 1], [2], 2),  # no such word
        ([2, 1], [0], 2),
        ([1, 2], [0], 2),
    ],
)
def test_cells_that_are_no_rows_are_refused(ends: list[int], targets: list[int], size: int) -> None:
    arrays = np.array(ends, np.uint32), np.array(targets, np.uint32)
    with pytest.raises(ArgumentError):
        _core.AlignerTrainer(*arrays, words(size), AlignerOptions().core())


def test_weights_and_counts_of_another_text_are_refused() -> None:
    one, other = (
        _core.AlignerTrainer(
            np.arange(1, size + 1, dtype=np.uint32),
            np.arange(size, dtype=np.uint32),
            words(size),
            AlignerOptions(spelling_prior=0.0).core(),
        )
        for size in (3, 4)
    )
    with pytest.raises(ArgumentError, match="another text"):
        one.take(*other.weights())
    with pytest.raises(ArgumentError, match="another text"):
        one.add_counts("hmm", 200, *other.counts())
    for cells, counts in (([4], [0, 0]), ([0], [0])):
        with pytest.raises(ArgumentError, match="no such cell"):
            one.add_counts_of(np.array(cells, np.uint32), np.array(counts, np.int64))
    with pytest.raises(ArgumentError, match="no such cell"):
        one.weights_of(np.array([4], np.uint32))
    with pytest.raises(ArgumentError, match="other lengths"):
        one.add_counts("hmm", 7, *one.counts())
