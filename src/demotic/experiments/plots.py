"""Curves as SVG and PNG, by matplotlib (the optional extra ``experiment``).

draw(out / "length", [Series("b30", xs, ys)], x="source words", y="ms", title="...")
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from demotic import files
from demotic.errors import MissingDependencyError

COLOURS = 10
"""So many curves have colours of their own; after that the dashes change."""
DASHES = ("-", "--", ":")
MOST_INSIDE = 5
"""With more curves the legend stands beside them."""


@dataclass(frozen=True)
class Series:
    """One curve."""

    label: str
    x: Sequence[float]
    y: Sequence[float]
    style: Literal["line", "points"] = "line"


def require_matplotlib() -> Any:
    """matplotlib, or an error that says how to get it: better before the work than after it."""
    try:
        import matplotlib as mpl
    except ImportError:
        raise MissingDependencyError(
            "plots need the package matplotlib", remedy="pip install 'demotic[experiment]'"
        ) from None
    mpl.use("agg")
    # The same bytes on every run, and text that stays text.
    mpl.rcParams["svg.hashsalt"] = "demotic"
    mpl.rcParams["svg.fonttype"] = "none"
    return mpl


def draw(
    stem: Path,
    series: Sequence[Series],
    *,
    x: str,
    y: str,
    title: str,
    logarithmic: bool = False,
    logarithmic_x: bool = False,
    ticks: Sequence[str] = (),
) -> list[Path]:
    """Draw curves into ``stem.svg`` and ``stem.png``; ``ticks`` name the places 0, 1, ... of x."""
    require_matplotlib()
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    crowded = len(series) > MOST_INSIDE
    figure = Figure(figsize=(10 if crowded else 7, 4.5), layout="constrained")
    axes = figure.add_subplot()
    for number, each in enumerate(series):
        dashes = DASHES[number // COLOURS % len(DASHES)]
        line: dict[str, Any] = {"marker": "o", "markersize": 3.5, "linestyle": dashes}
        if each.style == "points":
            line |= {"linestyle": "none", "alpha": 0.5}
        axes.plot(list(each.x), list(each.y), label=each.label, **line)
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.set_title(title)
    if logarithmic:
        axes.set_yscale("log")
    if logarithmic_x:
        axes.set_xscale("log")
    if ticks:
        axes.set_xticks(range(len(ticks)), ticks, rotation=60, ha="right", fontsize=7)
    elif all(float(place).is_integer() for each in series for place in each.x):
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.grid(visible=True, alpha=0.3)
    if crowded:  # inside it would hide them
        axes.legend(loc="upper left", bbox_to_anchor=(1, 1), fontsize=7, handlelength=3.5)
    elif len(series) > 1:
        axes.legend()
    written = []
    for suffix, metadata in ((".svg", {"Date": None}), (".png", {"Software": None})):
        path = stem.with_name(stem.name + suffix)
        with files.write_bytes(path) as out:
            figure.savefig(out, format=suffix[1:], dpi=120, metadata=metadata)
        written.append(path)
    return written
