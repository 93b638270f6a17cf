"""The results of a portfolio as Markdown and as JSON."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from demotic.experiments.portfolio.compare import Comparison, Records, compare
from demotic.experiments.portfolio.sets import DEFAULT
from demotic.experiments.tables import Table

_FIGURES = {
    "held": "BLEU of the held-out half",
    "tuned": "of the half tuned on",
    "test": "test",
    "chrf": "chrF, test",
    "length": "length",
    "seconds": "training, CPU s",
    "ms": "CPU ms per sentence",
    "memory": "peak MB",
    "bytes": "model MB",
    "rules": "rules",
}
_COSTS = {"seconds": "training", "ms": "decoding", "bytes": "model", "rules": "rules"}


@dataclass(frozen=True, order=True)
class Arm:
    """A way to train."""

    system: str
    setting: str

    def __str__(self) -> str:
        return f"{self.system}, {self.setting}"


Results = Mapping[Arm, Mapping[str, Records]]
"""By arm and set, a record for each seed."""


def figures(records: Records) -> dict[str, float]:
    """The figures of a row, means over seeds."""
    found = {
        "held": [record["held"]["bleu"] for record in records],
        "tuned": [record["tuned"]["bleu"] for record in records],
        "test": [record["test"]["bleu"] for record in records],
        "chrf": [record["test"]["chrf"] for record in records],
        "length": [record["test"]["length"] for record in records],
        "seconds": [record["seconds"] for record in records],
        "ms": [record["test"]["ms"] for record in records],
        "memory": [record["memory"] / 1e6 for record in records],
        "bytes": [record["bytes"] / 1e6 for record in records],
        "rules": [record["rules"] or 0 for record in records],
    }
    return {name: sum(values) / len(values) for name, values in found.items()}


def comparisons(results: Results) -> dict[tuple[Arm, Arm], Comparison]:
    """Every setting against the default of its system, every system against the first one."""
    found = {}
    for arm, other in _opponents(list(results)):
        compared = compare(results[arm], results[other])
        if compared is not None:
            found[arm, other] = compared
    return found


def _opponents(arms: Sequence[Arm]) -> Iterator[tuple[Arm, Arm]]:
    for arm in arms:
        default = Arm(arm.system, DEFAULT)
        if arm != default and default in arms:
            yield arm, default
    defaults = [arm for arm in arms if arm.setting == DEFAULT]
    for arm in defaults[1:]:
        yield arm, defaults[0]


def markdown(
    results: Results, settings: Mapping[str, Mapping[str, Any]], sizes: Mapping[str, Any]
) -> str:
    """Verdicts first, then what they rest on."""
    compared = comparisons(results)
    seeds = max((len(records) for sets in results.values() for records in sets.values()), default=1)
    head = (
        "# Portfolio\n\nBLEU of one half of each development set, where the other half was tuned "
        f"on; {seeds} seed{'s' * (seeds > 1)}. Intervals (95 %) are a bootstrap over sets and "
        "sentences; p is a paired bootstrap over sentences. Verdicts never look at a test set."
    )
    texts = [head, _settings(settings)]
    if compared:
        texts += [_verdicts(compared, results), _differences(compared)]
    texts += [_gaps(results), _all(results, sizes)]
    if seeds > 1:
        texts.append(_spread(results))
    return "\n\n".join(texts)


def record(results: Results, settings: Mapping[str, Any], sizes: Mapping[str, Any]) -> Any:
    """All figures for machines; translations and statistics stay with the trials."""
    return {
        "settings": settings,
        "sets": sizes,
        "arms": [
            {
                **asdict(arm),
                "sets": {
                    name: {"mean": figures(records), "seeds": [figures([each]) for each in records]}
                    | {"stages": [each["stages"] for each in records]}
                    | {"signature": records[0]["test"]["signature"]}
                    for name, records in sets.items()
                },
            }
            for arm, sets in results.items()
        ],
        "comparisons": [
            {
                "arm": asdict(arm),
                "against": asdict(other),
                **asdict(found),
                "wins": found.wins,
                "verdict": found.verdict,
            }
            for (arm, other), found in comparisons(results).items()
        ],
    }


def _settings(settings: Mapping[str, Mapping[str, Any]]) -> str:
    table = Table(["setting", "changes"])
    for name, changes in settings.items():
        table.row(name, ", ".join(_flat(changes)) or "nothing")
    return f"## Settings\n\n{table.markdown()}"


def _flat(record: Mapping[str, Any], where: str = "") -> Iterator[str]:
    for name, value in record.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{where}{name}.")
        else:
            yield f"`{where}{name}={str(value).lower() if isinstance(value, bool) else value}`"


def _verdicts(compared: Mapping[tuple[Arm, Arm], Comparison], results: Results) -> str:
    table = Table(
        ["", "against", "sets", "mean gain [95 %]", "better / worse for sure", "gain on test"]
        + [f"{title}, times" for title in _COSTS.values()]
        + ["verdict"]
    )
    for (arm, other), found in compared.items():
        ratios = [_ratio(results, arm, other, found, cost) for cost in _COSTS]
        table.row(
            str(arm),
            str(other),
            len(found.sets),
            f"{found.mean:+.2f} [{found.low:+.2f}, {found.high:+.2f}]",
            f"{len(found.gains)} / {len(found.losses)}",
            f"{sum(each.test for each in found.sets) / len(found.sets):+.2f}",
            *ratios,
            found.verdict,
        )
    return f"## Verdicts\n\n{table.markdown()}"


def _ratio(results: Results, arm: Arm, other: Arm, found: Comparison, cost: str) -> float | None:
    """How many times as much, as the geometric mean over sets."""
    logs = []
    for each in found.sets:
        ours, theirs = (figures(results[which][each.name])[cost] for which in (arm, other))
        if not ours > 0 or not theirs > 0:
            return None
        logs.append(math.log(ours / theirs))
    return math.exp(sum(logs) / len(logs))


def _differences(compared: Mapping[tuple[Arm, Arm], Comparison]) -> str:
    names = dict.fromkeys(each.name for found in compared.values() for each in found.sets)
    table = Table(["set", *(f"{arm} against {other}" for arm, other in compared)])
    for name in names:
        cells: list[str | None] = []
        for found in compared.values():
            there = [each for each in found.sets if each.name == name]
            cells.append(f"{there[0].held:+.2f} (p = {there[0].p_value:.3f})" if there else None)
        table.row(name, *cells)
    return f"## Gains on held-out halves\n\n{table.markdown()}"


def _all(results: Results, sizes: Mapping[str, Any]) -> str:
    table = Table(["set", "system", "setting", "pairs", *_FIGURES.values()])

    def row(name: str, arm: Arm, pairs: int | None, found: Mapping[str, float]) -> None:
        whole = ("memory", "rules")
        cells = [round(found[key]) if key in whole else found[key] for key in _FIGURES]
        table.row(name, arm.system, arm.setting, pairs, *cells)

    for name in dict.fromkeys(name for sets in results.values() for name in sets):
        for arm, sets in results.items():
            if name in sets:
                row(name, arm, sizes[name]["train"], figures(sets[name]))
    for arm, sets in results.items():
        found = [figures(records) for records in sets.values()]
        if len(found) > 1:
            means = {key: sum(each[key] for each in found) / len(found) for key in _FIGURES}
            row(f"mean of {len(found)}", arm, None, means)
    return f"## All figures\n\n{table.markdown()}"


_GAPS = {"held": "held-out half", "test": "test"}
"""Texts that were not tuned on."""


def _gaps(results: Results) -> str:
    """What tuning flatters itself by.

    The texts of a set are not equally hard, so a gap says nothing by itself.  What the default has
    on both tells how much harder one is: the excess is what is left beside that.
    """
    table = Table(
        ["set", "system", "setting"]
        + [f"half tuned on less {text}" for text in _GAPS.values()]
        + [f"excess over {text}" for text in _GAPS.values()]
    )
    names = dict.fromkeys(name for sets in results.values() for name in sets)
    found: dict[Arm, list[list[float | None]]] = {arm: [] for arm in results}
    for name in names:
        for arm, sets in results.items():
            if name not in sets:
                continue
            default = results.get(Arm(arm.system, DEFAULT), {}).get(name)
            ours, zero = figures(sets[name]), None if default is None else figures(default)
            cells = [ours["tuned"] - ours[text] for text in _GAPS]
            row = [*cells, *(_excess(ours, zero, text) for text in _GAPS)]
            found[arm].append(row)
            table.row(name, arm.system, arm.setting, *row)
    for arm, rows in found.items():
        if len(rows) > 1:
            means = [_mean(column) for column in zip(*rows, strict=True)]
            table.row(f"mean of {len(rows)}", arm.system, arm.setting, *means)
    return f"## What tuning flatters itself by\n\n{table.markdown()}"


def _excess(ours: Mapping[str, float], zero: Mapping[str, float] | None, text: str) -> float | None:
    """BLEU of the half tuned on above what that of another text lets expect."""
    if zero is None or zero[text] == 0:
        return None
    return ours["tuned"] - ours[text] * zero["tuned"] / zero[text]


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _spread(results: Results) -> str:
    """How much the seed alone moves a score."""
    table = Table(["", "standard deviation over seeds, held out"])
    for arm, sets in results.items():
        spreads = []
        for records in sets.values():
            scores = [each["held"]["bleu"] for each in records]
            if len(scores) > 1:
                mean = sum(scores) / len(scores)
                square = sum((score - mean) ** 2 for score in scores) / (len(scores) - 1)
                spreads.append(math.sqrt(square))
        table.row(str(arm), _mean(spreads))
    return f"## Seeds\n\n{table.markdown()}"
