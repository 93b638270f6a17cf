"""Blocks: the experiments of Tillmann and Zhang (2005) on any data.

rows        table 2, under the paper's letter and under our reading
mert        the phrase-based baseline with MERT, at distortion limits 0 and 6; blocks with MERT;
            the system phrase as it is by default
perceptron  perceptrons in place of gradient descent
ablations   one decision changed at a time
pairs       which pairs there are, how far their weights move
crf         the global model that the paper defers
speed       events a second, memory

BLEU is that of the tokens, with each seed.  Each part's results stay in the folder of the
experiment.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from demotic import files
from demotic.experiments.blocks import arms, paper, report
from demotic.experiments.blocks.bench import Bench
from demotic.experiments.data import data_for
from demotic.experiments.parts import Parts
from demotic.experiments.setup import Setup

PARTS = ("speed", "rows", "perceptron", "crf", "mert", "pairs", "ablations")
USES = ("from", "to", "seeds")
TOKENISED = True


def check(setup: Setup) -> None:
    """Raise where something is asked for that there is not."""
    setup.check_parts(PARTS)


def run(setup: Setup) -> str:
    """Do what is not done yet; the report, which is also written to ``report.md``."""
    bench = _bench(setup)
    texts = []
    if setup.wants("speed"):
        texts.append(report.speed(bench.parts.get("speed", lambda: arms.speed(bench))))
    if setup.wants("rows"):
        found = {
            name: _seeds(bench, f"rows {name}", partial(arms.rows, bench, name), reading.key())
            for name, reading in arms.READINGS.items()
        }
        texts.append(report.rows(found, bench.test.reference))
    if setup.wants("perceptron"):
        texts.append(report.simple("Perceptrons", _table(bench, "perceptron", arms.perceptrons)))
    if setup.wants("crf"):
        texts.append(report.beyond(_table(bench, "crf", arms.beyond)))
    if setup.wants("mert"):
        tuned = {
            f"phrase, d={limit}": _seeds(
                bench, f"phrase d{limit}", partial(arms.baseline, bench, limit)
            )
            for limit in (0, 6)
        }
        tuned["blocks, a-f"] = _seeds(bench, "blocks tuned", partial(arms.tuned, bench))
        tuned["phrase, its defaults"] = _seeds(
            bench, "phrase defaults", partial(arms.phrase_defaults, bench)
        )
        title = "Tuned by MERT: the phrase-based baseline, and blocks; phrase as it is by default"
        texts.append(report.simple(title, tuned))
    if setup.wants("pairs"):
        extra = {"pairs": "pairs", "largest": "largest weight"}
        pairs = _table(bench, "pairs", arms.pair_ablations)
        texts.append(report.simple("Pairs (row 7, lists of row 4)", pairs, extra))
    if setup.wants("ablations"):
        changed = {
            name: _seeds(
                bench, f"ablation {name}", partial(arms.ablation, bench, reading), reading.key()
            )
            for name, reading in arms.ablations().items()
        }
        texts.append(report.ablations(changed))
    head = (
        f"# Blocks on {setup.source}-{setup.target}\n\n"
        f"{len(bench.data.train):,} training pairs, {len(bench.data.dev):,} development and "
        f"{len(bench.data.test):,} test sentences ({', '.join(bench.data.names)}), one reference; "
        "a trigram model of the training text. Paper: Tillmann and Zhang 2005, Arabic-English, "
        "230,000 training pairs chosen for the test set, four references. It has no phrase-based "
        f"system: its baseline is row 1, and its gain of {paper.GAIN} % is that of row 7."
    )
    text = "\n\n".join([head, *texts])
    files.write_lines(setup.out / "report.md", [text])
    return text


def _seeds(
    bench: Bench, name: str, run: Callable[[int], dict[str, Any]], settings: Any = None
) -> list[Any]:
    """The result of a part with each seed."""
    slug = name.lower().replace(",", "").replace(" ", "-")
    return [
        bench.parts.get(f"{slug}-seed-{seed}", partial(run, seed), settings=settings)
        for seed in bench.seeds
    ]


def _table(
    bench: Bench, name: str, run: Callable[[Bench, int], dict[str, Any]]
) -> dict[str, list[Any]]:
    """A part with several results, the seeds of each together."""
    found = _seeds(bench, name, partial(run, bench))
    return {row: [each[row] for each in found] for row in found[0]}


def _bench(setup: Setup) -> Bench:
    data = data_for(setup)
    sizes = [len(data.train), len(data.dev), len(data.test)]
    settings = {"sizes": sizes, "names": data.names, "quick": setup.quick}
    return Bench(setup, data, Parts(setup.out / "results", settings, progress=setup.progress))
