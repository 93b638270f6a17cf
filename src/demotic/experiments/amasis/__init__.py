"""Amasis: the experiments of Zhang, Sun and Li on any data.

e1 BLEU, e2 sizes of tables, e3 labels, e4 how many are right, e5 search and items, e6 speed.  Each
part's results stay in the folder of the experiment.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from demotic import files
from demotic.experiments.amasis import report
from demotic.experiments.amasis.bench import Bench
from demotic.experiments.data import data_for
from demotic.experiments.parts import Parts
from demotic.experiments.setup import Setup
from demotic.metrics import Bleu, evaluate

PARTS = ("e1", "e2", "e3", "e4", "e5", "e6")
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
    sections: dict[str, Callable[[Bench], str]] = {
        "e3": lambda bench: report.inventory(bench.inventory()),
        "e4": lambda bench: report.accuracies(bench.accuracies()),
        "e1": _bleu,
        "e2": lambda bench: report.tables(_first_seeds(bench), setup.source),
        "e5": lambda bench: report.searches(bench.searches(), list(bench.variations())),
        "e6": lambda bench: report.speed(_first_seeds(bench)),
    }
    texts = {name: part(bench) for name, part in sections.items() if setup.wants(name)}
    head = (
        f"# Amasis on {setup.source}-{setup.target}\n\n"
        f"{len(data.train):,} training pairs, {len(data.dev):,} development and "
        f"{len(data.test):,} test sentences ({', '.join(data.names)}). Paper: Zhang, Sun and Li, "
        "Europarl."
    )
    text = "\n\n".join([head, *(texts[name] for name in sorted(texts))])
    files.write_lines(setup.out / "report.md", [text])
    return text


def _first_seeds(bench: Bench) -> dict[str, Any]:
    return {arm.name: bench.trained(arm, bench.seeds[0]) for arm in bench.main_arms()}


def _bleu(bench: Bench) -> str:
    seeds = {arm.name: bench.seeds_of(arm) for arm in bench.main_arms()}
    lines = {name: records[0]["lines"] for name, records in seeds.items()}
    reference = [list(bench.data.test.target_lines())]
    metric = Bleu(tokenise="none")
    tests = {
        result.system: next(t.p_value for t in result.comparison.tests if t.test == "bootstrap")
        for result in evaluate(lines, reference, [metric], baseline="Amasis")
        if result.comparison is not None
    }
    return report.bleu(seeds, tests)
