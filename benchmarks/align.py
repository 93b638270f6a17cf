"""Alignment error rate and CPU time of the built-in aligner beside eflomal's and Thot's.

    python -m benchmarks.align                              # everything; Thot takes many minutes
    python -m benchmarks.align --peers eflomal --sets en-fr,ro-en

Every aligner sees the same lower-cased sentences in the same run: the hand-aligned ones and, for
en-fr and zh-en, more text of the language pair.  CPU time is that of all threads and processes,
both directions and symmetrisation; the table gives it relative to the built-in aligner's.
"""

from __future__ import annotations

import argparse
import gzip
import resource
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.corpora import data_folder
from demotic.align import Alignments, Text, align, error_rate, pharaoh


@dataclass(frozen=True)
class GoldSet:
    """Hand-aligned sentences, and the stems of further text for training."""

    name: str
    more: str | None = None

    def languages(self) -> tuple[str, str]:
        source, target = self.name.split("-")
        return source, target

    def side(self, language: str) -> Text:
        """The hand-aligned sentences first, then the rest."""
        stems = [f"gold-alignments/{self.name}/{self.name}", *([self.more] if self.more else [])]
        return Text.of(
            line.lower()
            for stem in stems
            for line in lines_of(data_folder() / f"{stem}.{language}.gz")
        )


SETS = {
    gold.name: gold
    for gold in (
        GoldSet("en-fr", more="europarl-fr-en/tok/train50k"),
        GoldSet("ro-en"),
        GoldSet("zh-en", more="tatoeba-zh-en/tok/train"),
        GoldSet("ja-en"),
    )
}
NAMES = {"builtin": "Demotic", "eflomal": "eflomal", "thot": "Thot HMM"}


def lines_of(path: Path) -> Iterator[str]:
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as lines:
        for line in lines:
            yield line.rstrip("\n")


def cpu_seconds() -> float:
    """CPU time of this process and of those it has waited for."""
    usage = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(each.ru_utime + each.ru_stime for each in usage)


def timed(work: Callable[[], Alignments]) -> tuple[Alignments, float]:
    begin = cpu_seconds()
    return work(), cpu_seconds() - begin


def compare(
    source: Text, target: Text, methods: list[str], heuristic: str
) -> Iterator[tuple[str, Alignments, float]]:
    """Each aligner's links, and its CPU time relative to the first one's."""
    first = 0.0
    for method in methods:
        found, seconds = timed(
            lambda method=method: align(source, target, method=method, symmetrise=heuristic)
        )
        first = first or seconds
        yield NAMES[method], found, seconds / first


def error_rates(gold: GoldSet, methods: list[str], heuristic: str) -> None:
    folder = data_folder() / "gold-alignments" / gold.name
    sure = pharaoh.read(folder / f"{gold.name}.sure.gz")
    possible = pharaoh.read(folder / f"{gold.name}.possible.gz")
    source, target = (gold.side(language) for language in gold.languages())
    size = f"{len(sure):,} of {len(source):,}"  # also encodes both texts before the clock starts
    for name, found, ratio in compare(source, target, methods, heuristic):
        rate = error_rate(found.links.slice(0, len(sure)), sure, possible)
        print(
            f"{gold.name:6} {size:>15} {name:10} {100 * rate.aer:6.2f} {100 * rate.precision:10.2f}"
            f" {100 * rate.recall:7.2f} {found.links.count:>10,} {ratio:12.2f}",
            flush=True,
        )


def multi30k(methods: list[str], heuristic: str) -> None:
    """CPU time for both directions of 29,000 German-English pairs."""
    folder = data_folder() / "multi30k" / "tok"
    source, target = (Text.read(folder / f"train.{language}.gz") for language in ("de", "en"))
    size = f"{len(source):,}"
    for name, found, ratio in compare(source, target, methods, heuristic):
        print(
            f"{'de-en':6} {size:>15} {name:10} {'':6} {'':10} {'':7} {found.links.count:>10,}"
            f" {ratio:12.2f}",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description="Alignment error rates and CPU time.")
    parser.add_argument("--sets", default=",".join([*SETS, "multi30k"]))
    parser.add_argument("--peers", default="eflomal,thot", help="eflomal, thot, both or neither")
    parser.add_argument("--symmetrise", default="grow-diag-final-and")
    given = parser.parse_args()
    methods = ["builtin", *(peer for peer in given.peers.split(",") if peer)]
    sets = given.sets.split(",")
    if unknown := (set(sets) - {*SETS, "multi30k"}) | (set(methods) - set(NAMES)):
        parser.error(f"unknown: {', '.join(sorted(unknown))}")

    print(f"symmetrisation: {given.symmetrise}; AER, precision and recall in percent")
    print(
        f"{'set':6} {'sentence pairs':>15} {'aligner':10} {'AER':>6} {'precision':>10}"
        f" {'recall':>7} {'links':>10} {'CPU, ratio':>12}"
    )
    for name in sets:
        if name in SETS:
            error_rates(SETS[name], methods, given.symmetrise)
        else:
            multi30k(methods, given.symmetrise)


if __name__ == "__main__":
    main()
