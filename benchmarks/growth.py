"""How time and memory grow with the corpus: alignment, rules, language model, memory.

    python -m benchmarks.growth --out FOLDER                          # 10^4 to 10^5 pairs
    python -m benchmarks.growth --out FOLDER --sizes 316228 --stages align,extract
    python -m benchmarks.growth --out FOLDER --plot growth.png        # of all that was measured

The text is made: each size is the beginning of one seeded stream of sentence pairs.  Words follow
Zipf's law and like some words behind them more than others; each has a few translations, some
words are written or left out on one side, and the order changes within and between neighbours.
Links are those that made the text, with some of them lost and some that are wrong.  So much new
vocabulary and so few repeated sentences make it harder than most text.

Each stage is a process of its own, whose CPU time and peak memory the system tells, and is not
measured again if FOLDER knows it.  FOLDER needs about 150 bytes of disk a pair, and while rules are
extracted some twenty times as much.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]
SEED = 19
WORDS = 1_000_000
SUCCESSORS = 16
FREQUENT = 40  # words that are written or left out on one side
LONGEST = 60
AT_ONCE = 20_000
SIZES = (10_000, 31_623, 100_000)
STAGES = ("align", "extract", "index", "lm", "remember")
DEMOTIC = [sys.executable, "-c", "from demotic.cli import main; main()"]


class Corpus:
    """Sentence pairs without end, the same for the same seed."""

    def __init__(self, seed: int = SEED) -> None:
        self._random = np.random.default_rng(seed)
        ranks = np.arange(1, WORDS + 1)
        shares = 1.0 / (ranks + 2.7) ** 1.25  # Zipf and Mandelbrot
        self._sums = np.cumsum(shares / shares.sum())
        self._behind = self._words((WORDS, SUCCESSORS))
        self._choice = np.cumsum((1.0 / np.arange(1, SUCCESSORS + 1)) / _harmonic(SUCCESSORS))
        self._translations = np.stack(
            [ranks - 1, (ranks * 7919) % WORDS, (ranks * 104_729) % WORDS]
        )

    def _words(self, shape: int | tuple[int, ...]) -> Numbers:
        drawn = np.searchsorted(self._sums, self._random.random(shape))
        return np.minimum(drawn, WORDS - 1)

    def batch(self, size: int) -> Iterator[tuple[Numbers, Numbers, list[tuple[int, int]]]]:
        """Some pairs: words of both sides, and links."""
        random = self._random
        lengths = np.clip(random.lognormal(2.7, 0.55, size).astype(int), 1, LONGEST)
        words = np.empty((size, LONGEST), np.int64)
        words[:, 0] = self._words(size)
        for place in range(1, LONGEST):
            favourites = np.searchsorted(self._choice, random.random(size))
            favourites = np.minimum(favourites, SUCCESSORS - 1)
            follows = random.random(size) < 0.6
            fresh = self._words(size)
            words[:, place] = np.where(
                follows, self._behind[words[:, place - 1], favourites], fresh
            )
        which = np.searchsorted([0.75, 0.95], random.random((size, LONGEST)))
        translated = self._translations[which, words]
        moved = np.arange(LONGEST) + random.normal(0, 0.8, (size, LONGEST))
        silent = (words < FREQUENT) & (random.random((size, LONGEST)) < 0.25)
        inserted = random.random((size, LONGEST)) < 0.08
        fillers = random.integers(0, FREQUENT, (size, LONGEST))
        lost = random.random((size, LONGEST)) < 0.08
        wrong = random.random((size, LONGEST)) < 0.02
        for row in range(size):
            source = words[row, : lengths[row]]
            target: list[int] = []
            links = []
            for place in np.argsort(moved[row, : lengths[row]], kind="stable").tolist():
                if silent[row, place]:
                    continue
                if inserted[row, place]:
                    target.append(int(fillers[row, place]))
                if not lost[row, place]:
                    links.append((place, len(target)))
                if wrong[row, place]:
                    links.append(((place * 7 + 3) % len(source), len(target)))
                target.append(int(translated[row, place]))
            if target:
                yield source, np.asarray(target), sorted(set(links))

    def pairs(self, size: int) -> Iterator[tuple[Numbers, Numbers, list[tuple[int, int]]]]:
        """The first so many."""
        made = 0
        while made < size:
            for pair in self.batch(AT_ONCE):
                yield pair
                made += 1
                if made == size:
                    return


def _harmonic(size: int) -> float:
    return float((1.0 / np.arange(1, size + 1)).sum())


def write(folder: Path, size: int) -> None:
    """The texts and links of a corpus."""
    with (
        (folder / "source").open("w") as source,
        (folder / "target").open("w") as target,
        (folder / "links").open("w") as links,
    ):
        for words, translations, joined in Corpus().pairs(size):
            source.write(" ".join([f"s{word}" for word in words.tolist()]) + "\n")
            target.write(" ".join([f"t{word}" for word in translations.tolist()]) + "\n")
            links.write(" ".join([f"{one}-{other}" for one, other in joined]) + "\n")


# -- stages ------------------------------------------------------------------------------------


def command(stage: str, folder: Path, memory: str, threads: int) -> list[str]:
    """What runs a stage on the texts of a folder."""
    source, target, links = (str(folder / name) for name in ("source", "target", "links"))
    limits = ["--memory", memory]
    if stage == "align":
        return [
            *DEMOTIC, "align", "--source", source, "--target", target, *limits,
            "--out", str(folder / "align.out"), "-j", str(threads), "--quiet",
        ]  # fmt: skip
    if stage == "extract":
        return [
            *DEMOTIC, "extract", "--source", source, "--target", target, "--alignment", links,
            *limits, "--loose", "--tight-holes", "--min-sentences", "2",
            "--out", str(folder / "extract.bin"), "-j", str(threads), "--quiet",
        ]  # fmt: skip
    if stage == "lm":
        return [
            *DEMOTIC, "lm", target, "--order", "5", *limits, "--out", str(folder / "lm.bin"),
            "-j", str(threads), "--quiet",
        ]  # fmt: skip
    return own(stage, folder)


def own(stage: str, folder: Path, pairs: int = 0) -> list[str]:
    """What runs something of this module in a process of its own."""
    return [
        sys.executable, "-m", "benchmarks.growth", "--run", stage, "--folder", str(folder),
        "--sizes", str(pairs),
    ]  # fmt: skip


def run(stage: str, folder: Path) -> None:
    """Stages that no command has: the index of lazy rules, and the memory."""
    source, target = folder / "source", folder / "target"
    if stage == "index":
        from demotic.align import LexicalTable, Text, pharaoh
        from demotic.grammar import write_lazy
        from demotic.systems.hiero import Config

        texts = Text.read(source), Text.read(target)
        links = pharaoh.read(folder / "links")
        LexicalTable.estimate(*texts, links).save(folder / "index.lexical.out")
        write_lazy(*texts, links, out=folder / "index.out", options=Config().extract)
        return
    from demotic import _core

    builder = _core.MemoryBuilder()
    with source.open() as sources, target.open() as targets:
        rows: list[list[str]] = []
        for number, (one, other) in enumerate(zip(sources, targets, strict=True)):
            words, text = one.strip(), other.strip()
            rows.append([words, text, "", words, "growth", str(number), words, text, ""])
            if len(rows) == AT_ONCE:
                builder.add(rows)
                rows.clear()
        builder.add(rows)
    builder.save(str(folder / "remember.out"))


@dataclass(frozen=True)
class Measured:
    """What a stage took on so many pairs."""

    stage: str
    pairs: int
    cpu_seconds: float
    peak_mb: int
    disk_mb: float


def measured(stage: str, pairs: int, folder: Path, memory: str, threads: int) -> Measured:
    """Run a stage; its own process tells."""
    arguments = command(stage, folder, memory, threads)
    begin = time.time()
    child = os.posix_spawn(arguments[0], arguments, os.environ)
    _, status, usage = os.wait4(child, 0)
    if status:
        raise SystemExit(f"{stage} failed: {' '.join(arguments)}")
    made = [path for path in folder.iterdir() if path.name.startswith(stage) and path.suffix]
    size = sum(path.stat().st_size for path in made)
    for path in made:
        path.unlink()
    seconds = usage.ru_utime + usage.ru_stime
    print(
        f"{stage:9} {pairs:>9,} pairs: {seconds:8.1f} CPU s, {1e3 * seconds / pairs:6.3f} ms a "
        f"pair, peak {usage.ru_maxrss >> 10:,} MB, {size / 1e6:,.0f} MB on disk "
        f"({time.time() - begin:,.0f} s by the clock)",
        flush=True,
    )
    return Measured(stage, pairs, round(seconds, 2), usage.ru_maxrss >> 10, round(size / 1e6, 1))


def plot(found: list[dict[str, Any]], path: Path) -> None:
    """CPU time and peak memory over pairs, both axes logarithmic."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    figure, (time_axes, memory_axes) = pyplot.subplots(1, 2, figsize=(10, 4))
    for stage in STAGES:
        rows = sorted((row for row in found if row["stage"] == stage), key=lambda r: r["pairs"])
        sizes = [row["pairs"] for row in rows]
        time_axes.plot(sizes, [row["cpu_seconds"] for row in rows], marker="o", label=stage)
        memory_axes.plot(sizes, [row["peak_mb"] for row in rows], marker="o", label=stage)
    for axes, title in ((time_axes, "CPU seconds"), (memory_axes, "peak memory, MB")):
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlabel("sentence pairs")
        axes.set_title(title)
        axes.grid(visible=True, which="major", alpha=0.3)
    memory_axes.axhline(4096, linestyle="--", color="grey", linewidth=1)
    time_axes.legend()
    figure.tight_layout()
    figure.savefig(path, dpi=100)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, help="folder for what was measured")
    parser.add_argument("--sizes", type=lambda text: [int(each) for each in text.split(",")])
    parser.add_argument("--stages", type=lambda text: text.split(","), default=list(STAGES))
    parser.add_argument("--memory", default="4G")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--plot", type=Path)
    parser.add_argument("--run", help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.run:
        if given.run == "write":
            write(given.folder, given.sizes[0])
        else:
            run(given.run, given.folder)
        return
    if given.out is None:
        parser.error("say where what was measured goes: --out")
    given.out.mkdir(parents=True, exist_ok=True)
    notes = given.out / "growth.json"
    found = json.loads(notes.read_text()) if notes.exists() else []
    known = {(row["stage"], row["pairs"]) for row in found}
    sizes = given.sizes or ([] if given.plot else SIZES)
    for pairs in sizes:
        missing = [stage for stage in given.stages if (stage, pairs) not in known]
        if not missing:
            continue
        folder = Path(tempfile.mkdtemp(prefix="growth-", dir=given.out))
        try:
            # A process inherits the peak of the one that started it: this one stays small.
            subprocess.run(own("write", folder, pairs), check=True)
            for stage in missing:
                row = measured(stage, pairs, folder, given.memory, given.threads)
                found.append(asdict(row))
                notes.write_text(json.dumps(found, indent=1))
        finally:
            shutil.rmtree(folder)
    if given.plot:
        plot(found, given.plot)


if __name__ == "__main__":
    main()
