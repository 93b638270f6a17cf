"""The report: tables in Markdown, the paper's figures beside ours."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from demotic.experiments.tables import Table
from demotic.experiments.umt import paper
from demotic.systems.umt.config import Features, Preset

NARROW: Mapping[Features, tuple[str, ...]] = {
    "paper": ("umt paper", "umt paper, replay", "umt lookahead"), "printed": ("umt literal",),
}  # fmt: skip
"""Systems with the features that the paper names, or as it prints them, and no others."""
LEARNERS: Mapping[Preset, str] = {
    "paper": "DRL, full path, 1 sample", "lookahead": "DRL, replay, 3 samples",
}  # fmt: skip
"""Presets whose learning is timed; the first is the paper's."""


def speed(record: Any, lengths: Sequence[Any]) -> str:
    """E1."""
    systems = record["systems"]
    umt = systems["umt"]
    table = Table(
        ["system", "total ms", "parse", "inside-outside", "search", "rescoring", "LM evaluations",
         "LM words", "total / UMT", "paper", "rescoring / UMT", "paper", "search / UMT"]
    )  # fmt: skip
    for name, row in systems.items():
        known = name.split(" ")[0]
        table.row(
            name,
            row["total"],
            row["parse"],
            row.get("inside-outside"),
            row["rescore"],
            _rescoring(row),
            round(row["lm_evaluations"]),
            round(row["lm_words"]),
            row["total"] / umt["total"],
            paper.ratio(paper.DECODING, known) if known in ("b1", "b30") else None,
            _rescoring(row) / _rescoring(umt),
            paper.ratio(paper.RESCORING, known) if known in ("b1", "b30") else None,
            row["rescore"] / umt["rescore"],
        )
    growth = Table(
        ["source words", "umt ms", "b1 ms", "b30 ms", "umt, ms a word", "b30 / umt"], digits=3
    )
    for row in lengths:
        times = {name: each["total"] for name, each in row["systems"].items()}
        growth.row(
            str(row["words"]), times["umt"], times["b1"], times["b30"],
            times["umt"] / row["words"], times["b30"] / times["umt"],
        )  # fmt: skip
    return _section(
        "E1 Speed",
        f"CPU milliseconds a sentence on one thread, {record['sentences']} sentences, median of "
        f"{record['repeats']} rounds. Rescoring is all that comes after parsing: inside-outside, "
        "where bounds look at the language model, and the search. Lazy starts cube pruning without "
        "scoring every edge.",
        table.markdown(),
        "Time against length:",
        growth.markdown(),
        "![time against length](length.svg)",
    )


def _rescoring(row: Mapping[str, float]) -> float:
    return row["rescore"] + row.get("inside-outside", 0.0)


def training(cost: Mapping[str, Mapping[str, float]], mert: Mapping[str, Any]) -> str:
    """E2."""
    table = Table(["training", "ms a sentence and pass", "/ DRL", "paper"])
    drl = cost["paper"]["parsing once"]
    for preset, name in LEARNERS.items():
        known = 1.0 if preset == "paper" else None
        for words, way in (
            ("", "parsing once"), (", if it parsed in every epoch", "parsing each time"),
        ):  # fmt: skip
            ms = cost[preset][way]
            table.row(name + words, ms, ms / drl, None if words else known)
    for name in ("b1", "b30"):
        ms = mert[name]["ms"]
        table.row(f"MERT with {name}", ms, ms / drl, paper.ratio(paper.TRAINING, name))
    return _section(
        "E2 Training",
        "CPU milliseconds for a sentence and an epoch of DRL (of ten, the first of which parses), "
        "or a round of MERT, which parses again, on one thread.",
        table.markdown(),
        "![learning curves](learning.svg)",
    )


def quality(
    seeds: Mapping[str, Sequence[Any]], same: Mapping[Features, Any], tests: Mapping[str, Any]
) -> str:
    """E3."""
    table = Table(
        ["system", "dev BLEU", "test BLEU", "seeds", "to b30", "relative loss %", "paper BLEU",
         "paper loss %", "sign p (one tail)", "paper p", "bootstrap p", "randomisation p"]
    )  # fmt: skip
    narrow = Table(
        ["the paper's features", "dev BLEU", "test BLEU", "to b30", "relative loss %",
         "paper loss %", "sign p (one tail)", "bootstrap p"]
    )  # fmt: skip
    means = {
        name: {key: statistics.fmean(record[key] for record in records) for key in ("dev", "test")}
        for name, records in seeds.items()
    }
    b30 = means["b30"]["test"]
    for name, records in seeds.items():
        known = {"b30": "b30", "b1": "b1", "umt paper": "umt"}.get(name, "")
        scores, mean = [record["test"] for record in records], means[name]["test"]
        spread = "-" if len(scores) == 1 else f"{min(scores):.2f}-{max(scores):.2f}"
        found = tests["b30"].get(name, {})
        table.row(
            name, means[name]["dev"], mean, spread,
            mean - b30, 100 * (b30 - mean) / b30 if b30 else None,
            paper.BLEU.get(known), paper.RELATIVE_LOSS.get(known),
            found.get("sign, one tail"), paper.SIGN_TEST.get(known),
            found.get("bootstrap"), found.get("randomisation"),
        )  # fmt: skip
    for features, names in NARROW.items():
        best, words = same[features]["test"], "P(e|f)" if features == "paper" else "P(f|e)"
        narrow.row(f"b30, {words}", same[features]["dev"], best, None, None, None, None, None)
        for name in names:
            mean = means[name]["test"]
            found = tests[features].get(name, {})
            narrow.row(
                f"{name}, {words}", means[name]["dev"], mean,
                mean - best, 100 * (best - mean) / best if best else None,
                paper.RELATIVE_LOSS["umt"] if name == "umt paper" else None,
                found.get("sign, one tail"), found.get("bootstrap"),
            )  # fmt: skip
    return _section(
        "E3 Quality",
        "Corpus BLEU of tokens; mean over seeds, tests with the first seed against b30. The sign "
        "test looks at smoothed sentence BLEU.",
        table.markdown(),
        "The paper's systems share their features. So do these: cube pruning tuned with the "
        "same features alone, and the systems that have them.",
        narrow.markdown(),
    )


def variations(rows: Sequence[tuple[str, str, Any]]) -> str:
    """E4 and E5, as far as there are rows of them."""
    texts = []
    for part, title, words in (
        ("e4", "E4 What the search sees", "Each learned again. The paper: without CFF -2.3 BLEU."),
        ("e5", "E5 How it learns",
         "Each learned again. The paper found updates other than of the full path less accurate."),
    ):  # fmt: skip
        table = Table(
            ["", "dev BLEU", "test BLEU", "dev to first row", "test to first row", "updates"]
        )
        own = [(name, record) for kind, name, record in rows if kind == part]
        for name, record in own:
            base = own[0][1]
            updates = sum(epoch["updates"] for epoch in record["epochs"])
            table.row(
                name, record["dev"], record["test"], record["dev"] - base["dev"],
                record["test"] - base["test"], updates,
            )  # fmt: skip
        if own:
            texts.append(_section(title, words, table.markdown()))
    return "\n\n".join(texts)


def search(directions: Mapping[str, Any], gaps: Mapping[str, Any]) -> str:
    """E6."""
    shares = Table(["weights", "start %", "down %", "up %"])
    for name, found in directions.items():
        shares.row(name, *(100 * found[kind] for kind in ("start", "down", "up")))
    table = Table(["search", "mean gap to b30", "median", "% below b30", "% above b30"], digits=3)
    for name, found in gaps.items():
        table.row(name, found["mean"], found["median"], 100 * found["worse"], 100 * found["better"])
    return _section(
        "E6 Search",
        "In which directions trees grow:",
        shares.markdown(),
        "Model scores against those of b30, all under MERT's weights for b30 (bounds of branches "
        "with weight 1, not counted in the score):",
        table.markdown(),
    )


def beyond(rows: Sequence[Any], choice: Any) -> str:
    """Restarts, beams, sparse features; what ``tuned`` made of it."""
    table = Table(["", "dev BLEU", "test BLEU", "ms a sentence (dev, all threads' CPU)"])
    for row in rows:
        table.row(row["name"], row["dev"], row["test"], row["ms"])
    tried = Table(["tried by `tuned`, in this order", "dev BLEU"])
    for trial in choice["trials"]:
        tried.row(trial["label"], trial["bleu"])
    return _section(
        "Beyond the paper",
        "On top of the preset `full`, seed 1:",
        table.markdown(),
        f"The preset `tuned`, from MERT's weights, chose: {choice['label']}.",
        tried.markdown(),
    )


def _section(title: str, *paragraphs: str) -> str:
    return "\n\n".join([f"## {title}", *paragraphs])
