"""A process of its own: a decoder runs out of memory at many places, and must decode on as before.

python -m tests.decode.starved SYSTEM [THREADS]
"""

from __future__ import annotations

import os
import resource
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from demotic.decode import (
    AmasisDecoder,
    AmasisSearch,
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


def amasis() -> AmasisDecoder:
    options = AmasisSearch(order="all", reductions=3, beam=2000)
    weights = {"s": 1.0, "LanguageModel": 0.5}
    return AmasisDecoder(rule_table(), language_model(3), weights, options=options)


def starve(decode: Callable[[Sequence[str]], Any], growth: int = 4) -> int:
    """Decode a longer sentence with a little more room each time; how often it was too little."""
    failures = 0
    limits = resource.getrlimit(resource.RLIMIT_AS)
    for step in range(4, 40):
        used = int(Path("/proc/self/statm").read_text().split()[0]) * PAGE
        resource.setrlimit(resource.RLIMIT_AS, (used + int(1000 * 1.4**step), limits[1]))
        try:
            decode(WORDS * (step * growth))
        except MemoryError:
            failures += 1
        finally:
            resource.setrlimit(resource.RLIMIT_AS, limits)
    return failures


def let_threads_begin(threads: int) -> None:
    """Wait until so many threads are there and all but this one sleep."""
    states = ["R"]
    while len(states) < threads or "R" in states:
        time.sleep(0.01)
        others = [
            task for task in Path("/proc/self/task").iterdir() if task.name != str(os.getpid())
        ]
        stats = [(task / "stat").read_text() for task in others]
        states = ["S", *(stat.rpartition(")")[2].split()[0] for stat in stats)]


def main() -> None:
    make = {
        "hiero": hiero,
        "phrase": phrase,
        "umt": umt,
        "blocks": block,
        "amasis": amasis,
    }[sys.argv[1]]
    threads = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    decoder, fresh = make(), make()

    def found(by: Any) -> list[tuple[tuple[str, ...], float]]:
        return [(each.tokens, each.score) for each in by.decode_lines(SHORT, threads=threads)]

    before = found(fresh)
    let_threads_begin(threads)
    if threads == 1:
        # Blocks take so little memory that a process may have enough to spare.
        assert starve(decoder.decode, growth=30 if sys.argv[1] == "blocks" else 4) > 1
    else:  # shorter ones, for there are more of them
        assert starve(lambda words: decoder.decode_lines([words[:100]] * 4, threads=threads)) > 1
    assert found(decoder) == before


if __name__ == "__main__":
    main()
