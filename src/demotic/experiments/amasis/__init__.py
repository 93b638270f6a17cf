"""Amasis: the experiments of Zhang, Sun and Li on any data.

e1 BLEU, in the domain and out of it, e2 sizes of tables, e3 labels, e4 how many are right, e5
search and items, e6 speed, e7 beyond the paper, e8 Vowpal Wabbit on the same examples.  Each part's
results stay in the folder of the experiment.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from demotic import files
from demotic.experiments.amasis import report, wabbit
from demotic.experiments.amasis.bench import Arm, Bench
from demotic.experiments.amasis.labels import Labels
from demotic.experiments.data import DataFolder, data_for, read_folder
from demotic.experiments.parts import Parts
from demotic.experiments.plots import Series, draw, require_matplotlib
from demotic.experiments.setup import Setup
from demotic.metrics import Bleu, evaluate

PARTS = ("e1", "e2", "e3", "e4", "e5", "e6", "e7", "e8")
USES = ("from", "to", "seeds", "other-data")
TOKENISED = True


def check(setup: Setup) -> None:
    """Raise where something is asked for that there is not."""
    setup.check_parts(PARTS)
    require_matplotlib()


def run(setup: Setup) -> str:
    """Do what is not done yet; the report, which is also written to ``report.md``."""
    data = data_for(setup)
    parts = Parts(setup.out / "results", {"quick": setup.quick}, progress=setup.progress)
    bench = Bench(setup, data, parts, _other(setup))
    labels = Labels(bench)
    sections: dict[str, Callable[[], str]] = {
        "e3": lambda: report.inventory(labels.inventory()),
        "e4": lambda: _accuracies(setup, labels),
        "e7": lambda: _beyond(bench, labels),
        "e8": lambda: report.wabbit(wabbit.compared(bench)),
        "e1": lambda: _bleu(bench),
        "e2": lambda: _tables(setup, bench),
        "e5": lambda: report.searches(bench.searches(), list(bench.variations())),
        "e6": lambda: report.speed(_first_seeds(bench)),
    }
    texts = {name: part() for name, part in sections.items() if setup.wants(name)}
    head = (
        f"# Amasis on {setup.source}-{setup.target}\n\n"
        f"{len(data.train):,} training pairs, {len(data.dev):,} development and "
        f"{len(data.test):,} test sentences ({', '.join(data.names)}). Paper: Zhang, Sun and Li, "
        "Europarl."
    )
    text = "\n\n".join([head, *(texts[name] for name in sorted(texts))])
    files.write_lines(setup.out / "report.md", [text])
    return text


def _other(setup: Setup) -> DataFolder | None:
    if setup.other is None:
        return None
    return read_folder(
        setup.other, setup.source, setup.target, train_lines=1, dev_lines=1,
        test_lines=setup.test_lines or (40 if setup.quick else None),
    )  # fmt: skip


def _first_seeds(bench: Bench) -> dict[str, Any]:
    return {arm.name: bench.trained(arm, bench.seeds[0]) for arm in bench.main_arms()}


def _tables(setup: Setup, bench: Bench) -> str:
    records = _first_seeds(bench)
    names = [name for name in records if "," not in name]  # the others share these tables
    draw(
        setup.out / "tables",
        [
            Series("entries", range(len(names)), [records[n]["entries"] for n in names], "points"),
            Series(
                "of one source word", range(len(names)), [records[n]["single"] for n in names],
                "points",
            ),
        ],
        x="", y="entries", title="Sizes of tables", logarithmic=True, ticks=names,
    )  # fmt: skip
    return report.tables(records, setup.source)


def _accuracies(setup: Setup, labels: Labels) -> str:
    rows = labels.accuracies()
    _draw_rounds(setup, "accuracy", rows)
    return report.accuracies(rows)


def _beyond(bench: Bench, labels: Labels) -> str:
    rows = labels.beyond()
    _draw_rounds(bench.setup, "accuracy-beyond", rows)
    seeds = {arm.name: bench.seeds_of(arm) for arm in bench.arms_beyond()}
    return report.beyond(rows, seeds, _tests(bench, seeds, "ext"))


def _draw_rounds(setup: Setup, name: str, rows: Sequence[Any]) -> None:
    """Accuracy by iteration, the first run of each way."""
    curves: dict[str, Sequence[float]] = {}
    for row in rows:
        if len(row.get("rounds", [])) > 1:
            curves.setdefault(f"{row['features']}: {row['name']}", row["rounds"])
    draw(
        setup.out / name,
        [
            Series(way, range(1, 1 + len(shares)), [100 * share for share in shares])
            for way, shares in curves.items()
        ],
        x="round", y="labels right, %", title="Held-out labels by round",
    )  # fmt: skip


def _bleu(bench: Bench) -> str:
    arms = bench.main_arms()
    seeds = {arm.name: bench.seeds_of(arm) for arm in arms}
    tests = {name: _tests(bench, seeds, name) for name in ("Amasis", "Pharaoh 3")}
    return report.bleu(seeds, tests) + _outside(bench, arms)


def _outside(bench: Bench, arms: Sequence[Arm]) -> str:
    other = bench.other
    if other is None:
        return ""
    every = [*arms, *bench.without_deletion()]
    words = sum(len(line.split()) for line in other.test.target_lines())
    return "\n\n" + report.outside({arm.name: bench.outside(arm, other) for arm in every}, words)


def _tests(bench: Bench, seeds: Mapping[str, Sequence[Any]], baseline: str) -> dict[str, float]:
    """p of a paired bootstrap against a baseline, first seeds."""
    lines = {name: records[0]["lines"] for name, records in seeds.items()}
    reference = [list(bench.data.test.target_lines())]
    return {
        result.system: next(t.p_value for t in result.comparison.tests if t.test == "bootstrap")
        for result in evaluate(lines, reference, [Bleu(tokenise="none")], baseline=baseline)
        if result.comparison is not None
    }
