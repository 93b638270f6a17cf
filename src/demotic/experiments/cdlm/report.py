"""The report: tables in Markdown, the paper's figures beside ours."""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from typing import Any

from demotic.experiments.cdlm import paper
from demotic.experiments.tables import Table


def sizes(rows: Mapping[str, Any]) -> str:
    """(1)"""
    table = Table(["", *rows, "paper"])
    bilingual, confusion = paper.RULES

    def add(name: str, key: str, known: float | None = None, scale: float = 1) -> None:
        values = (row[key] for row in rows.values())
        table.row(name, *(scale * v if scale != 1 else v for v in values), known)

    add("bilingual rules for these sources", "bilingual", bilingual)
    add("confusion rules", "confusion", confusion)
    ratios = (row["confusion"] / max(1, row["bilingual"]) for row in rows.values())
    table.row("confusion rules per bilingual rule", *ratios, confusion / bilingual)
    add("target sides kept for them", "members")
    add("bigrams", "bigrams", paper.FEATURES)
    add("sentences learned from", "sentences", 16_096)
    add("edges per word of a forest", "edges")
    add("forests that hold their sentence, %", "holding", scale=100)
    add("oracle BLEU", "oracle")
    return _section(
        "1 Sizes",
        "In the paper's condition confusions are those of development and test sources, and the "
        "text learned from is the development set's target side. In the clean one confusions are "
        "those of development sources, and the text stands in no other part. Forests are those of "
        "test sentences under the n-gram model alone.",
        table.markdown(),
    )


def simulation(records: Mapping[tuple[str, str], Any]) -> str:
    """(2)"""
    table = Table(["condition", "model", "BLEU", "length", "rescored", "paper", "bigrams"])
    for condition in dict.fromkeys(condition for condition, _ in records):
        own = {name: record for (where, name), record in records.items() if where == condition}
        first = next(iter(own.values()))["BLM"]
        table.row(
            condition, "BLM", first["bleu"], first["ratio"], first["bleu"],
            paper.SIMULATED["BLM"], None,
        )  # fmt: skip
        for name, record in own.items():
            used = sum(each.startswith("bigram|") for each in record["weights"])
            table.row(
                condition, name, record["test"]["bleu"], record["test"]["ratio"],
                record["rescored"], paper.SIMULATED.get(name), used,
            )  # fmt: skip
    return _section(
        "2 Simulation (table 2)",
        "BLEU of the best confusion of each test sentence against it and its paraphrases, decoded "
        "with the model in the search; `rescored` takes it from forests of the n-gram model.",
        table.markdown(),
        _rounds({f"{where}, {name}": record for (where, name), record in records.items()}),
    )


def translation(rows: Mapping[str, Any]) -> str:
    """(3)"""
    table = Table(["system", "BLEU", "seeds", "gain", "p, each seed", "weight", "paper"])
    base = statistics.fmean(rows["baseline"]["bleu"])
    for name, row in rows.items():
        mean = statistics.fmean(row["bleu"])
        own = name == "baseline"
        table.row(
            name,
            mean,
            ", ".join(f"{each:.2f}" for each in row["bleu"]),
            None if own else mean - base,
            "-" if own else ", ".join(f"{each:.2f}" for each in row["p"]),
            "-" if own else ", ".join(f"{each:.3f}" for each in row["weight"]),
            paper.TRANSLATED["baseline" if own else "+CDLM"],
        )
    return _section(
        "3 Translation (table 3)",
        "The hierarchical system without and with the column, all weights tuned again with each "
        "seed; p by paired bootstrap against the baseline of the same seed; the weight is that of "
        "the column.",
        table.markdown(),
    )


def ngrams(rows: Mapping[str, Any]) -> str:
    """(4)"""
    table = Table(
        ["n-grams", "P %", "R %", "Jaccard %", "macro P %", "macro R %", "paper P %", "paper R %"],
        digits=1,
    )
    for order, row in rows.items():
        table.row(
            order, 100 * row["precision"], 100 * row["recall"], 100 * row["jaccard"],
            *(100 * each for each in row["macro"]), *paper.NGRAMS[int(order)],
        )  # fmt: skip
    return _section(
        "4 N-grams (table 4)",
        "Types in the 100 best confusions of a reference against those in the 100 best "
        "translations of its source.",
        table.markdown(),
    )


def references(records: Mapping[Any, Any]) -> str:
    """(5)"""
    named = {f"{number} reference{'s' * (number > 1)}": r for number, r in records.items()}
    return _section(
        "5 References",
        "Of sentences learned from, at most; the paper's baseline, tuned on 500 sentences, has "
        "BLEU 38.6, 44.2 and 47.8 with 1, 4 and 16.",
        _arms(named),
    )


def grammars(records: Mapping[str, Any]) -> str:
    """(6)"""
    return _section(
        "6 Confusion grammars",
        "Target sides that lead to one node, to one cell (its 20 best), or of one source side; "
        "`weighted` learns a weight of log p(e2 | e1), too.",
        _arms(records),
        _rounds(records),
    )


def learnings(records: Mapping[str, Any]) -> str:
    """(7)"""
    return _section("7 Ways to learn", _arms(records), _rounds(records))


def reasons(groups: Mapping[str, Any]) -> str:
    """(9)"""
    table = Table(
        ["confused", "model", "BLEU", "one reference", "several", "as they are, %",
         "words per rule", "rescored", "paper"],
        digits=1,
    )  # fmt: skip

    def add(group: str, name: str, found: Mapping[str, float], rescored: float) -> None:
        table.row(
            group, name, found["bleu"], found.get("one"), found.get("several"),
            100 * found["same"], found["words"], rescored, paper.SIMULATED.get(name),
        )  # fmt: skip

    alone = Table(
        ["phrases confused with nothing but themselves, %", "1 word", "2", "3", "more"], digits=1
    )
    for group, found in groups.items():
        records = found["models"]
        alone.row(group, *(None if v is None else 100 * v for v in found["alone"].values()))
        blm = next(iter(records.values()))["BLM"]
        add(group, "BLM", blm, blm["bleu"])
        for name, record in records.items():
            add(group, name, record["test"], record["rescored"])
    return _section(
        "9 What bigrams learn",
        "The best confusions of test sentences, in the paper's condition: of those with one "
        "reference, which is the sentence itself, and of others; how many are the sentence as it "
        "is; how many words there are to a rule. `rules` are weights for the numbers of rules and "
        "of glue rules.",
        table.markdown(),
        "Where words can only be taken for themselves, many small rules and much glue leave a "
        "sentence as it is, and a model wins that counts rules; bigrams of symbols can count them.",
        alone.markdown(),
    )


def speed(row: Mapping[str, Any]) -> str:
    """(8)"""
    table = Table(["", ""])
    table.row("extracting the grammar, CPU s", row["extract"])
    table.row("confusion rules", row["rules"])
    table.row("forests, ms a sentence", row["forests"])
    table.row("their edges", row["edges"])
    table.row("most memory of the process, MB", row["memory"] / 1e6)
    return _section("8 Speed and memory", "CPU time of one thread.", table.markdown())


def _arms(records: Mapping[str, Any]) -> str:
    table = Table(
        ["", "BLM", "test BLEU", "length", "rescored", "held out, before", "after", "CPU s"]
    )
    for name, record in records.items():
        test = record["test"]
        table.row(
            name, record["BLM"]["bleu"], test["bleu"], test["ratio"], record["rescored"],
            *record["held out"], record["seconds"],
        )  # fmt: skip
    return table.markdown()


def _rounds(records: Mapping[str, Any]) -> str:
    table = Table(["", "round", "", "held-out BLEU", "length", "hold it, %", "variance", "edges"])
    for name, record in records.items():
        for each in record["rounds"]:
            table.row(
                name, each["number"], "" if each["accepted"] else "rejected", each["bleu"],
                each["ratio"], 100 * each["holding"], each["variance"], each["edges"],
            )  # fmt: skip
    return table.markdown()


def _section(title: str, *paragraphs: str) -> str:
    return "\n\n".join([f"## {title}", *paragraphs])
