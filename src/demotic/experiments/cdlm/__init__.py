"""CDLM: the experiments of Li, Wang, Khudanpur and Eisner on any data with references.

e1 sizes, e2 simulation (table 2), e3 translation (table 3), e4 n-grams (table 4), e5 references, e6
confusion grammars, e7 ways to learn, e8 speed, e9 what bigrams learn.  Each part's results stay in
the folder of the experiment.  A file ``symbols.LANG`` in the data folder says which symbol a word
is, such as its part of speech; without it, classes are learned.
"""

from __future__ import annotations

from collections.abc import Callable

from demotic import files
from demotic.experiments.cdlm import measures, report
from demotic.experiments.cdlm.bench import Bench
from demotic.experiments.data import data_for
from demotic.experiments.parts import Parts
from demotic.experiments.setup import Setup

PARTS = ("e1", "e2", "e3", "e4", "e5", "e6", "e7", "e8", "e9")
USES = ("from", "to", "seeds")
TOKENISED = True


def check(setup: Setup) -> None:
    """Raise where something is asked for that there is not."""
    setup.check_parts(PARTS)


def run(setup: Setup) -> str:
    """Do what is not done yet; the report, which is also written to ``report.md``."""
    data = data_for(setup)
    parts = Parts(setup.out / "results", {"quick": setup.quick}, progress=setup.progress)
    bench = Bench(setup, data, parts)
    sections: dict[str, Callable[[], str]] = {
        "e1": lambda: report.sizes(measures.sizes(bench)),
        "e2": lambda: report.simulation(measures.simulation(bench)),
        "e3": lambda: report.translation(measures.translation(bench)),
        "e4": lambda: report.ngrams(measures.ngrams(bench)),
        "e5": lambda: report.references(measures.references(bench)),
        "e6": lambda: report.grammars(measures.grammars(bench)),
        "e7": lambda: report.learnings(measures.learnings(bench)),
        "e8": lambda: report.speed(measures.speed(bench)),
        "e9": lambda: report.reasons(measures.reasons(bench)),
    }
    texts = [section() for name, section in sections.items() if setup.wants(name)]
    if overlap := bench.overlap:
        setup.progress.warn(f"{overlap} sentences to learn from are in the test set, too")
    head = (
        f"# CDLM on {setup.source}-{setup.target}\n\n"
        f"{len(data.train):,} training pairs, {len(data.dev):,} development and "
        f"{len(data.test):,} test sources ({', '.join(data.names)}); {len(bench.tests):,} "
        f"different test sentences with {measures.median_references(bench):g} references in the "
        "median and "
        f"{measures.streams(bench)} at most; {overlap} sentences learned from are also in the test "
        "set. Paper: Li, Wang, Khudanpur and Eisner, IWSLT 2005 Chinese-English with 16 references."
    )
    text = "\n\n".join([head, *texts])
    files.write_lines(setup.out / "report.md", [text])
    return text
