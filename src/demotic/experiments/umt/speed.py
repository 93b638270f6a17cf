"""E1: how long decoding takes, and how often the language model is asked.

One thread, warm models, the median of several rounds in which the systems take turns.  UMT decodes
under the weights that it learned and under those of MERT for b30, cube pruning under those of
MERT.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from demotic.decode import HieroDecoder
from demotic.decode.undirected import UndirectedDecoder, UndirectedSearch
from demotic.experiments.timing import medians
from demotic.experiments.umt.bench import HIERO, Bench
from demotic.systems.umt.config import AHEAD, GREEDY
from demotic.systems.umt.start import CFF

LENGTHS = (5, 10, 20, 30, 40, 60, 80, 100, 150, 200)
"""Source words; sentences are put together to get there."""


def systems(
    bench: Bench, umt: Mapping[str, Mapping[str, float]], mert: Mapping[str, Mapping[str, float]]
) -> dict[str, HieroDecoder | UndirectedDecoder]:
    """All that is timed; ``umt`` are the weights of presets."""
    shared = {**mert["b30"], **dict.fromkeys(CFF, 1.0)}
    found: dict[str, HieroDecoder | UndirectedDecoder] = {
        "umt": bench.umt(GREEDY, umt["paper"]),
        "umt, weights of b30": bench.umt(GREEDY, shared),
        "umt, literal": bench.umt(UndirectedSearch(), umt["literal"]),
        "umt, lookahead": bench.umt(AHEAD, umt["lookahead"]),
        "umt, lookahead, weights of b30": bench.umt(AHEAD, shared),
    }
    for width in (1, 3):
        repaired = replace(AHEAD, repairs=1, repair_width=width)
        found[f"umt, lookahead, weights of b30, 1 repair, width {width}"] = bench.umt(
            repaired, shared
        )
    for init in ("eager", "lazy"):
        for name, pops in HIERO.items():
            label = name if init == "eager" else f"{name} lazy"
            found[label] = bench.hiero(pops, mert[name], init)
    return found


def measure(
    bench: Bench, umt: Mapping[str, Mapping[str, float]], mert: Mapping[str, Mapping[str, float]]
) -> dict[str, Any]:
    """Milliseconds and LM evaluations a sentence, for each system."""
    timed = systems(bench, umt, mert)
    lines = bench.test.source
    for decoder in timed.values():
        decoder.decode_lines(lines[:50])  # warm
    runs = {name: _timer(decoder, lines) for name, decoder in timed.items()}
    return {
        "sentences": len(lines),
        "repeats": bench.setup.repeats,
        "systems": medians(runs, repeats=bench.setup.repeats),
    }


def _timer(
    decoder: HieroDecoder | UndirectedDecoder, lines: Sequence[str]
) -> Callable[[], dict[str, float]]:
    def run() -> dict[str, float]:
        decoder.reset_counters()
        decoder.decode_lines(lines)
        counters = decoder.counters
        phases = {
            phase: 1000 * seconds / len(lines)
            for phase, seconds in counters.seconds.items()
            if phase != "load"
        }
        return {
            **phases,
            "total": sum(phases.values()),
            "load": 1000 * counters.seconds["load"],
            "lm_evaluations": counters.lm_evaluations / len(lines),
            "lm_words": counters.lm_words / len(lines),
            "edges": counters.edges / len(lines),
        }

    return run


def against_length(
    bench: Bench, umt: Mapping[str, Mapping[str, float]], mert: Mapping[str, Mapping[str, float]]
) -> list[dict[str, Any]]:
    """Milliseconds a sentence for sentences of growing length."""
    longest = 60 if bench.setup.quick else max(LENGTHS)
    rows = []
    timed = systems(bench, umt, mert)
    for length in LENGTHS:
        if length > longest:
            continue
        lines = _sentences_of(bench.test.source, length)
        runs = {name: _timer(timed[name], lines) for name in ("umt", "b1", "b30")}
        found = medians(runs, repeats=min(bench.setup.repeats, 3))
        rows.append({"words": length, "sentences": len(lines), "systems": found})
    return rows


def _sentences_of(lines: Sequence[str], length: int, words: int = 4000) -> list[str]:
    """The text cut into pieces of exactly so many words."""
    tokens = [token for line in lines for token in line.split()]
    pieces = [tokens[i : i + length] for i in range(0, len(tokens) - length + 1, length)]
    count = max(3, words // length)
    return [" ".join(piece) for piece in pieces[:count]] or [" ".join((tokens * length)[:length])]
