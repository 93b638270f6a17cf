"""The parts of the experiment: E1 to E8, each a record of figures."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from demotic.decode.confusion import BLEU_CONTEXT
from demotic.decode.confusion import START as BLM
from demotic.experiments.cdlm.bench import CONDITIONS, Arm, Bench
from demotic.forest import Forest, linear_bleu
from demotic.grammar import ConfusionOptions
from demotic.metrics import Bleu
from demotic.metrics.significance import paired_bootstrap
from demotic.systems.cdlm.config import CdlmLearning
from demotic.systems.cdlm.examples import judge, streams_of
from demotic.systems.work import peak_memory

LIST = 100
"""Of the lists that table 4 compares."""
MODELS = {
    "BLM+WP": Arm(bigrams=False),
    "BLM+WP+TsRB": Arm(),
    "BLM+WP+TsRB, lexical": Arm(preset="lexical"),
}
COLUMNS = {
    "paper": Arm(),
    "clean": Arm("clean"),
    "clean, rules counted": Arm("clean", learning=CdlmLearning(count_rules=True)),
    "clean, no side with itself": Arm("clean", confusion=ConfusionOptions(itself=False)),
}
"""Models whose column a translator gets."""


def sizes(bench: Bench) -> Any:
    """E1: rules, features, forests, by condition."""

    def run() -> dict[str, Any]:
        rows = {}
        for condition in CONDITIONS:
            grammar, confuser, _, bigrams = bench.confused(Arm(condition))
            lines = [e.sentence for e in bench.tests]
            forests = confuser.forests(lines, BLM, threads=bench.setup.threads)
            rows[condition] = {
                "bilingual": len(bench.filtered(condition)),
                "confusion": len(grammar),
                "members": grammar.members,
                "bigrams": bigrams,
                "sentences": len(bench.examples(condition)),
                **_forests(bench, forests),
            }
        return rows

    return bench.parts.get("sizes", run)


def _forests(bench: Bench, forests: Iterable[Forest]) -> dict[str, float]:
    """Edges, how many hold their sentence, and the best that they hold."""
    edges = holding = words = 0
    oracles = []
    gain = linear_bleu()
    for example, forest in zip(bench.tests, forests, strict=True):
        edges += forest.edges
        words += len(example.sentence.split())
        holding += forest.restrict(example.sentence.split()) is not None
        references = [line.split() for line in example.references]
        oracles.append(forest.oracle(forest.bleu_gain(references, gain)).text)
    return {
        "edges": edges / max(1, words),
        "holding": holding / max(1, len(bench.tests)),
        "oracle": judge(oracles, bench.tests).bleu,
    }


def simulation(bench: Bench) -> Any:
    """E2: table 2."""
    return {
        (condition, name): bench.learned(
            replace(arm, condition=condition), f"{condition}-{_slug(name)}"
        )
        for condition in CONDITIONS
        for name, arm in MODELS.items()
    }


def translation(bench: Bench) -> Any:
    """E3: table 3, with each seed of tuning."""

    def run() -> dict[str, Any]:
        tables = {"baseline": bench.rules}
        for name, arm in COLUMNS.items():
            own = "BLM+WP+TsRB" + name.removeprefix(arm.condition)
            record = bench.learned(arm, f"{arm.condition}-{_slug(own)}")
            tables[f"+CDLM, {name}"] = bench.column(record, _slug(name))
        metric = Bleu(tokenise="none")
        references = bench.references("test")
        rows: dict[str, Any] = {}
        known = {}
        for name, rules in tables.items():
            scores, column = [], []
            totals = []
            for seed in bench.seeds:
                weights = bench.tuned(rules, _slug(name), seed)
                lines = bench.translated(rules, weights)
                totals.append(metric.statistics(lines, references))
                scores.append(metric.score(lines, references).value)
                column.append(weights.get("ConfusionModel"))
            known[name] = totals
            rows[name] = {"bleu": scores, "weight": column}
            if name != "baseline":
                rows[name]["p"] = [
                    paired_bootstrap(metric, ours, theirs).p_value
                    for ours, theirs in zip(totals, known["baseline"], strict=True)
                ]
        return rows

    return bench.parts.get("translation", run, settings=list(bench.seeds))


def ngrams(bench: Bench) -> Any:
    """E4: table 4, n-gram types of simulated lists against those of translations."""

    def run() -> dict[str, Any]:
        _, confuser, _, _ = bench.confused(Arm("paper"))
        lines = bench.references("test")[0]
        simulated = confuser.decoder(BLM).kbest_lines(lines, LIST, threads=bench.setup.threads)
        real = bench.baseline.kbest_lines(bench.sources("test"), LIST, threads=bench.setup.threads)
        found = {}
        for order in range(1, 5):
            pairs = [
                (_types(ours, order), _types(theirs, order))
                for ours, theirs in zip(simulated, real, strict=True)
            ]
            shared = sum(len(a & b) for a, b in pairs)
            ours, theirs = sum(len(a) for a, _ in pairs), sum(len(b) for _, b in pairs)
            macro = [(len(a & b) / max(1, len(a)), len(a & b) / max(1, len(b))) for a, b in pairs]
            found[str(order)] = {
                "precision": shared / max(1, ours),
                "recall": shared / max(1, theirs),
                "jaccard": shared / max(1, ours + theirs - shared),
                "macro": [statistics.fmean(each) for each in zip(*macro, strict=True)],
            }
        return found

    return bench.parts.get("ngrams", run)


def _types(derivations: Sequence[Any], order: int) -> set[tuple[str, ...]]:
    return {
        each.tokens[i : i + order]
        for each in derivations
        for i in range(len(each.tokens) + 1 - order)
    }


def references(bench: Bench) -> Any:
    """E5: how many references the sentences learned from have."""
    most = len(bench.references("dev"))
    counts = sorted({1, min(4, most), most})
    return {
        number: bench.learned(
            Arm(references=0 if number == most else number), f"references-{number}"
        )
        for number in counts
    }


def grammars(bench: Bench) -> Any:
    """E6: what is confused with what."""
    arms = {
        "node": Arm(),
        "node, same tail spans": Arm(confusion=ConfusionOptions(same_tail_spans=True)),
        "node, weighted": Arm(further=("ConfusionProbability",)),
        "cell": Arm(confusion=ConfusionOptions(group="cell")),
        "source, top 10": Arm(confusion=ConfusionOptions(group="source", max_options=10)),
    }
    return {name: bench.learned(arm, f"grammar-{_slug(name)}") for name, arm in arms.items()}


def learnings(bench: Bench) -> Any:
    """E7: objectives, priors, annealing."""
    ways = {
        "risk": CdlmLearning(),
        "likelihood": CdlmLearning(objective="likelihood"),
        "risk, annealed": CdlmLearning(anneal=True),
        "risk, a part at a time": CdlmLearning(optimiser="adam"),
        "risk, newest forests alone": CdlmLearning(accumulate=False),
        "risk, variance 0.1": CdlmLearning(variance=0.1),
        "risk, variance 10": CdlmLearning(variance=10.0),
    }
    return {
        name: bench.learned(Arm(learning=way), f"learning-{_slug(name)}")
        for name, way in ways.items()
    }


def reasons(bench: Bench) -> Any:
    """E9: whether a model can win without any bigram, by what is confused with what."""
    groups = {
        "node": ConfusionOptions(),
        "node, no side with itself": ConfusionOptions(itself=False),
        "cell, top 20": ConfusionOptions(group="cell", max_options=20),
        "source, top 10": ConfusionOptions(group="source", max_options=10),
    }
    counted = CdlmLearning(count_rules=True)
    models = {
        "BLM+WP": Arm(bigrams=False),
        "BLM+WP+rules": Arm(bigrams=False, learning=counted),
        "BLM+WP+TsRB": Arm(),
        "BLM+WP+TsRB+rules": Arm(learning=counted),
    }
    return {
        group: {
            "alone": bench.parts.get(f"alone-{_slug(group)}", partial(_alone, bench, options)),
            "models": {
                name: bench.learned(
                    replace(arm, confusion=options), f"{_slug(group)}-{_slug(name)}"
                )
                for name, arm in models.items()
            },
        }
        for group, options in groups.items()
    }


def _alone(bench: Bench, options: ConfusionOptions) -> dict[str, Any]:
    """Phrases of 1, 2, 3 and more words: share that nothing but themselves is taken for."""
    grammar = bench.grammar("paper", options)
    lines = [e.sentence for e in bench.tests]
    table = grammar.table(lines, out=bench.setup.out / "work" / "alone.bin")
    others: dict[tuple[str, ...], int] = {}
    for rule in table:
        if not any(word.startswith("[X") for word in rule.source):
            others.setdefault(rule.source, 0)
            others[rule.source] += rule.target != rule.source
    sizes: dict[int, list[bool]] = {size: [] for size in range(1, 5)}
    for source, number in others.items():
        sizes[min(len(source), 4)].append(number == 0)
    return {str(size): statistics.fmean(each) if each else None for size, each in sizes.items()}


def speed(bench: Bench) -> Any:
    """E8: CPU time of a round's parts and the most memory."""

    def run() -> dict[str, Any]:
        import time

        begin = time.process_time()
        grammar = bench.grammar("paper", ConfusionOptions())
        extracted = time.process_time()
        _, confuser, _, _ = bench.confused(Arm())
        ready = time.process_time()
        lines = [e.sentence for e in bench.tests]
        edges = sum(forest.edges for forest in confuser.forests(lines, BLM))
        done = time.process_time()
        return {
            "rules": len(grammar),
            "extract": extracted - begin,
            "table": ready - extracted - (extracted - begin),
            "forests": 1000 * (done - ready) / max(1, len(lines)),
            "edges": edges,
            "context": BLEU_CONTEXT,
            "memory": peak_memory(),
        }

    return bench.parts.get("speed", run)


def median_references(bench: Bench) -> float:
    """Of the test sentences."""
    return statistics.median(len(e.references) for e in bench.tests)


def streams(bench: Bench) -> int:
    """Of references, after repeats are dropped."""
    return len(streams_of(bench.tests))


def _slug(name: str) -> str:
    return name.lower().replace(", ", "-").replace("+", "-").replace(" ", "-").strip("-")
