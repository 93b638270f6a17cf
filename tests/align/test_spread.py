"""An aligner trained on pieces is the one that is trained on all of the text."""

from __future__ import annotations

from pathlib import Path

import pytest

from demotic.align import Text
from demotic.align.aligner import Aligner, AlignerOptions
from demotic.engine import LocalEngine
from tests.systems import toys


class InPieces(LocalEngine):
    """Does here what a cluster does elsewhere."""

    @property
    def spread(self) -> bool:  # type: ignore[override]
        return True


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
