"""The transducer's experiments: Wellington, Turian and Melamed's tables on any data.

data (table 7.1), words (7.2), bags (7.3 and 7.4), trees (7.5, by a parser of a treebank or of
induced trees), speed (against liblinear and LightGBM).
Sentence pairs for tuning, development and test are drawn from the training part, as in the
chapter; words are linked by both directions of the aligner, and tags are word classes of the
source text.
"""

from __future__ import annotations

from collections.abc import Callable

from demotic import files
from demotic.experiments.parts import Parts
from demotic.experiments.setup import Setup
from demotic.experiments.transducer import report
from demotic.experiments.transducer.bench import Bench

PARTS = ("data", "words", "bags", "trees", "speed")
USES = ("from", "to", "treebank")
TOKENISED = True


def check(setup: Setup) -> None:
    """Raise where something is asked for that there is not."""
    setup.check_parts(PARTS)


def run(setup: Setup) -> str:
    """Do what is not done yet; the report, which is also written to ``report.md``."""
    bench = Bench(setup)
    settings = {"quick": setup.quick, "size": bench.size, "held_out": bench.held_out}
    parts = Parts(setup.out / "results", settings, progress=setup.progress)
    sections: dict[str, Callable[[], str]] = {
        "data": lambda: report.data(parts.get("data", bench.facts)),
        "words": lambda: report.words(parts.get("words", bench.words), setup.out),
        "bags": lambda: report.bags(parts.get("bags", bench.bags)),
        "trees": lambda: report.trees(parts.get("trees", bench.trees)),
        "speed": lambda: report.speed(parts.get("speed", bench.speed)),
    }
    texts = [make() for name, make in sections.items() if setup.wants(name)]
    head = (
        f"# Transducer on {setup.source}-{setup.target}\n\n"
        f"{bench.size:,} training pairs; {bench.held_out:,} each to tune, develop and test, drawn "
        "from the same text. Chapter: Wellington, Turian and Melamed, Europarl English-French; its "
        "figures are those of 10,000 pairs."
    )
    text = "\n\n".join([head, *texts])
    files.write_lines(setup.out / "report.md", [text])
    return text
