"""The results as Markdown."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from demotic.experiments.blocks import paper
from demotic.experiments.tables import Table
from demotic.metrics import Bleu
from demotic.metrics.significance import paired_bootstrap

Found = Mapping[str, Any]
Seeds = Sequence[Found]
"""The same with each seed; the first stands for them where there is one figure."""


def bleu(records: Seeds) -> str:
    """The mean score of the seeds, the first one's interval, and from which to which they go."""
    scores = [record["bleu"] for record in records]
    text = f"{mean(records):.2f} [{records[0]['low']:.2f}, {records[0]['high']:.2f}]"
    return text if len(scores) == 1 else f"{text}, {min(scores):.2f}-{max(scores):.2f}"


def mean(records: Seeds) -> float:
    """Of the seeds' scores."""
    return statistics.fmean(record["bleu"] for record in records)


def rows(readings: Mapping[str, Seeds], reference: list[str]) -> str:
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
    before: dict[str, Seeds] = {}
    for row, (value, half) in paper.TABLE_2.items():
        found = {name: _row(readings[name], row) for name in names}
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
    first = {name: seeds[0] for name, seeds in readings.items()}
    return (
        f"## Rows of table 2\n\n{table.markdown()}\n\n{_gain(readings)}\n\n{_events(first)}\n\n"
        f"{_weights(first)}{_choices(first)}"
    )


def _row(seeds: Seeds, row: str) -> Seeds:
    return [each["rows"][row] for each in seeds]


def _gain(readings: Mapping[str, Seeds]) -> str:
    """What the paper calls its gain."""
    ours = (
        f"{name} {100 * (mean(_row(seeds, 'row7')) / mean(_row(seeds, 'row1')) - 1):+.1f} %"
        for name, seeds in readings.items()
    )
    return f"Row 7 over row 1, the paper's baseline: paper +{paper.GAIN} %, {', '.join(ours)}."


def _against(one: Seeds, other: Seeds, reference: list[str]) -> str:
    """The difference of means, and p of the first seeds."""
    metric = Bleu(tokenise="none")
    both = [metric.statistics(each[0]["lines"], [reference]) for each in (one, other)]
    found = paired_bootstrap(metric, *both, samples=1000, seed=1)
    return f"{mean(one) - mean(other):+.2f} (p = {found.p_value:.3f})"


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


def simple(title: str, found: Mapping[str, Seeds], extra: Mapping[str, str] | None = None) -> str:
    """A name and its BLEU, and some other figures, of the first seed."""
    extra = extra or {}
    table = Table(["", "BLEU [95%]", *extra.values()])
    for name, seeds in found.items():
        table.row(name, bleu(seeds), *(seeds[0][key] for key in extra))
    return f"## {title}\n\n{table.markdown()}"


def ablations(found: Mapping[str, Seeds]) -> str:
    """Rows 4 and 6 with one decision changed."""
    table = Table(["changed", "row 4", "row 6, lists of row 4", "difference of row 6", "blocks"])
    base = mean([each["row6"] for each in found["ours"]])
    for name, seeds in found.items():
        row4, row6 = ([each[row] for each in seeds] for row in ("row4", "row6"))
        table.row(name, bleu(row4), bleu(row6), f"{mean(row6) - base:+.2f}", seeds[0]["blocks"])
    return f"## Ablations\n\n{table.markdown()}"


def beyond(found: Mapping[str, Seeds]) -> str:
    """The global model; all but BLEU is of the first seed."""
    table = Table(["", "BLEU [95%]", "references reached, by round", "mean loss", "CPU s"])
    for name, seeds in found.items():
        record = seeds[0]
        losses = [round_[0] for round_ in record["losses"]]
        table.row(
            name,
            bleu(seeds),
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
