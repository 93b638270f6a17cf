"""What ``demotic inspect`` says of the files that block models alone have."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from demotic.systems.model import Description


def _blocks(path: Path, verify: bool | None) -> dict[str, object]:
    from demotic.grammar import BlockTable

    table = BlockTable.load(path, verify=verify)
    return {
        "blocks": len(table),
        "source phrases": table.phrases,
        "occurrences": table.total,
        "longest side": table.max_words,
        "left": table.left_total,
        "right": table.right_total,
        "lexical weight": table.lexical_kind,
    }


def _pairs(path: Path, _: bool | None) -> dict[str, object]:
    from demotic.grammar.blocks import load_pairs

    return {"pairs": len(load_pairs(path))}


FACTS: Mapping[str, Description] = {
    "blocks": ("table of blocks", _blocks),
    "block-pairs": ("weights of pairs of blocks", _pairs),
}
