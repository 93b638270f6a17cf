"""One page of all benchmarks: plots of every system, peers beside them, what each program printed.

    python -m benchmarks.page [--folder bench-out]

Reads what ``make bench`` left in the folder: records of trainings, ``curve.json``, ``neural.json``
where there is one, ``NAME.txt`` of each benchmark.  Writes ``index.html`` and the plots, as SVG and
PNG.  Figures that were not measured in this run say so.
"""

from __future__ import annotations

import argparse
import json
from html import escape
from pathlib import Path
from typing import Any

from benchmarks.peers import FACTS, NEURAL
from benchmarks.trained import MODELS, SIZES, TUNED_ON, Trained, home, trained
from demotic import __version__
from demotic.experiments.plots import Series, draw
from demotic.page import document, table
from demotic.systems import SYSTEMS

STYLE = "img { max-width:100%; background:#fff; } pre { overflow-x:auto; font-size:.85rem; }"
WHOLE = SIZES[-1]


def records(folder: Path) -> dict[str, list[Trained]]:
    """By system, the trainings that there are, small ones first."""
    models = folder / MODELS.name
    found = {
        system: [
            trained(system, pairs, models)
            for pairs in SIZES
            if home(models, system, pairs).with_suffix(".json").exists()
        ]
        for system in SYSTEMS
    }
    return {system: each for system, each in found.items() if each}


def read(path: Path) -> dict[str, Any]:
    """A file of figures, empty where there is none."""
    return json.loads(path.read_text()) if path.exists() else {}


def best(curve: dict[str, Any], system: str, pairs: int) -> float | None:
    """BLEU of a model at its default search."""
    for each in curve.get(str(pairs), {}).get(system, ()):
        if each["default"]:
            return float(each["bleu"])
    return None


def plots(folder: Path) -> list[tuple[str, str]]:
    """Names of plots with a line on each; those without figures are left out."""
    done, curve, neural = records(folder), read(folder / "curve.json"), read(folder / "neural.json")
    found: list[tuple[str, str]] = []
    for pairs in SIZES:
        series = [
            Series(system, [p["milliseconds"] for p in points], [p["bleu"] for p in points])
            for system, points in curve.get(str(pairs), {}).items()
        ]
        if not series:
            continue
        series += [
            Series(f"{name} (in this run)", [each["milliseconds"]], [each["bleu"]], "points")
            for name, each in curve.get("peers", {}).items()
        ]
        note = ""
        if pairs == WHOLE:
            for peer in dict.fromkeys(fact.peer for fact in FACTS):
                facts = [fact for fact in FACTS if fact.peer == peer]
                series.append(
                    Series(
                        f"{peer} (measured elsewhere)",
                        [fact.milliseconds for fact in facts], [fact.bleu for fact in facts],
                    )
                )  # fmt: skip
            note = " Peers were measured at another time, on a machine of the same kind."
        name = f"time-quality-{pairs}"
        draw(
            folder / name, series, x="CPU ms per sentence", y="BLEU, test2016",
            title=f"Time against quality, {pairs:,} pairs", logarithmic_x=True,
        )  # fmt: skip
        found.append((name, f"Each point is a width of the search.{note}"))
    for pairs in SIZES:
        series = [
            Series(system, [each.seconds], [bleu], "points")
            for system, trainings in done.items()
            for each in trainings
            if each.pairs == pairs and (bleu := best(curve, system, pairs)) is not None
        ]
        if of_size := neural.get(str(pairs)):
            points = of_size["curve"]
            label = f"Transformer, {of_size['parameters'] / 1e6:.1f} M parameters"
            series.append(
                Series(label, [p["seconds"] for p in points], [p["test"] for p in points])
            )
        elif pairs == WHOLE and series:
            seconds, scores = zip(*NEURAL, strict=True)
            series.append(Series("Transformer (measured elsewhere)", seconds, scores))
        if len(series) > 1:
            name = f"training-quality-{pairs}"
            draw(
                folder / name, series, x="CPU seconds of training", y="BLEU, test2016",
                title=f"Quality by cost of training, {pairs:,} pairs", logarithmic_x=True,
            )  # fmt: skip
            found.append((name, "The whole of training, start of Python and tuning included."))
    for name, label, title in (
        ("seconds", "CPU seconds", "Training"),
        ("megabytes", "MB", "Peak memory of training"),
        ("size", "MB", "Size of the model"),
    ):
        series = [
            Series(
                system,
                [each.pairs for each in trainings],
                [getattr(each, name) for each in trainings],
            )
            for system, trainings in done.items()
        ]
        if series:
            draw(
                folder / f"growth-{name}", series, x="sentence pairs", y=label,
                title=title, logarithmic=True, logarithmic_x=True,
            )  # fmt: skip
            found.append((f"growth-{name}", f"{title} by number of sentence pairs."))
    return found


def figures(folder: Path) -> list[list[str]]:
    """A row for each model."""
    curve = read(folder / "curve.json")
    rows = []
    for system, trainings in records(folder).items():
        for each in trainings:
            at = [p for p in curve.get(str(each.pairs), {}).get(system, ()) if p["default"]]
            rows.append([
                system, f"{each.pairs:,}", f"{each.seconds:.0f}", f"{each.megabytes:.0f}",
                f"{each.size:.1f}", f"{at[0]['milliseconds']:.2f}" if at else "",
                f"{at[0]['bleu']:.1f}" if at else "",
            ])  # fmt: skip
    return rows


def page(folder: Path) -> str:
    """The whole of it."""
    parts = [
        f"<p>Demotic {escape(__version__)}. Multi30k German-English, lower-cased and tokenised, the"
        f" first so many pairs; each system by its defaults, tuned on {TUNED_ON} sentences of val,"
        " one thread; CPU time, which a busy machine makes longer. BLEU of tokens on the first"
        " sentences of test2016.</p>",
        table(
            (
                "system",
                "pairs",
                "training, CPU s",
                "peak MB",
                "model MB",
                "ms per sentence",
                "BLEU",
            ),
            figures(folder),
        ),
    ]
    for name, note in plots(folder):
        parts.append(
            f'<figure><img src="{name}.svg" alt="{escape(note)}"><p>{escape(note)}</p></figure>'
        )
    parts.append("<h2>Peers, measured elsewhere</h2>")
    parts.append(
        table(
            ("peer", "setting", "ms per sentence", "BLEU"),
            [[f.peer, f.setting, f"{f.milliseconds:g}", f"{f.bleu:.2f}"] for f in FACTS],
        )
    )
    for path in sorted(folder.glob("*.txt")):
        said = path.read_text(encoding="utf-8").strip()
        parts.append(f"<h2>{escape(path.stem)}</h2><pre>{escape(said)}</pre>")
    return document("Benchmarks", "\n".join(parts), style=STYLE)


def main() -> None:
    """Write the page."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--folder", type=Path, default=Path("bench-out"))
    folder = parser.parse_args().folder
    (folder / "index.html").write_text(page(folder), encoding="utf-8")
    print(folder / "index.html")


if __name__ == "__main__":
    main()
