"""The transducer's tables, the chapter's figures beside ours."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from demotic.errors import MissingDependencyError
from demotic.experiments.plots import Series, draw
from demotic.experiments.tables import Table

LARGE = 50_000
"""From here on the chapter's figures are those of 100,000 pairs, not of 10,000."""
CHAPTER_WORDS = {
    False: {"baseline": 47.54, "W": 53.96, "W+D": 54.13, "W+C": 53.29, "W+D+C": 53.75},
    True: {"baseline": 51.94, "W": 62.00, "W+D": 62.42, "W+C": 61.98, "W+D+C": 62.40},
}
CHAPTER_SIZES = {
    False: {"W": 54_100, "W+D": 41_700, "W+C": 37_800, "W+D+C": 38_700},
    True: {"W": 736_000, "W+D": 703_000, "W+C": 316_000, "W+D+C": 322_000},
}
CHAPTER_RIVALS = {
    "l2": (54.09, 1_670_000), "pruned l2": (47.37, 54_100), "svm": (53.38, None)
}  # fmt: skip
CHAPTER_BAGS = {
    False: {
        "baseline": (48.09, 41.26, 44.42),
        "w": (53.93, 42.81, 47.73),
        "wd": (53.97, 42.72, 47.69),
        "wc": (53.31, 42.45, 47.26),
        "wdc": (53.58, 42.67, 47.50),
        "mixture": (54.05, 42.95, 47.87),
    },
    True: {
        "baseline": (51.91, 40.79, 45.68),
        "w": (58.79, 44.26, 50.50),
        "wd": (59.12, 44.57, 50.82),
        "wc": (59.06, 44.36, 50.67),
        "wdc": (59.19, 44.60, 50.87),
        "mixture": (59.03, 44.55, 50.78),
    },
}
CHAPTER_TESTS = {
    False: {"wd": (54.36, 42.75, 47.86), "mixture": (54.27, 42.81, 47.86)},
    True: {"wdc": (59.49, 44.19, 50.71), "mixture": (59.62, 44.38, 50.88)},
}
CHAPTER_TREES = {
    "generative": (43.85, 19.35),
    "discriminative": (47.62, 21.42),
    "generative, second parser": (43.21, 18.85),
    "discriminative, second parser": (48.04, 21.59),
    "phrases, language models at 0": (40.51, 15.57),
}
_COLUMNS = tuple((part, exponent) for part in ("dev", "test") for exponent in (1, 2))
BAG_NAMES = {
    "baseline": "most frequent", "w": "W", "wd": "W+D", "wc": "W+C", "wdc": "W+D+C",
    "mixture": "mixture",
}  # fmt: skip
_NOTHING = (None, None, None)


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


def words(record: dict[str, Any], pairs: int, out: Path) -> str:
    """Table 7.2, and accuracy along the path."""
    theirs, sizes = CHAPTER_WORDS[pairs >= LARGE], CHAPTER_SIZES[pairs >= LARGE]
    table = Table(
        ["", "dev", "test", "size", "lambda", "CPU s", "GB", "chapter dev", "chapter size"]
    )
    baseline = record["baseline"]
    first = [100 * baseline[f"linked {part} linked"] for part in ("dev", "test")]
    table.row("most frequent", *first, None, None, None, None, theirs["baseline"], None)
    linked = [row for row in record["rows"] if row["null"] == "linked"]
    for row in linked:
        table.row(
            f"boosted {row['features']}",
            100 * row["accuracy"]["dev linked"],
            100 * row["accuracy"]["test linked"],
            row["size"],
            row["lambda"],
            row["seconds"],
            row["memory"],
            theirs.get(row["features"]),
            sizes.get(row["features"]),
        )
    nulls = Table(["features", "trained on", "scored on", "most frequent", "boosted"])
    for row in record["rows"]:
        for trials in ("linked", "all"):
            nulls.row(
                row["features"],
                row["null"],
                trials,
                100 * baseline[f"{row['null']} dev {trials}"],
                100 * row["accuracy"][f"dev {trials}"],
            )
    plot = _plot(record["curves"], out)
    return (
        "## Words (table 7.2)\n\nAccuracy in % over linked words; size: weights that are not 0; "
        "GB: the most that the process held.\n\n"
        f"{table.markdown()}\n\nWith and without words that have no translation, dev:\n\n"
        f"{nulls.markdown()}{plot}"
    )


def rivals(record: dict[str, Any]) -> str:
    """The other learners of table 7.2."""
    table = Table(["W", "dev", "size", "CPU s", "chapter dev", "chapter size"])
    for name, found in record.items():
        figures = 100 * found["accuracy"], found["size"], found["seconds"]
        table.row(name, *figures, *CHAPTER_RIVALS.get(name, (None, None)))
    return (
        "## Rivals (table 7.2)\n\nOther learners of the same classifiers with window features; "
        f"the chapter's figures are those of 10,000 pairs.\n\n{table.markdown()}"
    )


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


def bags(record: dict[str, Any], pairs: int) -> str:
    """Tables 7.3 and 7.4."""
    chapter = {
        "all dev": CHAPTER_BAGS[pairs >= LARGE], "all test": CHAPTER_TESTS[pairs >= LARGE]
    }  # fmt: skip
    texts = []
    for key, title in (
        ("all dev", "dev (table 7.3)"),
        ("all test", "test (table 7.4)"),
        ("linked dev", "dev, trained on linked words alone"),
    ):
        if key not in record:
            continue
        table = Table(["", "P", "R", "F", "chapter P", "R", "F"])
        for name, label in BAG_NAMES.items():
            figures = [100 * value for value in record[key][name]]
            table.row(label, *figures, *chapter.get(key, {}).get(name, _NOTHING))
        table.row("one-to-one bound", *(100 * v for v in record[key]["bound"]), *_NOTHING)
        texts.append(f"{title}:\n\n{table.markdown()}")
    return "## Bags\n\n" + "\n\n".join(texts)


def trees(record: dict[str, Any] | None, phrases: dict[str, Any] | None) -> str:
    """Table 7.5."""
    texts = []
    rows = {**(record["rows"] if record else {}), **(phrases["rows"] if phrases else {})}
    for part in ("dev", "test"):
        table = Table(["", "P 1", "R 1", "F 1", "P 2", "R 2", "F 2", "chapter F 1", "F 2"])
        for name, found in rows.items():
            theirs = CHAPTER_TREES.get(name, (None, None))
            table.row(name, *found[f"{part} 1"], *found[f"{part} 2"], *theirs)
        texts.append(f"{part}:\n\n{table.markdown()}")
    if record is not None:
        table = Table(["Wilcoxon's p", "dev, 1", "dev, 2", "test, 1", "test, 2"])
        for one, other, p in record["p"]:
            table.row(f"{one} against {other}", *(f"{p[f'{x} {e}']:.2g}" for x, e in _COLUMNS))
        flat = ", ".join(f"{part} {count}" for part, count in record["flat"].items())
        texts.append(table.markdown())
        texts.append(f"Trees: {record['parser']}; without a parse: {flat}.")
    return (
        "## Trees (table 7.5)\n\nGTM with exponents 1 and 2, in %. The second parser is the "
        "discriminative one, for the sentences that are translated. The chapter's figures are "
        "those of 100,000 pairs, and of its phrases without a language model.\n\n"
        + "\n\n".join(texts)
    )


def gains(record: list[dict[str, Any]]) -> str:
    """Forms of the gain, by accuracy on the tuning part."""
    table = Table(
        ["gain", "factor", "depth", "tuning part", "dev", "size", "CPU s", "deepest", "leaves"]
    )
    for each in record:
        table.row(
            each["gain"],
            each["factor"],
            each["limit"] or "any",
            100 * each["tune"],
            100 * each["dev"],
            each["size"],
            each["seconds"],
            each["deepest"],
            each["leaves"],
        )
    return (
        "## Forms of the gain\n\nAccuracy in % over linked words, window features; factor: what a "
        "split must exceed; leaves of a tree in the mean.\n\n" + table.markdown()
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
