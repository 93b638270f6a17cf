"""The results as Markdown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from demotic.experiments.blocks import paper
from demotic.experiments.tables import Table
from demotic.metrics import Bleu
from demotic.metrics.significance import paired_bootstrap

Found = Mapping[str, Any]


def bleu(record: Found) -> str:
    """A score with its interval."""
    return f"{record['bleu']:.2f} [{record['low']:.2f}, {record['high']:.2f}]"


def rows(readings: Mapping[str, Found], reference: list[str]) -> str:
    """Table 2, the paper's beside ours."""
    names = list(readings)
    table = Table(
        [
            "row",
            "paper (MT03)",
            *(f"{n}: BLEU [95%]" for n in names),
            *(f"{n}: against the row before" for n in names),
        ]
    )
    before: dict[str, Found] = {}
    for row, (value, half) in paper.TABLE_2.items():
        found = {name: readings[name]["rows"][row] for name in names}
        table.row(
            paper.NAMES[row],
            f"{value:.1f} ±{half:.1f}",
            *(bleu(found[name]) for name in names),
            *(
                _against(found[name], before[name], reference) if name in before else "-"
                for name in names
            ),
        )
        before = found
    return (
        f"## Rows of table 2\n\n{table.markdown()}\n\n{_events(readings)}\n\n"
        f"{_weights(readings)}{_choices(readings)}"
    )


def _against(one: Found, other: Found, reference: list[str]) -> str:
    metric = Bleu(tokenise="none")
    statistics = [metric.statistics(each["lines"], [reference]) for each in (one, other)]
    found = paired_bootstrap(metric, *statistics, samples=1000, seed=1)
    return f"{one['bleu'] - other['bleu']:+.2f} (p = {found.p_value:.3f})"


def _events(readings: Mapping[str, Found]) -> str:
    table = Table(
        ["reading", "events a pair", "L of L/R", "rare", "learned from: events a pair",
         "of these L/R", "candidates", "pairs", "oracle BLEU (rows 6, 7)", "events of oracles",
         "one candidate"]
    )  # fmt: skip
    table.row(
        "paper", None, None, None, paper.EVENTS_PER_PAIR, paper.SIDES_PER_PAIR, paper.CANDIDATES,
        3_370_000, None, 9400, None,
    )  # fmt: skip
    for name, found in readings.items():
        counts, learned, row6 = found["counts"], found["learned"], found["rows"]["row6"]
        sides = counts["left"] + counts["right"]
        pairs = counts["pairs"] - counts["skipped"]
        table.row(
            name,
            (sides + counts["neutral"]) / pairs,
            f"{counts['left'] / sides:.1%}",
            f"{counts['rare'] / sides:.1%}",
            (learned["sides"] + learned["neutral"]) / pairs,
            learned["sides"] / pairs,
            learned["candidates"],
            found["pairs"],
            f"{row6['oracle']:.1f} of {row6['first']:.1f}",
            row6["events"],
            row6["alone"],
        )
    return f"Events:\n\n{table.markdown()}"


def _weights(readings: Mapping[str, Found]) -> str:
    names = ("Unigram", "Orientation", "FirstWord", "RestWords", "Lexical")
    head = ["reading", "row", *names, *(f"N {n}" for n in names if n != "Orientation")]
    table = Table([*head, "blocks", "swaps", "ms", "training s"])
    for reading, found in readings.items():
        for row, record in found["rows"].items():
            weights = record["weights"]
            table.row(
                reading,
                row.removeprefix("row"),
                *(weights[name] for name in names),
                *(weights[f"Neutral{name}"] for name in names if name != "Orientation"),
                record["blocks"],
                record["left"],
                record["ms"],
                record["seconds"],
            )
    return (
        "Weights, blocks and swaps a sentence, CPU milliseconds a sentence, CPU seconds of "
        f"training:\n\n{table.markdown()}"
    )


def _choices(readings: Mapping[str, Found]) -> str:
    """Which steps on oracles were tried, and their BLEU on the set that they were learned on."""
    rows = [
        (reading, row, record["tried"])
        for reading, found in readings.items()
        for row, record in found["rows"].items()
        if row in ("row6", "row8") and record["tried"]
    ]
    if not rows:
        return ""
    table = Table(["reading", "row", *rows[0][2]])
    for reading, row, tried in rows:
        table.row(reading, row.removeprefix("row"), *tried.values())
    return (
        "\n\nSteps on the events of oracles, and the BLEU that each reaches on the set of these "
        "oracles: development in row 6, test in row 8, which cheats. The best is taken, for rows 7 "
        f"and 9, too.\n\n{table.markdown()}"
    )


def simple(title: str, found: Mapping[str, Found], extra: Mapping[str, str] | None = None) -> str:
    """A name and its BLEU, and some other figures."""
    extra = extra or {}
    table = Table(["", "BLEU [95%]", *extra.values()])
    for name, record in found.items():
        table.row(name, bleu(record), *(record[key] for key in extra))
    return f"## {title}\n\n{table.markdown()}"


def ablations(found: Mapping[str, Found]) -> str:
    """Rows 4 and 6 with one decision changed."""
    table = Table(["changed", "row 4", "row 6, lists of row 4", "difference of row 6", "blocks"])
    base = found["ours"]["row6"]["bleu"]
    for name, record in found.items():
        table.row(
            name, bleu(record["row4"]), bleu(record["row6"]),
            f"{record['row6']['bleu'] - base:+.2f}", record["blocks"],
        )  # fmt: skip
    return f"## Ablations\n\n{table.markdown()}"


def beyond(found: Mapping[str, Found]) -> str:
    """The global model."""
    table = Table(["", "BLEU [95%]", "references reached, by round", "mean loss", "CPU s"])
    for name, record in found.items():
        losses = [round_[0] for round_ in record["losses"]]
        table.row(
            name,
            bleu(record),
            ", ".join(f"{n}/{record['sentences']}" for n in record["reached"]),
            " → ".join(f"{each:.2f}" for each in [*losses, record["losses"][-1][-1]]),
            record["seconds"],
        )
    return f"## Beyond the paper: the global model\n\n{table.markdown()}"


def speed(found: Found) -> str:
    """Learning speed and memory."""
    table = Table(["", "one step a group", "one step an event"])
    titles = {"passes": "passes", "seconds": "CPU seconds", "per_second": "events a second"}
    for key, title in titles.items():
        table.row(title, *(found[unit][key] for unit in ("group", "event")))
    return (
        f"## Speed and memory\n\n{found['events']:,} events in {found['groups']:,} groups of "
        f"{found['candidates']:,} candidates, {found['bytes'] / 1e6:,.0f} MB "
        f"({found['bytes'] / found['events']:.0f} bytes an event); at most "
        f"{found['memory'] / 1e6:,.0f} MB in use.\n\n{table.markdown()}"
    )
