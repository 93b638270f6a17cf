"""Other translators: run where they are named, otherwise what was measured of them once.

``DEMOTIC_MOSES``, ``DEMOTIC_MOSES2`` and ``DEMOTIC_CDEC`` hold commands that read sentences of
Multi30k German (tokens, lower-cased) and write their translations, a line each: the binary with its
model, such as ``moses2 -f moses.ini --threads 1``.  Their models are yours: say what they were
trained on.
"""

from __future__ import annotations

import os
import resource
import shlex
import subprocess
from dataclasses import dataclass

from benchmarks.trained import sentences
from demotic.metrics import Bleu

COMMANDS = {"Moses": "DEMOTIC_MOSES", "moses2": "DEMOTIC_MOSES2", "cdec": "DEMOTIC_CDEC"}


@dataclass(frozen=True)
class Fact:
    """A figure of another time: Multi30k, 29,000 pairs, a machine of the same kind, one thread."""

    peer: str
    setting: str
    milliseconds: float
    bleu: float


FACTS = (
    Fact("cdec", "1 pop (4 rounds)", 35, 39.13),
    Fact("cdec", "10 pops", 43, 40.48),
    Fact("cdec", "30 pops", 51, 40.67),
    Fact("cdec", "200 pops", 125, 40.73),
    Fact("Moses", "1000 pops", 21.6, 40.18),
    Fact("Moses", "stack 100", 42.3, 40.18),
    Fact("moses2", "30 pops", 0.56, 40.01),
    Fact("moses2", "100 pops", 1.4, 40.16),
    Fact("moses2", "400 pops", 4.0, 40.18),
    Fact("Thot", "default", 36, 35.8),
)
NEURAL = ((140, 12.4), (300, 24.5), (600, 32.6), (1137, 37.3))
"""A Transformer of 7.6 million parameters, 29,000 pairs: CPU seconds of training, BLEU."""


def peers(count: int) -> dict[str, dict[str, float]]:
    """Time and BLEU of those that the environment names."""
    found = {}
    for name, variable in COMMANDS.items():
        if command := os.environ.get(variable):
            found[name] = _measured(command, count)
    return found


def _measured(command: str, count: int) -> dict[str, float]:
    """A run on all sentences less a run on one: what loading takes cancels out."""
    lines, reference = (sentences(f"test2016.{code}.gz", count) for code in ("de", "en"))
    _, once = _run(command, lines[:1])
    texts, spent = _run(command, lines)
    each = max(spent - once, 0.0) * 1000 / max(len(lines) - 1, 1)
    return {
        "milliseconds": each,
        "bleu": Bleu(tokenise="none").score(texts, [reference]).value,
        "loading": once,
    }


def _run(command: str, lines: list[str]) -> tuple[list[str], float]:
    """What it writes, and its CPU seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        shlex.split(command), input="".join(f"{line}\n" for line in lines),
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    texts = done.stdout.splitlines()
    if len(texts) != len(lines):
        raise SystemExit(f"{command}: {len(texts)} lines for {len(lines)}")
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return texts, spent
