"""Ways to translate the same unseen messages, side by side: systems that were trained, and three
that need no training: leave a message as it is, look every word up, reuse the most similar one.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from demotic.align import LexicalTable
from demotic.corpus import Bitext, Orthography
from demotic.demo.baselines import Memory, word_by_word
from demotic.systems.model import Model

UNTOUCHED = "left as it is"
SHOWN = 12  # unseen messages
_LONGEST = 90  # characters of a message that is shown

Lexicon = dict[str, tuple[str, float]]
"""For each source word its likeliest target word, and how likely that is."""


@dataclass(frozen=True)
class Way:
    """A way to translate lines, and how long it took to prepare."""

    translate: Callable[[list[str]], Iterable[str]]
    training_seconds: float = 0.0


@dataclass(frozen=True)
class Speed:
    """What a way to translate costs."""

    training_seconds: float
    sentences_per_second: float


def simple_ways(
    train: Bitext,
    source: Orthography,
    target: Orthography,
    lexicon: Lexicon,
    lexicon_seconds: float,
) -> dict[str, Way]:
    """Ways for a translator to beat."""
    begin = time.perf_counter()
    memory = Memory(train, source)
    return {
        UNTOUCHED: Way(lambda lines: lines),
        "most similar message": Way(
            lambda lines: [memory.nearest(source.encode(line)) for line in lines],
            time.perf_counter() - begin,
        ),
        "word by word": Way(
            lambda lines: [word_by_word(source.encode(line), target, lexicon) for line in lines],
            lexicon_seconds,
        ),
    }


def way_of(model: Model, training_seconds: float, threads: int) -> Way:
    """A trained system by itself: the memory is a way of its own."""
    model = model.with_memory({"use": False})
    return Way(
        lambda lines: [each.text for each in model.translate_lines(lines, threads=threads)],
        training_seconds,
    )


def translated(
    ways: Mapping[str, Way], lines: list[str]
) -> tuple[dict[str, list[str]], dict[str, Speed]]:
    """The translations of every way, and what they cost."""
    found, speeds = {}, {}
    for name, way in ways.items():
        begin = time.perf_counter()
        found[name] = list(way.translate(lines))
        seconds = max(time.perf_counter() - begin, 1e-6)
        speeds[name] = Speed(way.training_seconds, len(lines) / seconds)
    return found, speeds


def best_words(table: LexicalTable) -> Lexicon:
    """The likeliest words of a table."""
    best: Lexicon = {}
    for block in table.text(target_given_source=True):
        for line in block.decode().splitlines():
            target, source, probability = line.split(" ")
            if target != "NULL" and float(probability) > best.get(source, ("", 0.0))[1]:
                best[source] = target, float(probability)
    return best


def samples(found: Mapping[str, list[str]], test: Bitext) -> list[dict[str, str]]:
    """Messages with placeholders first, then the longest that fit on a line."""
    rows = [
        {
            "message": pair.source,
            "reference": pair.target,
            **{name: lines[row] for name, lines in found.items() if name != UNTOUCHED},
        }
        for row, pair in enumerate(test)
    ]
    rows.sort(key=lambda sample: ("%" not in sample["message"], -len(sample["message"])))
    return [sample for sample in rows if len(sample["message"]) < _LONGEST][:SHOWN]
