"""A model of n-grams that were counted in pieces is that of the whole text."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

from demotic import _core
from demotic.errors import ArgumentError, FormatError
from demotic.lm.estimation import estimate
from tests.engine.in_pieces import InPieces
from tests.systems import toys


@pytest.mark.parametrize("order", [1, 3, 8])
@pytest.mark.parametrize("prune", [(), (0, 1)])
def test_pieces_give_the_same_bytes(order: int, prune: tuple[int, ...], tmp_path: Path) -> None:
    lines = [*toys.memory(150).target_lines(), "", "a <unk> b </s>", "\ttab\rreturn "]
    (tmp_path / "one").write_text("".join(f"{line}\n" for line in lines[:80]))
    with gzip.open(tmp_path / "two.gz", "wt") as file:
        file.writelines(f"{line}\n" for line in lines[80:])
    paths = [tmp_path / "one", tmp_path / "two.gz"]
    options = {"order": order, "prune": prune[:order], "vocab_limit": 90, "skip_special": True}
    engine = InPieces(threads=1, piece=31, temp=tmp_path)
    whole, spread = (estimate(paths, **options, engine=each) for each in (None, engine))
    assert (whole.words, whole.lines) == (spread.words, spread.lines)
    whole.save(tmp_path / "whole.bin")
    spread.save(tmp_path / "spread.bin")
    assert (tmp_path / "whole.bin").read_bytes() == (tmp_path / "spread.bin").read_bytes()


def test_what_cannot_be_counted_is_told_with_its_line(tmp_path: Path) -> None:
    engine = InPieces(threads=1, piece=2)
    (tmp_path / "text").write_text("one\ntwo\nthree\na <s> b\n")
    with pytest.raises(FormatError) as whole:
        estimate(tmp_path / "text")
    with pytest.raises(FormatError) as spread:
        estimate(tmp_path / "text", engine=engine)
    assert str(spread.value) == str(whole.value)
    assert spread.value.line == 4
    (tmp_path / "text").write_text("\n\n")
    with pytest.raises(FormatError, match="no words"):
        estimate(tmp_path / "text", engine=engine)


def test_what_is_not_of_the_text_is_refused() -> None:
    text = _core.LmText("/", 1000, False)
    text.add(b"a b\nb c\n")
    numbers = np.arange(6, dtype=np.uint32)
    keys, counts = _core.count_ngrams(text, 2, numbers, 6)
    assert counts.sum() == 6
    for given in (numbers[:-1], numbers + 1):
        with pytest.raises(ArgumentError, match="not those of the text"):
            _core.count_ngrams(text, 2, given, 6)
    vocab = _core.Vocab()
    options = {
        "order": 2, "memory": 1 << 20, "temp": "/tmp", "discount_fallback": True, "prune": [],
        "vocab_limit": 0, "threads": 1,
    }  # fmt: skip
    with pytest.raises(ArgumentError, match="as many frequencies"):
        _core.LmCountedText(vocab, np.ones(1, np.uint64), **options)
    for word in ("<s>", "</s>", "a", "b"):
        vocab.add(word)
    whole = _core.LmCountedText(vocab, np.ones(5, np.uint64), **options)
    for wrong in ((keys, counts), (keys[:-1], counts), (keys[:8], counts[:1] * 0)):
        with pytest.raises(ArgumentError):
            whole.add(*wrong)
