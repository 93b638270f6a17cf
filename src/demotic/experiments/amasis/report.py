"""The report: tables in Markdown, the paper's figures beside ours."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from demotic.experiments.amasis import paper
from demotic.experiments.tables import Table
from demotic.grammar.items import operations_of


def bleu(seeds: Mapping[str, Sequence[Any]], tests: Mapping[str, Mapping[str, float]]) -> str:
    """(1)"""
    table = Table(
        ["system", "dev BLEU", "test BLEU", "95 %", "seeds", "Amasis minus it", "paper, FE in",
         "paper, GE in", "p against Amasis", "p against Pharaoh 3"]
    )  # fmt: skip
    amasis = statistics.fmean(each["test"] for each in seeds["Amasis"])
    for name, records in seeds.items():
        scores = [each["test"] for each in records]
        mean = statistics.fmean(scores)
        low, high = records[0]["interval"]
        known = name in paper.BLEU and name != "Amasis"
        table.row(
            name,
            statistics.fmean(each["dev"] for each in records),
            mean,
            f"{low:.1f}-{high:.1f}",
            "-" if len(scores) == 1 else f"{min(scores):.2f}-{max(scores):.2f}",
            None if name == "Amasis" else amasis - mean,
            paper.gap(name, 0) if known else None,
            paper.gap(name, 2) if known else None,
            *(of.get(name) for of in tests.values()),
        )
    published = Table(["paper, BLEU", *paper.SETS])
    for name, figures in paper.BLEU.items():
        published.row(name, *figures)
    return _section(
        "1 BLEU",
        "The same links (grow-diag-final), development set and tuner for all; a trigram model but "
        "for `ext`. Pharaoh is the phrase-based decoder with phrases of so many words and the same "
        "scores. `all S,R+` puts every item behind the one before it, tuned by itself: what labels "
        "gain is the distance to it. The paper's columns are what Amasis gains there.",
        table.markdown(),
        published.markdown(),
    )


def outside(records: Mapping[str, Any], words: int) -> str:
    """(1), out of the domain; ``words`` are the reference's."""
    table = Table(
        ["system", "BLEU", "95 %", "words", "Amasis minus it", "paper, FE out", "paper, GE out"]
    )
    amasis = records["Amasis"]["test"]
    for name, record in records.items():
        low, high = record["interval"]
        known = name in paper.BLEU and name != "Amasis"
        table.row(
            name,
            record["test"],
            f"{low:.1f}-{high:.1f}",
            sum(len(line.split()) for line in record["lines"]),
            None if name == "Amasis" else amasis - record["test"],
            paper.gap(name, 1) if known else None,
            paper.gap(name, 3) if known else None,
        )
    return (
        f"Out of the domain, first seed; the reference has {words:,} words:\n\n{table.markdown()}"
    )


def tables(records: Mapping[str, Any], language: str) -> str:
    """(2)"""
    table = Table(["system", "entries", "Amasis has %", "paper %", "one-word sources %"])
    amasis = records["Amasis"]["entries"]
    share = paper.TABLE_SHARE.get(language)
    for name, record in records.items():
        table.row(
            name,
            record["entries"],
            100 * amasis / record["entries"],
            share if name.startswith("Pharaoh") else None,
            100 * record["single"] / record["entries"],
        )
    return _section(
        "2 Tables", "The paper does not say which limit its share refers to.", table.markdown()
    )


def inventory(rows: Sequence[Any]) -> str:
    """(3)"""
    shown = [",".join(operations_of(label)) for label in range(5)]
    table = Table(["pairs", "labels", "most reductions", "items", *(f"{s} %" for s in shown)])
    for row in rows:
        shares = [100 * share for share in row["shares"]]
        table.row(
            f"{row['pairs']:,}", row["labels"], row["reductions"], row["items"],
            *shares, *([None] * (5 - len(shares))),
        )  # fmt: skip
    labels, pairs = paper.LABELS
    return _section(
        "3 Labels", f"The paper: {labels} labels on {pairs:,} French-English pairs.",
        table.markdown(),
    )  # fmt: skip


def accuracies(rows: Sequence[Any]) -> str:
    """(4)"""
    table = Table(["features", "learned by", "mean %", "last %", "sampled %", "by round %"])
    for row in rows:
        if "share" in row:
            table.row(row["features"], row["name"], 100 * row["share"], None, None, None)
            continue
        rounds = ", ".join(f"{100 * each:.2f}" for each in row["rounds"])
        table.row(
            row["features"], row["name"], 100 * row["mean"], 100 * row["last"],
            100 * row["sampled"], rounds,
        )  # fmt: skip
    return _section(
        "4 Label accuracy",
        "Labels right on held-out training text where there is a choice, each stack made by the "
        "policy's own labels. Without a mask and without depth no feature sees earlier labels: all "
        "rounds learn from the same examples, and SEARN is plain multiclass training.",
        table.markdown(),
    )


def searches(rows: Sequence[Any], variations: Sequence[tuple[str, Any]]) -> str:
    """(5)"""
    table = Table(["system", "search", "dev BLEU", "model score", "sentences/s"], digits=2)
    for row in rows:
        table.row(row["arm"], row["name"], row["dev"], row["score"], row["per second"])
    again = Table(["Amasis, tuned again", "dev BLEU", "test BLEU", "entries"])
    for name, record in variations:
        again.row(name, record["dev"], record["test"], record["entries"])
    return _section(
        "5 Search and items", "On the development set, weights as tuned:", table.markdown(),
        again.markdown(),
    )  # fmt: skip


def speed(records: Mapping[str, Any]) -> str:
    """(6)"""
    table = Table(["system", "ms a sentence", "sentences/s"])
    for name, record in records.items():
        table.row(name, record["ms"], 1000 / record["ms"])
    return _section(
        "6 Speed", "CPU time of one thread on the test set, text in and text out.",
        table.markdown(),
    )  # fmt: skip


def beyond(
    rows: Sequence[Any], seeds: Mapping[str, Sequence[Any]], tests: Mapping[str, float]
) -> str:
    """(7)"""
    table = Table(["labels by", "right %", "seeds", "by round %", "BLEU of order", "first round"])
    for name in dict.fromkeys(row["name"] for row in rows):
        runs = [row for row in rows if row["name"] == name]
        shares = [100 * row["mean"] for row in runs]
        table.row(
            name,
            statistics.fmean(shares),
            f"{min(shares):.2f}-{max(shares):.2f}",
            ", ".join(f"{100 * each:.2f}" for each in runs[0]["rounds"]),
            statistics.fmean(row["order"] for row in runs),
            statistics.fmean(row["first order"] for row in runs),
        )
    decoded = Table(["system", "dev BLEU", "test BLEU", "seeds", "ms a sentence", "p against ext"])
    for name, records in seeds.items():
        scores = [each["test"] for each in records]
        decoded.row(
            name,
            statistics.fmean(each["dev"] for each in records),
            statistics.fmean(scores),
            "-" if len(scores) == 1 else f"{min(scores):.2f}-{max(scores):.2f}",
            statistics.fmean(each["ms"] for each in records),
            tests.get(name),
        )
    return _section(
        "7 Beyond the paper",
        "Labels right on held-out text, and BLEU of its target words in the order of the labels: "
        "those of the mean, and those of the first round's classifier.",
        table.markdown(),
        "Translated:",
        decoded.markdown(),
    )


def wabbit(rows: Sequence[Any] | None) -> str:
    """(8)"""
    title = "8 Vowpal Wabbit"
    if rows is None:
        return _section(title, "Not run: the package `vowpalwabbit` is not installed.")
    table = Table(["features", "labels", "ours %", "Vowpal Wabbit %"])
    for row in rows:
        table.row(row["features"], row["labels"], 100 * row["ours"], 100 * row["theirs"])
    return _section(
        title,
        "Labels right on held-out text among all labels, no mask, the same examples and features; "
        "its base learner is cost regression.",
        table.markdown(),
    )


def _section(title: str, *paragraphs: str) -> str:
    return "\n\n".join([f"## {title}", *paragraphs])
