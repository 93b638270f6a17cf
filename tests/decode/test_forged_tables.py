"""Tables that somebody wrote to do harm: refused when they are verified, harmless otherwise.

Each case runs in a process of its own, so that a crash is a failure of the test alone.
"""

from __future__ import annotations

import contextlib
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from demotic.decode import (
    BlockDecoder,
    BlockSearch,
    HieroDecoder,
    PhraseDecoder,
    UndirectedDecoder,
)
from demotic.errors import CorruptFileError, DemoticError
from demotic.grammar import BlockTable, RuleTable
from tests.decode import test_block_decoder as blocks
from tests.decode.grammars import language_model
from tests.oracles import container

Sections = dict[bytes, bytes]
RULES = """[X] ||| [X,1] a [X,2] ||| [1] z [2] ||| s=1
[X] ||| x ||| y ||| s=1
[X] ||| a d ||| e ||| s=1
[X] ||| a ||| e ||| s=1
"""
FREE = 0xFFFFFFFF
MEGABYTES = 500  # more than any case needs, sanitised or not


def forged(path: Path, change: Callable[[Sections], None]) -> Path:
    whole = path.read_bytes()
    parts = container.sections(whole)
    change(parts)
    path.write_bytes(container.container(whole[8:24].rstrip(b"\0"), whole[24], parts))
    return path


# -- rules -------------------------------------------------------------------------------------


def surplus_step(parts: Sections) -> None:
    """A word that leads from the root to the end of a source side with two nonterminals."""
    steps = np.frombuffer(parts[b"steps"], np.uint32).reshape(-1, 3).copy()
    parents = np.frombuffer(parts[b"parents"], np.uint32)
    symbols = np.frombuffer(parts[b"symbols"], np.int32)
    [end] = [n for n in range(1, len(symbols)) if symbols[n] < 0 < parents[n]]
    word = int(symbols[symbols >= 0].max())  # d, which begins no source side
    at = container.mix64(word) & (len(steps) - 1)
    while steps[at][2] != FREE:
        at = (at + 1) % len(steps)
    steps[at] = [0, word, end]
    parts[b"steps"] = steps.tobytes()


def borrowed_rules(parts: Sections) -> None:
    """A one-word source side that claims the rules of one with nonterminals."""
    ends = np.frombuffer(parts[b"rule.ends"], np.uint32).copy()
    ends[:] = ends[::-1]
    parts[b"rule.ends"] = ends.tobytes()


def no_numbers(parts: Sections) -> None:
    parts[b"scores"] = np.full(len(parts[b"scores"]) // 4, np.nan, np.float32).tobytes()


RULE_FORGERIES = {each.__name__: each for each in (surplus_step, borrowed_rules, no_numbers)}


def decode_rules(path: Path) -> None:
    table = RuleTable.load(path, verify=False)
    for kind in (HieroDecoder, PhraseDecoder, UndirectedDecoder):
        for lm in (None, language_model(3)):
            decoder = kind(table, lm, {"s": 1.0})
            for line in ("x a x", "d x a x", "x d", "a d a"):
                found = decoder.decode(line)
                assert all(0 <= i < len(line.split()) for i, _ in found.alignment)
                with contextlib.suppress(DemoticError):  # scores that are no numbers
                    decoder.kbest(line, 5)


@pytest.mark.parametrize("forgery", list(RULE_FORGERIES))
def test_a_forged_rule_table_is_refused_or_harmless(tmp_path: Path, forgery: str) -> None:
    (tmp_path / "rules.txt").write_text(RULES)
    path = tmp_path / "rules.bin"
    RuleTable.from_text(tmp_path / "rules.txt", format="cdec", out=path)
    forged(path, RULE_FORGERIES[forgery])
    for verify in (True, None):
        with pytest.raises(CorruptFileError, match="damaged rule table"):
            RuleTable.load(path, verify=verify)
    survives("rules", path)


# -- blocks ------------------------------------------------------------------------------------


def phrase_without_blocks(parts: Sections) -> None:
    ends = np.frombuffer(parts[b"block.ends"], np.uint32).copy()
    words = np.diff(np.frombuffer(parts[b"phrase.ends"], np.uint64), prepend=np.uint64(0))
    for phrase in range(len(ends) - 1):
        if words[phrase] == 1:
            ends[phrase] = ends[phrase - 1] if phrase else 0
    parts[b"block.ends"] = ends.tobytes()


def long_phrases(parts: Sections) -> None:
    totals = bytearray(parts[b"totals"])
    struct.pack_into("<I", totals, 32, 65535)
    parts[b"totals"] = bytes(totals)


def longer_phrases(parts: Sections) -> None:
    totals = bytearray(parts[b"totals"])
    struct.pack_into("<I", totals, 32, 50_000_000)
    parts[b"totals"] = bytes(totals)


def never_seen(parts: Sections) -> None:
    parts[b"count"] = bytes(len(parts[b"count"]))
    parts[b"totals"] = bytes(8) + bytes(24) + parts[b"totals"][32:]


BLOCK_FORGERIES = {
    each.__name__: each
    for each in (phrase_without_blocks, long_phrases, longer_phrases, never_seen)
}


def decode_blocks(path: Path) -> None:
    try:
        table = BlockTable.load(path, verify=False)
    except CorruptFileError:
        return
    for unigram in ("per-word", "equal-length"):
        options = BlockSearch(min_left=1, unigram=unigram)  # type: ignore[arg-type]
        decoder = BlockDecoder(table, None, {"Unigram": -0.1, "Lexical": -0.2}, options=options)
        for line in ("a b c b a", "b", "c q a"):
            assert decoder.decode(line).tokens
            decoder.kbest(line, 5)


@pytest.mark.parametrize("forgery", list(BLOCK_FORGERIES))
def test_a_forged_block_table_is_refused_or_harmless(tmp_path: Path, forgery: str) -> None:
    path = tmp_path / "blocks.bin"
    blocks.model()[0].save(path)
    forged(path, BLOCK_FORGERIES[forgery])
    if forgery != "long_phrases":  # part of a table may have lost its longest phrase
        for verify in (True, None):
            with pytest.raises(CorruptFileError, match="damaged block table"):
                BlockTable.load(path, verify=verify)
    survives("blocks", path)


# -- in a process of its own -------------------------------------------------------------------


def survives(kind: str, path: Path) -> None:
    command = [sys.executable, "-m", "tests.decode.test_forged_tables", kind, str(path)]
    root = Path(__file__).parents[2]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert int(done.stdout) < MEGABYTES


if __name__ == "__main__":
    {"rules": decode_rules, "blocks": decode_blocks}[sys.argv[1]](Path(sys.argv[2]))
    # Not ru_maxrss, which a process inherits from the one that started it.
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    print(int(status["VmHWM"].split()[0]) // 1024)
