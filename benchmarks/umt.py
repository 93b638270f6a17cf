"""Undirected decoding beside cube pruning: CPU time by phase, and what grows with length.

    python -m benchmarks.umt [--model MODEL | --cache DIR] [--sentences N]

Multi30k German-English, lower-cased, tokenised, one thread, the same rules, 4-gram model and
weights for all; weights of bounds are 1.  ``--model`` takes rules, model and weights from a trained
bundle; otherwise they are those of ``benchmarks.hiero``.  Every setting decodes the same
sentences in turns, each turn with a new decoder, so that nothing is kept of the last one; a figure
is the median of its turns.  Ratios are those of cube pruning with 30 pops: how many times faster a
setting is.  Rescoring is what comes after parsing, with and without inside-outside.  The second
table joins sentences to longer ones.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.hiero import WEIGHTS, encoded, lines_of, model_in, rules_in
from demotic.bundle import Bundle
from demotic.decode import HieroDecoder, HieroSearch, UndirectedDecoder, UndirectedSearch
from demotic.grammar import RuleTable
from demotic.lm import LanguageModel
from demotic.metrics import Bleu
from demotic.systems.hiero import Config, HieroModel

TURNS = 5
LENGTHS = (10, 25, 50, 100, 200)
BOUNDS = {"Cff1": 1.0, "Cff2": 1.0, "CffHead": 1.0}
FIRST = "cube pruning, 30 pops, eager"
PLAIN = "undirected"
AHEAD = "undirected, looking ahead"
Decoder = HieroDecoder | UndirectedDecoder


@dataclass
class Figures:
    """One setting's turns: seconds by phase; and what does not change from turn to turn."""

    total: list[float]
    parse: list[float]
    bounds: list[float]
    rescore: list[float]
    lm: int = 0
    score: float = 0.0
    text: tuple[str, ...] = ()


def settings(
    rules: RuleTable, lm: LanguageModel, weights: dict[str, float]
) -> dict[str, Callable[[], Decoder]]:
    def cubes(options: HieroSearch) -> Callable[[], Decoder]:
        return lambda: HieroDecoder(rules, lm, weights, options=options)

    def undirected(options: UndirectedSearch) -> Callable[[], Decoder]:
        return lambda: UndirectedDecoder(rules, lm, weights | BOUNDS, options=options)

    ahead = UndirectedSearch(bounds="chart", lookahead=True)
    return {
        FIRST: cubes(HieroSearch(pops=30, init="eager")),
        "cube pruning, 30 pops, lazy": cubes(HieroSearch(pops=30, init="lazy")),
        "cube pruning, 1 pop, eager": cubes(HieroSearch(pops=1, init="eager")),
        "cube pruning, 1 pop, lazy": cubes(HieroSearch(pops=1, init="lazy")),
        PLAIN: undirected(UndirectedSearch()),
        "undirected, eager argmax": undirected(UndirectedSearch(argmax="eager")),
        "undirected, kappa 1": undirected(UndirectedSearch(kappa=1.0)),
        "undirected, kappa 1, bounds of words": undirected(
            UndirectedSearch(kappa=1.0, bounds="words")
        ),
        "undirected, kappa 1, bounds of a chart": undirected(
            UndirectedSearch(kappa=1.0, bounds="chart")
        ),
        AHEAD: undirected(ahead),
        "the same, 4 restarts": undirected(replace(ahead, restarts=4)),
        "the same, beam 4": undirected(replace(ahead, beam=4)),
    }


def turn(make: Callable[[], Decoder], lines: list[str], figures: Figures) -> None:
    decoder = make()
    begin = time.process_time()
    found = decoder.decode_lines(lines)
    figures.total.append(time.process_time() - begin)
    counters = decoder.counters
    figures.parse.append(counters.seconds["parse"])
    figures.bounds.append(counters.seconds.get("inside-outside", 0.0))
    figures.rescore.append(counters.seconds["rescore"])
    figures.lm = counters.lm_evaluations
    figures.score = sum(derivation.score for derivation in found) / len(found)
    figures.text = tuple(derivation.text for derivation in found)


def compare(
    made: dict[str, Callable[[], Decoder]], source: list[str], reference: list[str]
) -> None:
    figures = {name: Figures([], [], [], []) for name in made}
    for make in made.values():
        make().decode_lines(source[:50])  # rules and model come into memory
    for _ in range(TURNS):
        for name, make in made.items():
            turn(make, source, figures[name])
    first = figures[FIRST]

    def faster(part: Callable[[Figures], list[float]], name: str) -> str:
        return f"{statistics.median(part(first)) / statistics.median(part(figures[name])):.1f}"

    print(
        "| setting | total | rescoring | with inside-outside | ms/sentence | parse | bounds "
        "| rescoring | LM evaluations | model score | BLEU |\n|---" + "|---:" * 10 + "|"
    )
    bleu = Bleu(tokenise="none")
    for name, each in figures.items():
        ms = [
            1000 * statistics.median(part) / len(source)
            for part in (each.total, each.parse, each.bounds, each.rescore)
        ]
        quality = bleu.score(each.text, [reference])
        print(
            f"| {name} | {faster(lambda f: f.total, name)} | {faster(lambda f: f.rescore, name)} "
            f"| {faster(lambda f: [*map(sum, zip(f.rescore, f.bounds, strict=True))], name)} "
            f"| {ms[0]:.2f} | {ms[1]:.2f} | {ms[2]:.3f} | {ms[3]:.3f} "
            f"| {each.lm / len(source):,.0f} | {each.score:.2f} | {quality.value:.2f} |"
        )


def lengths(make: Callable[[], Decoder], source: list[str]) -> None:
    words = " ".join(source).split()
    words = words[: len(words) // max(LENGTHS) * max(LENGTHS)]
    print(
        "| words | microseconds/word | parse | inside-outside | rescoring | actions/word "
        "| LM evaluations/word |\n|---:" + "|---:" * 6 + "|"
    )
    for length in LENGTHS:
        lines = [" ".join(words[i : i + length]) for i in range(0, len(words), length)]
        spent: list[float] = []
        for _ in range(TURNS):
            decoder = make()
            begin = time.process_time()
            decoder.decode_lines(lines)
            spent.append((time.process_time() - begin) / len(words))
        counters = decoder.counters
        phases = [counters.seconds[p] for p in ("parse", "inside-outside", "rescore")]
        parts = " | ".join(f"{1e6 * seconds / len(words):.1f}" for seconds in phases)
        steps = getattr(counters, "steps", 0)
        print(
            f"| {length} | {1e6 * statistics.median(spent):.1f} | {parts} "
            f"| {steps / len(words):.2f} | {counters.lm_evaluations / len(words):.1f} |"
        )


def measure(
    rules: RuleTable, lm: LanguageModel, weights: dict[str, float], source: list[str]
) -> None:
    reference = lines_of("test2016.en.gz")[: len(source)]
    print(f"{len(rules):,} rules, {len(source)} sentences, one thread, CPU time")
    made = settings(rules, lm, weights)
    compare(made, source, reference)
    for name in (PLAIN, AHEAD):
        print(f"\n{name}, by length:")
        lengths(made[name], source)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--model", type=Path, help="a trained bundle")
    parser.add_argument("--cache", type=Path, help="folder for the rule table and the model")
    parser.add_argument("--sentences", type=int, default=1000)
    given = parser.parse_args()
    source = lines_of("test2016.de.gz")[: given.sentences]
    if given.model is not None:
        model = HieroModel.open(Bundle.open(given.model))
        # The decoders that are compared have one language model.
        extra = {each.name for each in model.further}
        weights = {name: value for name, value in model.weights.items() if name not in extra}
        measure(model.rules, model.lm, weights, encoded(source, model.source))
        return
    with tempfile.TemporaryDirectory() as folder:
        cache = given.cache or Path(folder)
        cache.mkdir(parents=True, exist_ok=True)
        measure(rules_in(cache, Config().extract.min_sentences), model_in(cache), WEIGHTS, source)


if __name__ == "__main__":
    main()
