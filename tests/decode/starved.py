"""A process of its own: a decoder runs out of memory at many places, and must decode on as before.

python -m tests.decode.starved SYSTEM
"""

from __future__ import annotations

import resource
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from demotic.decode import (
    BlockDecoder,
    BlockSearch,
    HieroDecoder,
    HieroSearch,
    PhraseDecoder,
    PhraseSearch,
    UndirectedDecoder,
    UndirectedSearch,
)
from demotic.grammar import RuleTable
from tests.decode import test_block_decoder as blocks
from tests.decode.grammars import language_model

PAGE = resource.getpagesize()
WORDS = ("a", "b", "c")
SHORT = [list(line) for line in ("a", "bac", "qcab", "abcabc")]


def rule_table() -> RuleTable:
    lines = [
        line
        for i, source in enumerate(WORDS)
        for j, target in enumerate(("x", "y", "z", "the", "of"))
        for line in (
            f"[X] ||| [X,1] {source} [X,2] ||| [{1 + j % 2}] {target} [{2 - j % 2}] ||| s={j / 8}",
            f"[X] ||| {source} ||| {target} ||| s={j / 4 - i}",
            f"[X] ||| {source} [X,1] ||| {target} [1] ||| s=0.125",
            f"[X] ||| [X,1] {source} ||| [1] {target} ||| s=0.25",
        )
    ]
    with TemporaryDirectory() as folder:
        text = Path(folder) / "rules.txt"
        text.write_text("\n".join(lines) + "\n")
        return RuleTable.from_text(text, format="cdec", out=Path(folder) / "rules.bin")


def hiero() -> HieroDecoder:
    options = HieroSearch(span_limit=1000, max_edges=10**9, pops=3)
    weights = {"s": 1.0, "LanguageModel": 0.5}
    return HieroDecoder(rule_table(), language_model(3), weights, options=options)


def phrase() -> PhraseDecoder:
    options = PhraseSearch(stack=20_000, pops=20_000, threshold=0.0)
    weights = {"s": 1.0, "LanguageModel": 0.5}
    return PhraseDecoder(rule_table(), language_model(3), weights, options=options)


def umt() -> UndirectedDecoder:
    options = UndirectedSearch(span_limit=1000, max_edges=10**9)
    weights = {"s": 1.0, "LanguageModel": 0.5, "Cff1": 0.8, "Cff2": 0.9, "CffHead": 0.7}
    return UndirectedDecoder(rule_table(), language_model(3), weights, options=options)


def block() -> BlockDecoder:
    table, pairs, lm = blocks.model()
    options = BlockSearch(min_left=1, beam=0, delta=float("inf"))
    return BlockDecoder(table, lm, {"Unigram": -0.1, "Lexical": -0.2}, pairs=pairs, options=options)


def starve(decode: Callable[[Sequence[str]], Any]) -> int:
    """Decode a long sentence with a little more room each time; how often it was too little."""
    failures = 0
    limits = resource.getrlimit(resource.RLIMIT_AS)
    for step in range(4, 40):
        used = int(Path("/proc/self/statm").read_text().split()[0]) * PAGE
        resource.setrlimit(resource.RLIMIT_AS, (used + int(1000 * 1.4**step), limits[1]))
        try:
            decode(WORDS * (step * 4))
        except MemoryError:
            failures += 1
        finally:
            resource.setrlimit(resource.RLIMIT_AS, limits)
    return failures


def main() -> None:
    make = {"hiero": hiero, "phrase": phrase, "umt": umt, "blocks": block}[sys.argv[1]]
    decoder, fresh = make(), make()
    before = [(found.tokens, found.score) for found in map(fresh.decode, SHORT)]
    assert starve(decoder.decode) > 1
    assert [(found.tokens, found.score) for found in map(decoder.decode, SHORT)] == before


if __name__ == "__main__":
    main()
