"""UMT: the experiments of Gesmundo and Henderson (2014) on any data.

e1 speed, e2 training, e3 quality, e4 what the search sees, e5 how it learns, e6 search under shared
weights, e7 beyond the paper.  Each part's results stay in the folder of the experiment.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from demotic import files
from demotic.experiments.data import data_for
from demotic.experiments.parts import Parts
from demotic.experiments.plots import Series, draw, require_matplotlib
from demotic.experiments.setup import Setup
from demotic.experiments.umt import report, search, speed, training
from demotic.experiments.umt.arms import Arms
from demotic.experiments.umt.bench import Bench, trained_model
from demotic.systems.umt.config import Preset

LEARNED: tuple[Preset, ...] = ("paper", "lookahead", "full", "literal")
"""Presets that learn from fixed weights, without MERT."""
PARTS = ("e1", "e2", "e3", "e4", "e5", "e6", "e7")
USES = ("from", "to", "model", "seeds", "repeats")
TOKENISED = True


def check(setup: Setup) -> None:
    """Raise where something is asked for that there is not."""
    setup.check_parts(PARTS)


def run(setup: Setup) -> str:
    """Do what is not done yet; the report, which is also written to ``report.md``."""
    require_matplotlib()
    bench = _bench(setup)
    arms = Arms(bench)
    texts = [
        part(bench, arms)
        for name, part in (
            ("e1", _speed), ("e2", _training), ("e3", _quality), ("e4", _variations),
            ("e6", _search), ("e7", _beyond),
        )
        if setup.wants(name) or (name == "e4" and setup.wants("e5"))
    ]  # fmt: skip
    head = (
        f"# UMT on {setup.source}-{setup.target}\n\n"
        f"{bench.model.about.provenance['pairs']:,} training pairs, {len(bench.data.dev):,} "
        f"development and {len(bench.data.test):,} test sentences ({', '.join(bench.data.names)}); "
        f"{len(bench.rules):,} rules, a language model of order {bench.lm.order}. Paper: Gesmundo "
        "and Henderson 2014, NIST Chinese-English."
    )
    text = "\n\n".join([head, *texts])
    files.write_lines(setup.out / "report.md", [text])
    return text


def _bench(setup: Setup) -> Bench:
    data = data_for(setup)
    model = trained_model(setup, data)
    sizes = [len(data.dev), len(data.test)]
    shas = [model.bundle.parts[name].sha256 for name in ("rules.bin", "lm.bin")]
    settings = {"sizes": sizes, "names": data.names, "parts": shas, "quick": setup.quick}
    parts = Parts(setup.out / "results", settings, progress=setup.progress)
    return Bench(setup, data, model, parts)


def _speed(bench: Bench, arms: Arms) -> str:
    umt: dict[str, Any] = {preset: arms.seeds(preset)[0]["weights"] for preset in LEARNED}
    mert = arms.mert_weights()
    settings = [umt, mert, bench.setup.repeats]
    found = bench.parts.get("speed", lambda: speed.measure(bench, umt, mert), settings=settings)
    lengths = bench.parts.get(
        "length", lambda: speed.against_length(bench, umt, mert), settings=settings
    )
    words = [row["words"] for row in lengths]
    curves = [
        Series(name, words, [row["systems"][name]["total"] for row in lengths])
        for name in ("umt", "b1", "b30")
    ]
    draw(
        bench.setup.out / "length",
        curves,
        x="source words",
        y="ms a sentence",
        title="Time against sentence length",
    )
    return report.speed(found, lengths)


def _training(bench: Bench, arms: Arms) -> str:
    bases = {preset: arms.base(preset) for preset in report.LEARNERS}
    cost = bench.parts.get(
        "training",
        lambda: {name: training.learning_cost(bench, arm) for name, arm in bases.items()},
        settings={name: asdict(arm) for name, arm in bases.items()},
    )
    mert = {name: arms.mert(name) for name in ("b1", "b30")}
    curves = [
        *(_curve(f"DRL, {preset}", arms.seeds(preset)[0]) for preset in LEARNED),
        *(
            Series(f"MERT, {name}", list(range(len(found["rounds"]))), found["rounds"])
            for name, found in mert.items()
        ),
    ]
    draw(
        bench.setup.out / "learning",
        curves,
        x="epochs, rounds",
        y="BLEU on the development set",
        title="Learning curves",
    )
    return report.training(cost, mert)


def _curve(label: str, record: Any) -> Series:
    epochs = record["epochs"]
    return Series(label, [e["number"] for e in epochs], [e["score"] for e in epochs])


def _quality(bench: Bench, arms: Arms) -> str:
    same = {features: arms.mert_of(features) for features in report.NARROW}
    seeds = {
        "b30": arms.mert_seeds(),
        "b1": [arms.mert("b1")],
        "umt paper": arms.seeds("paper"),
        "umt paper, replay": arms.replayed(),
        **{f"umt {preset}": arms.seeds(preset) for preset in (*LEARNED[1:], "tuned")},
    }
    first = {name: records[0] for name, records in seeds.items()}
    groups = {"b30": first} | {
        features: {"b30": same[features], **{name: first[name] for name in names}}
        for features, names in report.NARROW.items()
    }
    tests = bench.parts.get(
        "significance",
        lambda: {name: arms.significance(group, "b30") for name, group in groups.items()},
        settings={
            name: {system: record["test"] for system, record in group.items()}
            for name, group in groups.items()
        },
    )
    return report.quality(seeds, same, tests)


def _variations(bench: Bench, arms: Arms) -> str:
    return report.variations([row for row in arms.ablations() if bench.setup.wants(row[0])])


def _search(bench: Bench, arms: Arms) -> str:
    learned = {preset: arms.seeds(preset)[0]["weights"] for preset in LEARNED}
    mert = arms.mert("b30")["weights"]
    directions = bench.parts.get(
        "directions",
        lambda: {
            f"umt {preset}": search.directions(bench, arms.base(preset).search, learned[preset])
            for preset in LEARNED
        },
        settings=learned,
    )
    gaps = bench.parts.get("gaps", lambda: search.gaps(bench, mert), settings=mert)
    return report.search(directions, gaps)


def _beyond(bench: Bench, arms: Arms) -> str:
    return report.beyond(arms.beyond(), arms.tuned())
