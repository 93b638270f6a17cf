"""A model of n-grams that were counted in pieces is that of the whole text."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from demotic.engine import LocalEngine
from demotic.errors import FormatError
from demotic.lm.estimation import estimate
from tests.systems import toys


class InPieces(LocalEngine):
    """Does here what a cluster does elsewhere."""

    @property
    def spread(self) -> bool:  # type: ignore[override]
        return True


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
