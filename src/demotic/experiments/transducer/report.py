"""The transducer's tables, the chapter's figures beside ours."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from demotic.errors import MissingDependencyError
from demotic.experiments.plots import Series, draw
from demotic.experiments.tables import Table

CHAPTER_WORDS = {"baseline": 47.54, "l2": 54.09, "W": 53.96, "W+C": 53.29, "pruned l2": 47.37}
CHAPTER_SIZES = {"W": 54_100, "W+C": 37_800, "l2": 1_670_000, "pruned l2": 54_100}
CHAPTER_SVM = 53.38
CHAPTER_BAGS = {
    "baseline": (48.09, 41.26, 44.42),
    "w": (53.93, 42.81, 47.73),
    "wc": (53.31, 42.45, 47.26),
    "mixture": (54.05, 42.95, 47.87),
}
CHAPTER_TREES = {
    "generative": (43.85, 19.35),
    "discriminative": (47.62, 21.42),
    "phrases, language models at 0": (40.51, 15.57),
}
BAG_NAMES = {"baseline": "most frequent", "w": "W", "wc": "W+C", "mixture": "mixture"}


def data(record: dict[str, Any]) -> str:
    """Table 7.1."""
    table = Table(
        ["", "pairs", "source types", "source tokens", "target types", "target tokens", "linked"]
    )
    for name, facts in record.items():
        source, target = facts["source"], facts["target"]
        table.row(
            name,
            facts["pairs"],
            source["types"],
            source["tokens"],
            target["types"],
            target["tokens"],
            facts["predictions"],
        )
    return f"## Data (table 7.1)\n\n{table.markdown()}"


def words(record: dict[str, Any], out: Path) -> str:
    """Table 7.2, and accuracy along the path."""
    table = Table(["", "dev", "test", "size", "lambda", "CPU s", "chapter dev", "chapter size"])
    baseline = record["baseline"]
    table.row(
        "most frequent",
        100 * baseline["linked dev linked"],
        100 * baseline["linked test linked"],
        None,
        None,
        None,
        CHAPTER_WORDS["baseline"],
        None,
    )
    for row in record["rows"]:
        if row["null"] != "linked":
            continue
        table.row(
            f"boosted {row['features']}",
            100 * row["accuracy"]["dev linked"],
            100 * row["accuracy"]["test linked"],
            row["size"],
            row["lambda"],
            row["seconds"],
            CHAPTER_WORDS.get(row["features"]),
            CHAPTER_SIZES.get(row["features"]),
        )
    for name, found in record["rivals"].items():
        table.row(
            f"{name} W",
            100 * found["accuracy"],
            None,
            found["size"],
            None,
            found["seconds"],
            CHAPTER_SVM if name == "svm" else CHAPTER_WORDS.get(name),
            CHAPTER_SIZES.get(name),
        )
    nulls = Table(["trained on", "scored on", "most frequent", *(_sets(record))])
    for null in ("linked", "all"):
        for trials in ("linked", "all"):
            rows = [r for r in record["rows"] if r["null"] == null]
            nulls.row(
                null,
                trials,
                100 * baseline[f"{null} dev {trials}"],
                *(100 * row["accuracy"][f"dev {trials}"] for row in rows),
            )
    plot = _plot(record["curves"], out)
    return (
        "## Words (table 7.2)\n\nAccuracy in % over linked words; size: weights that are not 0.\n\n"
        f"{table.markdown()}\n\nWith and without words that have no translation, dev:\n\n"
        f"{nulls.markdown()}{plot}"
    )


def _sets(record: dict[str, Any]) -> list[str]:
    return [row["features"] for row in record["rows"] if row["null"] == "linked"]


def _plot(curves: dict[str, Any], out: Path) -> str:
    series = [
        Series(name, [-_log(x) for x in lambdas], [100 * y for y in accuracy])
        for name, (lambdas, accuracy) in curves.items()
        if name.endswith(" linked")
    ]
    try:
        draw(
            out / "path",
            series,
            x="-log2 lambda",
            y="accuracy on the tuning part, %",
            title="Accuracy along the regularisation path",
        )
    except MissingDependencyError:
        return ""
    return "\n\n![Accuracy along the path](path.svg)"


def _log(x: float) -> float:
    from math import log2

    return log2(x)


def bags(record: dict[str, Any]) -> str:
    """Tables 7.3 and 7.4."""
    texts = []
    for key, title in (
        ("all dev", "dev (table 7.3)"),
        ("all test", "test (table 7.4)"),
        ("linked dev", "dev, trained on linked words alone"),
    ):
        table = Table(["", "P", "R", "F", "chapter P", "R", "F"])
        for name, label in BAG_NAMES.items():
            figures = [100 * value for value in record[key][name]]
            theirs = CHAPTER_BAGS[name] if key == "all dev" else (None, None, None)
            table.row(label, *figures, *theirs)
        table.row("one-to-one bound", *(100 * v for v in record[key]["bound"]), None, None, None)
        texts.append(f"{title}:\n\n{table.markdown()}")
    return "## Bags\n\n" + "\n\n".join(texts)


def trees(record: dict[str, Any]) -> str:
    """Table 7.5."""
    texts = []
    for part in ("dev", "test"):
        table = Table(["", "P 1", "R 1", "F 1", "P 2", "R 2", "F 2", "chapter F 1", "F 2"])
        for name, rows in record["rows"].items():
            theirs = CHAPTER_TREES.get(name, (None, None))
            table.row(name, *rows[f"{part} 1"], *rows[f"{part} 2"], *theirs)
        p = ", ".join(f"{record['p'][f'{part} {e}']:.2g} (exponent {e})" for e in (1, 2))
        texts.append(
            f"{part}; discriminative against generative, Wilcoxon's p: {p}\n\n{table.markdown()}"
        )
    flat = ", ".join(f"{part} {count}" for part, count in record["flat"].items())
    return (
        "## Trees (table 7.5)\n\nGTM with exponents 1 and 2, in %. Trees: "
        f"{record['parser']}; without a parse: {flat}. The chapter's figures are those of 100,000 "
        "pairs, its generative parser, its phrases without a language model.\n\n"
        + "\n\n".join(texts)
    )


def speed(record: dict[str, Any]) -> str:
    """Against other learners, in one run."""
    table = Table(["W", "dev", "size", "CPU s", "times as long", "times as large", "McNemar p"])
    for name, found in record.items():
        table.row(
            name,
            100 * found["accuracy"],
            found["size"],
            found["seconds"],
            found.get("times as long"),
            found.get("times as large"),
            found.get("p"),
        )
    return (
        "## Speed\n\nAll word classifiers, window features, one thread. Boosting gives the whole "
        "path, the others one model each; size of LightGBM: leaves.\n\n" + table.markdown()
    )
