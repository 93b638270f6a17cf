"""Grammars of other systems, or written by hand, as translators of tokens."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from demotic.grammar import RuleTable
    from demotic.progress import Progress
    from demotic.systems.translator import Translation

Translate = Callable[[list[str], int, int], "Iterator[list[Translation]]"]


def translate_with(
    rules: Path, lm: Path, weights: Path, pops: int | None, progress: Progress
) -> Translate:
    """A function of lines, length of lists and threads."""
    from demotic.decode import HieroDecoder
    from demotic.decode.hiero import HieroSearch
    from demotic.lm import LanguageModel
    from demotic.systems.translator import Translation
    from demotic.systems.weights import read_weights

    options = HieroSearch() if pops is None else HieroSearch(pops=pops)
    decoder = HieroDecoder(
        _table(rules, progress),
        LanguageModel.load(lm, progress=progress),
        read_weights(weights),
        options=options,
    )

    def translate(lines: list[str], nbest: int, threads: int) -> Iterator[list[Translation]]:
        sentences = [line.split() for line in lines]
        if nbest == 1:
            found = [[best] for best in decoder.decode_lines(sentences, threads=threads)]
        else:
            found = decoder.kbest_lines(sentences, nbest, threads=threads)
        for derivations in found:
            yield [
                Translation(
                    " ".join(each.tokens), tuple(each.tokens), each.score, each,
                    tuple(each.alignment),
                )
                for each in derivations
            ] or [Translation("", (), 0.0, None, ())]  # fmt: skip

    return translate


def _table(path: Path, progress: Progress) -> RuleTable:
    """The rules in a file, binary or text; text becomes a table that goes when it was mapped."""
    from demotic.grammar import RuleTable
    from demotic.inspection import Kind, detect

    if detect(path) is Kind.container:
        return RuleTable.load(path)
    with tempfile.TemporaryDirectory(prefix="demotic-") as folder:
        return RuleTable.from_text(path, out=Path(folder) / "rules.bin", progress=progress)
