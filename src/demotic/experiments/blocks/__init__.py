"""Blocks: the experiments of Tillmann and Zhang (2005) on any data.

rows        table 2, under the paper's letter and under our reading
mert        the phrase-based baseline with MERT, at distortion limits 0 and 6; blocks with MERT;
            the system phrase as it is by default
perceptron  perceptrons in place of gradient descent
ablations   one decision changed at a time
pairs       which pairs there are, how far their weights move
crf         the global model that the paper defers
speed       events a second, memory

BLEU is that of the tokens.  Each part's results stay in the folder of the experiment.
"""

from __future__ import annotations

from functools import partial

from demotic import files
from demotic.experiments.blocks import arms, report
from demotic.experiments.blocks.bench import Bench
from demotic.experiments.data import data_for
from demotic.experiments.parts import Parts
from demotic.experiments.setup import Setup

PARTS = ("speed", "rows", "perceptron", "crf", "mert", "pairs", "ablations")
USES = ("from", "to")
TOKENISED = True


def check(setup: Setup) -> None:
    """Raise where something is asked for that there is not."""
    setup.check_parts(PARTS)


def run(setup: Setup) -> str:
    """Do what is not done yet; the report, which is also written to ``report.md``."""
    bench = _bench(setup)
    parts = bench.parts
    texts = []
    if setup.wants("speed"):
        texts.append(report.speed(parts.get("speed", lambda: arms.speed(bench))))
    if setup.wants("rows"):
        found = {}
        for name, reading in arms.READINGS.items():
            found[name] = parts.get(
                f"rows-{name}", partial(arms.rows, bench, name), settings=reading.key()
            )
        texts.append(report.rows(found, bench.test.reference))
    if setup.wants("perceptron"):
        perceptrons = parts.get("perceptron", lambda: arms.perceptrons(bench))
        texts.append(report.simple("Perceptrons", perceptrons))
    if setup.wants("crf"):
        texts.append(report.beyond(parts.get("crf", lambda: arms.beyond(bench))))
    if setup.wants("mert"):
        found = {
            f"phrase, d={limit}": parts.get(
                f"phrase-d{limit}", partial(arms.baseline, bench, limit)
            )
            for limit in (0, 6)
        }
        found["blocks, a-f"] = parts.get("blocks-tuned", partial(arms.tuned, bench))
        found["phrase, its defaults"] = parts.get(
            "phrase-defaults", partial(arms.phrase_defaults, bench)
        )
        title = "Tuned by MERT: the phrase-based baseline, and blocks; phrase as it is by default"
        texts.append(report.simple(title, found))
    if setup.wants("pairs"):
        extra = {"pairs": "pairs", "largest": "largest weight"}
        pairs = parts.get("pairs", lambda: arms.pair_ablations(bench))
        texts.append(report.simple("Pairs (row 7, lists of row 4)", pairs, extra))
    if setup.wants("ablations"):
        changed = {
            name: parts.get(
                f"ablation-{name.lower().replace(' ', '-')}",
                partial(arms.ablation, bench, reading),
                settings=reading.key(),
            )
            for name, reading in arms.ablations().items()
        }
        texts.append(report.ablations(changed))
    head = (
        f"# Blocks on {setup.source}-{setup.target}\n\n"
        f"{len(bench.data.train):,} training pairs, {len(bench.data.dev):,} development and "
        f"{len(bench.data.test):,} test sentences ({', '.join(bench.data.names)}), one reference; "
        "a trigram model of the training text. Paper: Tillmann and Zhang 2005, Arabic-English, "
        "230,000 training pairs chosen for the test set, four references."
    )
    text = "\n\n".join([head, *texts])
    files.write_lines(setup.out / "report.md", [text])
    return text


def _bench(setup: Setup) -> Bench:
    data = data_for(setup)
    sizes = [len(data.train), len(data.dev), len(data.test)]
    settings = {"sizes": sizes, "names": data.names, "quick": setup.quick}
    return Bench(setup, data, Parts(setup.out / "results", settings, progress=setup.progress))
